#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace berth::ports {

// A pod that does not run yet.
struct PendingPod {
  std::string uid;
  std::string scheduler;
  std::string node;  // empty: it is not bound
};

// Reads them past all watches, as they are at a moment after the call (LEASE-9). Any thread.
class PendingPods {
 public:
  using Done = std::function<void(std::optional<std::vector<PendingPod>>)>;

  virtual ~PendingPods() = default;
  // Returns at once; `done` is called exactly once, from any thread. None: they cannot be read now.
  virtual void read(Done done) = 0;
};

}  // namespace berth::ports
