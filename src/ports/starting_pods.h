#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

namespace berth::ports {

// The pods of ours that are bound and do not run yet (LEASE-9), read past all watches. Any thread.
class StartingPods {
 public:
  // Their uids, at a moment after the call. None: they cannot be read now.
  using Done = std::function<void(std::optional<std::set<std::string>>)>;

  virtual ~StartingPods() = default;
  // Returns at once; `done` is called exactly once, from any thread.
  virtual void read(Done done) = 0;
};

}  // namespace berth::ports
