#pragma once

#include <string>
#include <vector>

#include "berth/model/cluster.h"
#include "berth/model/plan.h"
#include "berth/model/written_status.h"

// The texts about targets for users: in a condition, in events and in the log.

namespace berth::reconcile {

// Condition Targeted; when it began is not filled in.
WrittenCondition target_condition(const Reservation& reservation, const Cluster& cluster);
WrittenCondition target_condition(const EndedReservation& ended);

// Of a job that is named by somebody who may not.
WrittenCondition refused_name_condition(const Job& job);
inline constexpr const char* kNotAllowed = "NotAllowed";
// Of one that was, and is not named so any more.
WrittenCondition no_name_condition();
// How it ended, as a sentence.
std::string sentence_of(const EndedReservation& ended);

}  // namespace berth::reconcile
