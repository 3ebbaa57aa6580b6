#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace berth::ports {

struct Binding {
  std::string name_space;
  std::string name;
  std::string uid;  // a precondition: another pod of the same name is not bound
  std::string node;
  std::uint64_t epoch = 0;  // LEASE-2: of the leader whose plan it carries out
};

struct BindOutcome {
  bool bound = false;  // true also when it was already bound to this very node
  std::string error;   // why not, otherwise
};

// Binds a pod to a node. Any thread.
class Binder {
 public:
  virtual ~Binder() = default;
  // Returns at once; `done` is called exactly once, from any thread, possibly before this returns.
  virtual void bind(const Binding& binding, std::function<void(BindOutcome)> done) = 0;
};

}  // namespace berth::ports
