#pragma once

#include <memory>
#include <mutex>
#include <utility>

namespace berth::ports {

// One writer, many readers of a shared const value. Readers keep what they loaded for as long as
// they need it. A mutex around a pointer copy: std::atomic<shared_ptr> of libstdc++ 12 draws
// reports from the thread sanitizer.
template <class T>
class Published {
 public:
  explicit Published(std::shared_ptr<const T> value) : value_(std::move(value)) {}

  std::shared_ptr<const T> load() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }
  void store(std::shared_ptr<const T> value) {
    const std::lock_guard lock(mutex_);
    value_.swap(value);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const T> value_;
};

}  // namespace berth::ports
