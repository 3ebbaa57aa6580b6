#include "berth/base/thread_executor.h"

#include <future>
#include <memory>

#include "berth/base/thread_name.h"

namespace berth {

ThreadExecutor::ThreadExecutor(const ScaledClock& clock, const std::string& name) : clock_(clock) {
  thread_ = std::thread([this, name] { work(name); });
}

void ThreadExecutor::after(Duration delay, Task task) {
  const std::lock_guard lock(mutex_);
  if (is_stopping_) return;
  tasks_.emplace(std::pair(clock_.now() + delay, ++last_number_), std::move(task));
  changed_.notify_one();  // under the lock: the task may be the one that lets this executor end
}

// A task that is dropped breaks its promise, which ends the wait as well.
void ThreadExecutor::run(const Task& task) {
  auto done = std::make_shared<std::promise<void>>();
  const std::future<void> is_done = done->get_future();
  post([&task, done] {
    task();
    done->set_value();
  });
  done.reset();
  is_done.wait();
}

void ThreadExecutor::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
  decltype(tasks_) dropped;  // what they hold may call back
  const std::lock_guard lock(mutex_);
  dropped.swap(tasks_);
}

void ThreadExecutor::work(const std::string& name) {
  name_thread(name);
  std::unique_lock lock(mutex_);
  while (!is_stopping_) {
    if (tasks_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const TimePoint due = tasks_.begin()->first.first;
    if (due > clock_.now()) {
      changed_.wait_until(lock, clock_.steady(due));
      continue;
    }
    auto next = tasks_.extract(tasks_.begin());
    lock.unlock();
    next.mapped()();
    next = {};  // what it holds may call back
    lock.lock();
  }
}

}  // namespace berth
