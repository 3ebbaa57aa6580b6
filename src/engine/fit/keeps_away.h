#pragma once

#include <span>

#include "berth/model/cluster.h"

// VICTIM-9. Pods that keep others away by anti-affinity, their own or that of the others.

namespace berth::engine {

// Does the task, where it is, keep pods of this shape away from the node?
bool keeps_away(const Cluster& cluster, TaskId task, const Shape& from, NodeId node);

// Are these all that keep such pods away, besides those that leave anyway? They are running, and
// each is named once.
bool are_all_that_keep_away(const Cluster& cluster, std::span<const TaskId> tasks,
                            const Shape& from, NodeId node);

}  // namespace berth::engine
