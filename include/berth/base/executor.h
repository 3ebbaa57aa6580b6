#pragma once

#include <functional>
#include <utility>

#include "berth/base/clock.h"

namespace berth {

// One line of work by one clock: a thread, or a simulation that goes from task to task. All of one
// part's state belongs to one executor, so it needs no lock.
class Executor : public Clock {
 public:
  using Task = std::function<void()>;

  // Carries the task out when so much time has passed; returns at once. Of tasks for one moment,
  // the first that was given comes first.
  virtual void after(Duration delay, Task task) = 0;
  void post(Task task) { after(Duration(), std::move(task)); }
};

}  // namespace berth
