#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "ports/cluster_source.h"
#include "ports/evictor.h"
#include "ports/pod_writer.h"
#include "ports/status_sink.h"

namespace berth::daemon {

// Remembers what the ports were asked for, and lets a test wait for it. Any thread.
class RecordingPorts final : public ports::PodWriter,
                             public ports::StatusSink,
                             public ports::Evictor {
 public:
  struct Told {
    std::vector<std::string> nominations;  // "pod on node"
    std::vector<std::string> commits;      // "pod on node"
    std::vector<ports::Event> events;
    std::vector<ports::QueueStatus> queues;
    std::vector<ports::GroupStatus> statuses;
    std::vector<ports::NodeLock> locks;
    std::vector<ports::JobMarks> marks;
    std::vector<ports::Eviction> evictions;
    std::vector<std::string> lines;
  };

  void write(const ports::PodWrite& write, std::function<void(ports::WriteOutcome)> done) override {
    using Kind = ports::PodWrite::Kind;
    if (write.kind == Kind::nominate && on_nominate) on_nominate(write.uid);
    note([&] {
      const std::string what = write.uid + " on " + write.node;
      if (write.kind == Kind::nominate) told_.nominations.push_back(what);
      if (write.kind == Kind::commit) told_.commits.push_back(what);
    });
    done({});
  }
  void record(const ports::GangRecord&, std::function<void(ports::WriteOutcome)> done) override {
    done({});
  }
  void tell(const ports::Event& event) override {
    note([&] { told_.events.push_back(event); });
  }
  void write(const ports::QueueStatus& status) override {
    note([&] { told_.queues.push_back(status); });
  }
  void write(const ports::NodeLock& lock) override {
    note([&] { told_.locks.push_back(lock); });
  }
  void write(const ports::JobMarks& job) override {
    note([&] { told_.marks.push_back(job); });
  }
  void write(const ports::GroupStatus& status) override {
    note([&] { told_.statuses.push_back(status); });
  }
  void evict(const ports::Eviction& eviction,
             std::function<void(ports::WriteOutcome)> done) override {
    note([&] { told_.evictions.push_back(eviction); });
    done(eviction_outcome);
  }
  void tell(const std::string& line) {
    note([&] { told_.lines.push_back(line); });
  }

  // What came since the last call.
  Told take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(told_, {});
  }
  bool wait(const std::function<bool(const Told&)>& is_so) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return is_so(told_); });
  }

  // Set before there are threads.
  std::function<void(const std::string& pod_uid)> on_nominate;
  ports::WriteOutcome eviction_outcome;

 private:
  template <class Note>
  void note(Note&& take_down) {
    const std::lock_guard lock(mutex_);
    take_down();
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  Told told_;
};

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
