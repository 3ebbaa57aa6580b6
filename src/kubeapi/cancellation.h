#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>

#include "berth/base/clock.h"

namespace berth::kubeapi {

// Ends the waits of one thread from another. Any thread; cannot be undone.
class Cancellation {
 public:
  void cancel() { source_.request_stop(); }
  bool is_cancelled() const { return source_.stop_requested(); }
  std::stop_token token() const { return source_.get_token(); }

  // Waits for that long. True if cancelled.
  bool wait_for(Duration duration) {
    std::unique_lock lock(mutex_);
    woken_.wait_for(lock, token(), duration, [] { return false; });
    return is_cancelled();
  }

 private:
  std::stop_source source_;
  std::mutex mutex_;
  std::condition_variable_any woken_;
};

}  // namespace berth::kubeapi
