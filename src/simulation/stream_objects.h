#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mirror/mirror.h"
#include "simulation/job_stream.h"

// The objects of a stream's jobs.

namespace berth::simulation {

// The request and the constraints of the job's pod of that number. Called for 0, 1, 2 and on.
void give_shape(const StreamJob& job, std::int32_t number, PodObject& pod);

// The PodGroup of the job with that index, without its limit.
PodGroupObject group_of(const StreamJob& job, std::size_t index, TimePoint begin);

// Of the pod with that number, once the job has been started so many times; and back.
std::string pod_uid(std::size_t job, std::uint32_t epoch, std::int32_t pod);
std::size_t job_of(const std::string& pod_uid);

// The nodes of the request, with their locks: these count where a node is seen first.
std::vector<NodeObject> nodes_with_locks(const StreamRequest& request, TimePoint begin);

// Of the first `count` jobs, at the beginning. The mirror settles.
void restore_promises(const StreamRequest& request, std::size_t count, TimePoint begin,
                      mirror::Mirror& mirror);

}  // namespace berth::simulation
