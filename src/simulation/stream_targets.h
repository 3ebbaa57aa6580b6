#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "simulation/job_stream.h"

// Jobs of a stream that are targets when they come.

namespace berth::simulation {

// Numbers as text sort as numbers do: the uid of the PodGroup of the job with that index.
std::string padded(std::size_t number);

TargetMarks marks_of(const StreamTarget& target, TimePoint now);

// The nodes of the request, with their locks: these count where a node is seen first.
std::vector<NodeObject> nodes_with_locks(const StreamRequest& request, TimePoint begin);

}  // namespace berth::simulation
