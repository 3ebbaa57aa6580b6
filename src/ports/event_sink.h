#pragma once

#include "berth/model/event.h"

namespace berth::ports {

// Where adapters leave what they saw. Any thread; never blocks for long.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void post(ClusterEvent event) = 0;
};

}  // namespace berth::ports
