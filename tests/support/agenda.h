#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "berth/base/executor.h"

namespace berth::support {

// An executor whose time goes from task to task, as far as a test moves it.
class Agenda : public Executor {
 public:
  explicit Agenda(TimePoint now) : now_(now) {}

  TimePoint now() const override { return now_; }
  void after(Duration delay, Task task) override {
    entries_.push_back({now_ + delay, ++last_number_, std::move(task)});
    std::push_heap(entries_.begin(), entries_.end());
  }
  // Goes to the next task and carries it out. False: there is none until then, and it is then.
  bool step(TimePoint until) {
    if (entries_.empty() || entries_.front().due > until) {
      now_ = until;
      return false;
    }
    std::pop_heap(entries_.begin(), entries_.end());
    const Entry next = std::move(entries_.back());
    entries_.pop_back();
    now_ = next.due;
    ++steps_;
    next.task();
    return true;
  }
  void run_until(TimePoint until) {
    while (step(until)) {
    }
  }
  void run_for(Duration length) { run_until(now_ + length); }
  std::uint64_t steps() const { return steps_; }

 private:
  struct Entry {
    TimePoint due;
    std::uint64_t number = 0;
    Task task;
    bool operator<(const Entry& other) const {  // the last in a heap comes first
      return std::pair(due, number) > std::pair(other.due, other.number);
    }
  };

  TimePoint now_;
  std::vector<Entry> entries_;  // a heap
  std::uint64_t last_number_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace berth::support
