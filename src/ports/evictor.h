#pragma once

#include <string>

namespace berth::ports {

struct Eviction {
  std::string name_space;
  std::string name;
  std::string uid;
  std::string reason;
};

// Asks a pod to leave. Any thread; returns at once; the outcome is seen as cluster events.
class Evictor {
 public:
  virtual ~Evictor() = default;
  virtual void evict(const Eviction& eviction) = 0;
};

}  // namespace berth::ports
