#pragma once

#include <cstdint>

#include "simulation/job_stream.h"

namespace berth::simulation {

// The request and the constraints of the job's pod of that number. Called for 0, 1, 2 and on.
void give_shape(const StreamJob& job, std::int32_t number, PodObject& pod);

}  // namespace berth::simulation
