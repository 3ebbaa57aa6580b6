#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace berth::kubeapi::testing {

// A value that one thread changes and another waits for.
template <class T>
class Awaited {
 public:
  void change(const std::function<void(T&)>& by) {
    const std::lock_guard lock(mutex_);
    by(value_);
    changed_.notify_all();
  }
  void set(T value) {
    change([&](T& old) { old = std::move(value); });
  }
  T get() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }
  // False after 20 s without success.
  bool wait(const std::function<bool(const T&)>& condition) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return condition(value_); });
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  T value_{};
};

// False after this long without success. For changes without a notification.
inline bool until(const std::function<bool()>& condition,
                  std::chrono::seconds most = std::chrono::seconds(20)) {
  const auto deadline = std::chrono::steady_clock::now() + most;
  while (!condition() && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  return condition();
}

}  // namespace berth::kubeapi::testing
