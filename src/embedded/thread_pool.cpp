#include "embedded/thread_pool.h"

#include <system_error>
#include <utility>

#include "berth/base/check.h"

namespace berth::embedded {

void ThreadPool::run(std::function<void()> job) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return;
  jobs_.push_back(std::move(job));
  if (jobs_.size() <= idle_) {
    given_.notify_one();
    return;
  }
  if (threads_.size() >= max_threads_) return;
  try {
    threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    // The system has no more threads, so the job waits for an existing one.
    BERTH_CHECK(!threads_.empty());
  }
}

void ThreadPool::stop() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    jobs_.clear();
    threads.swap(threads_);
  }
  given_.notify_all();
  for (std::thread& thread : threads) thread.join();
}

void ThreadPool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    given_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    --idle_;
    if (stopping_) return;
    std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    job = nullptr;
    lock.lock();
  }
}

}  // namespace berth::embedded
