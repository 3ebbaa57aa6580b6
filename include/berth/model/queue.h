#pragma once

#include <string>

#include "berth/base/clock.h"
#include "berth/model/objects.h"
#include "berth/model/resources.h"

namespace berth {

// A tenant's line of jobs.
struct Queue {
  std::string name;
  std::string uid;
  TimePoint created;
  bool exists = false;  // false: the id is free
  std::int32_t weight = 1;
  std::int32_t priority = 0;
  bool is_reclaimable = true;
  std::string parent;
  QueueState state = QueueState::open;
  ResourceLimits capability;
  Resources guarantee;
  Resources allocated;  // by tasks of its jobs that are_allocated
};

}  // namespace berth
