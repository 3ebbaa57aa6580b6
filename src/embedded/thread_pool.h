#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace berth::embedded {

// A thread for each job under way, as kube-scheduler has a goroutine for each binding. A job may
// block for long without delaying others. Idle threads are reused.
class ThreadPool {
 public:
  explicit ThreadPool(std::size_t max_threads) : max_threads_(max_threads) {}
  ~ThreadPool() { stop(); }

  // Any thread. With `max_threads` jobs under way, further jobs wait. After stop() they are
  // dropped.
  void run(std::function<void()> job);
  // Drops waiting jobs and returns when the running ones have ended. Idempotent.
  void stop();

 private:
  void work();

  const std::size_t max_threads_;
  std::mutex mutex_;  // guards all below
  std::condition_variable given_;
  std::deque<std::function<void()>> jobs_;
  std::size_t idle_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace berth::embedded
