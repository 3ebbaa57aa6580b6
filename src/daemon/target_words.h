#pragma once

#include <string>
#include <vector>

#include "berth/model/cluster.h"
#include "berth/model/plan.h"
#include "berth/model/written_status.h"

// What users are told of targets, in a condition, in events and in the log.

namespace berth::daemon {

// Condition Targeted; when it began is not filled in.
WrittenCondition condition_of(const Reservation& reservation, const Cluster& cluster);
WrittenCondition condition_of(const EndedReservation& ended);

// How it ended, as a sentence.
std::string sentence_of(const EndedReservation& ended);

}  // namespace berth::daemon
