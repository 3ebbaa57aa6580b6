#pragma once

#include <cstdint>
#include <string>

#include "simulation/job_stream.h"

namespace berth::simulation {

// The request and the constraints of the job's pod of that number. Called for 0, 1, 2 and on.
void give_shape(const StreamJob& job, std::int32_t number, PodObject& pod);

// The PodGroup of the job with that index, without its limit.
PodGroupObject group_of(const StreamJob& job, std::size_t index, TimePoint begin);

// Of the pod with that number, once the job has been started so many times; and back.
std::string pod_uid(std::size_t job, std::uint32_t epoch, std::int32_t pod);
std::size_t job_of(const std::string& pod_uid);

}  // namespace berth::simulation
