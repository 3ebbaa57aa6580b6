#pragma once

#include <optional>
#include <string_view>

#include "berth/base/clock.h"
#include "kubeapi/request.h"

namespace berth::kubeapi {

// Comes next: a request, a pause, or neither, and it is over.
struct Step {
  std::optional<Request> request = {};
  bool is_watch = false;  // the answer is a stream
  std::optional<Duration> pause = {};
};

// Something that talks with the API server: it says what comes next, and gets what came. It has no
// thread, lock, socket or clock of its own, so a simulation carries out its steps as a
// MachineThread does. One thread at a time.
class StateMachine {
 public:
  virtual ~StateMachine() = default;

  virtual Step step() = 0;  // at first, and after a pause
  // To a request; of a watch, its end.
  virtual Step answered(Response response) = 0;
  // A line or frame of a watch. False: the watch is to be given up.
  virtual bool take([[maybe_unused]] std::string_view frame) { return false; }
  // It is to end: instead of step(), or of the answer to a request that was given up.
  virtual Step stop() { return {}; }
};

}  // namespace berth::kubeapi
