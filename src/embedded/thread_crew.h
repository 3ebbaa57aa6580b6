#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace berth::embedded {

// A thread for each job under way, as kube-scheduler has a goroutine for each binding: a job may
// block for long and no other waits for it. Threads that have nothing to do are used again.
class ThreadCrew {
 public:
  explicit ThreadCrew(std::size_t max_threads) : max_threads_(max_threads) {}
  ~ThreadCrew() { stop(); }

  // Any thread. Beyond `max_threads` under way, jobs wait their turn; after stop() they are
  // dropped.
  void run(std::function<void()> job);
  // Drops what waits and returns when what is under way has ended. Idempotent.
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
