#pragma once

#include <optional>
#include <string>

#include "berth/base/clock.h"
#include "berth/model/reason.h"
#include "ports/object_writer.h"

// The desired condition PodScheduled of a pod that waits (docs/design/autoscaling.md). Pure
// functions.

namespace berth::reconcile {

// Whether a job that was refused for this reason could start with more nodes.
bool nodes_would_help(Reason reason);

// `before` is the reason of the pod's condition PodScheduled=False, or empty. None: nothing is to
// be written.
std::optional<ports::PodCondition> desired_pod_condition(bool waits_for_nodes,
                                                         const std::string& before, TimePoint now);

}  // namespace berth::reconcile
