#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "berth/base/clock.h"

namespace berth::kubeapi {

// Runs tasks later, one by one, on a thread of its own. Any thread.
class Timer {
 public:
  Timer();
  ~Timer();  // stop()
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  // stop() drops tasks that are not due. `task` must not block.
  void after(Duration delay, std::function<void()> task);
  // Returns when no task runs. Idempotent; not from a task.
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
