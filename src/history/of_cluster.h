#pragma once

#include <vector>

#include "berth/model/cluster.h"
#include "history/recording.h"

// The parts of a cluster that are recorded.

namespace berth::history {

// The room of pods that are in no job of ours on the node.
NamedAmounts taken_by_others(const Cluster& cluster, NodeId node);

// The node without that. No amount is below 0.
NodeObject without(NodeObject node, const NamedAmounts& taken);

// Neither done nor leaving.
bool is_live(TaskStatus status);

RecordedPods pods_of_shape(const Cluster& cluster, ShapeId shape, std::size_t count);
// Its live pods, by shape.
std::vector<RecordedPods> pods_of(const Cluster& cluster, const Job& job);

// HISTORY-4. The longest limit of its live pods; none: one has none.
std::optional<Duration> limit_of(const Cluster& cluster, const Job& job);

// Name, queue, priority, minimum and submission.
JobFacts facts_of(const Job& job);

}  // namespace berth::history
