#pragma once

#include "berth/model/permissions.h"

namespace berth::ports {

// Asks the API server who may name a target. Any thread.
class Access {
 public:
  virtual ~Access() = default;
  // Returns at once. The answer comes as an event of the cluster (RightAnswer); none comes after
  // the cluster has stopped.
  virtual void ask(const RightQuestion& question) = 0;
};

}  // namespace berth::ports
