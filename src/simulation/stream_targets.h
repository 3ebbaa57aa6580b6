#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mirror/mirror.h"
#include "simulation/job_stream.h"

// Jobs of a stream that are targets, or were promised a start, when they come.

namespace berth::simulation {

// Numbers as text sort as numbers do: the uid of the PodGroup of the job with that index.
std::string padded(std::size_t number);

TargetMarks marks_of(const StreamJob& job, TimePoint now);  // it comes now

// The nodes of the request, with their locks: these count where a node is seen first.
std::vector<NodeObject> nodes_with_locks(const StreamRequest& request, TimePoint begin);

// Of the first `count` jobs, at the beginning. The mirror settles.
void restore_promises(const StreamRequest& request, std::size_t count, TimePoint begin,
                      mirror::Mirror& mirror);

}  // namespace berth::simulation
