#pragma once

#include <condition_variable>
#include <mutex>

#include "ports/cluster_source.h"

namespace berth::daemon {

// Synced when the test says so.
class FakeSource final : public ports::ClusterSource {
 public:
  Status start(ports::EventSink&) override { return Done{}; }
  bool is_synced() const override {
    const std::lock_guard lock(mutex_);
    ++asked_;
    changed_.notify_all();
    return synced_;
  }
  void stop() override {}

  void set_synced() {
    const std::lock_guard lock(mutex_);
    synced_ = true;
  }
  // Until it has been asked so often again.
  bool wait_for_questions(int count) const {
    std::unique_lock lock(mutex_);
    const int until = asked_ + count;
    return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return asked_ >= until; });
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable int asked_ = 0;
  bool synced_ = false;
};

}  // namespace berth::daemon
