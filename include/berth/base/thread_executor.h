#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "berth/base/executor.h"
#include "berth/base/scaled_clock.h"

namespace berth {

// An executor on a thread of its own.
class ThreadExecutor final : public Executor {
 public:
  // `clock` must outlive it. `name`: of the thread, 15 characters at most.
  ThreadExecutor(const ScaledClock& clock, const std::string& name);
  ~ThreadExecutor() override { stop(); }

  TimePoint now() const override { return clock_.now(); }
  void after(Duration delay, Task task) override;  // any thread; dropped after stop()
  // Returns when the task has been carried out, or after stop(). Any thread but its own.
  void run(const Task& task);
  // The task under way ends, the others are dropped. Idempotent. Any thread but its own.
  void stop();

 private:
  void work(const std::string& name);

  const ScaledClock& clock_;
  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::map<std::pair<TimePoint, std::uint64_t>, Task> tasks_;
  std::uint64_t last_number_ = 0;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace berth
