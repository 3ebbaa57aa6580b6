#include "kubeapi/timer.h"

#include <utility>

#include "berth/base/thread_name.h"

namespace berth::kubeapi {

Timer::Timer() : thread_([this] { run(); }) {}

Timer::~Timer() { stop(); }

void Timer::after(Duration delay, std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  if (is_stopping_) return;
  tasks_.emplace(std::chrono::steady_clock::now() + delay, std::move(task));
  changed_.notify_one();
}

void Timer::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    tasks_.clear();
    changed_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void Timer::run() {
  name_thread("timer");
  std::unique_lock lock(mutex_);
  while (!is_stopping_) {
    if (tasks_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const auto due = tasks_.begin()->first;
    if (std::chrono::steady_clock::now() < due) {
      changed_.wait_until(lock, due);
      continue;
    }
    const auto task = tasks_.extract(tasks_.begin()).mapped();
    lock.unlock();
    task();
    lock.lock();
  }
}

}  // namespace berth::kubeapi
