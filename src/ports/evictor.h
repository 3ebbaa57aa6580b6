#pragma once

#include <functional>
#include <string>

#include "ports/pod_writer.h"

namespace berth::ports {

struct Eviction {
  std::string name_space;
  std::string name;
  std::string uid;
  std::string reason;
};

// Asks a pod to leave. Any thread; returns at once. `done` is called at most once, from any thread,
// possibly before evict() returns: not for what is forgotten when another begins to lead. A failed
// one is not tried again.
class Evictor {
 public:
  virtual ~Evictor() = default;
  virtual void evict(const Eviction& eviction, std::function<void(WriteOutcome)> done) = 0;
};

}  // namespace berth::ports
