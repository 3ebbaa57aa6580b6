#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "berth/base/clock.h"

namespace berth::kubeapi {

// Does things later, on a thread of its own, one after the other. Any thread.
class Timer {
 public:
  Timer();
  ~Timer();  // stop()
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  // What is not due at stop() is dropped. `task` must not block.
  void after(Duration delay, std::function<void()> task);
  // Returns when no task runs any more. Idempotent; not from a task.
  void stop();

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::multimap<std::chrono::steady_clock::time_point, std::function<void()>> tasks_;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace berth::kubeapi
