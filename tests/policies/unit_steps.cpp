#include "policies/unit_steps.h"

#include <algorithm>
#include <tuple>

namespace berth::policies {

namespace {

enum class State : std::uint8_t { away, waiting, running, ended };

struct Entry {
  RefJob job;
  std::size_t number = 0;
  State state = State::away;
  std::int64_t start = 0;  // of a waiting job: promised

  bool holds(std::int64_t second, std::int64_t length) const {
    return start <= second && second < start + length;
  }
};

class SecondBySecond {
 public:
  SecondBySecond(const std::vector<RefJob>& jobs, std::int64_t nodes) : nodes_(nodes) {
    for (const RefJob& job : jobs) line_.push_back({job, line_.size()});
    std::sort(line_.begin(), line_.end(), [](const Entry& left, const Entry& right) {
      return std::tie(left.job.submit, left.number) < std::tie(right.job.submit, right.number);
    });
  }
  virtual ~SecondBySecond() = default;

  Starts play() {
    Starts starts(line_.size());
    while (std::any_of(line_.begin(), line_.end(), [&](const Entry& entry) {
      return entry.state != State::ended && entry.job.nodes <= nodes_;
    })) {
      for (bool changed = true; changed;) {
        changed = end();
        arrive();
        while (start_one()) changed = true;
      }
      ++now_;
    }
    for (const Entry& entry : line_) {
      if (entry.state == State::ended) starts[entry.number] = entry.start;
    }
    return starts;
  }

 protected:
  static std::int64_t length(const Entry& entry) {
    return std::max<std::int64_t>(entry.job.limit, 1);
  }

  virtual bool start_one() = 0;
  virtual void after_ends() {}
  virtual void arrived(Entry&) {}

  std::int64_t free() const {
    std::int64_t free = nodes_;
    for (const Entry& entry : line_) {
      if (entry.state == State::running) free -= entry.job.nodes;
    }
    return free;
  }
  bool start(Entry& entry) {
    entry.state = State::running;
    entry.start = now_;
    return true;
  }

  std::vector<Entry> line_;
  std::int64_t nodes_;
  std::int64_t now_ = 0;

 private:
  bool end() {
    bool any = false;
    for (Entry& entry : line_) {
      if (entry.state != State::running) continue;
      if (entry.start + std::min(entry.job.run, entry.job.limit) > now_) continue;
      entry.state = State::ended;
      any = true;
    }
    after_ends();
    return any;
  }
  void arrive() {
    for (Entry& entry : line_) {
      if (entry.state != State::away || entry.job.submit != now_) continue;
      if (entry.job.nodes > nodes_) continue;
      entry.state = State::waiting;
      arrived(entry);
    }
  }
};

class EasyBySeconds : public SecondBySecond {
 public:
  using SecondBySecond::SecondBySecond;

 private:
  bool start_one() override {
    const Entry* head = nullptr;
    for (Entry& entry : line_) {
      if (entry.state != State::waiting) continue;
      if (head == nullptr) head = &entry;
      if (entry.job.nodes > free()) continue;
      if (head == &entry) return start(entry);
      if (earliest(*head, &entry) <= earliest(*head, nullptr)) return start(entry);
    }
    return false;
  }

  // If `other` starts now.
  std::int64_t earliest(const Entry& head, const Entry* other) const {
    for (std::int64_t second = now_;; ++second) {
      std::int64_t used = head.job.nodes;
      for (const Entry& entry : line_) {
        if (entry.state == State::running && entry.holds(second, length(entry))) {
          used += entry.job.nodes;
        }
      }
      if (other != nullptr && second < now_ + length(*other)) used += other->job.nodes;
      if (used <= nodes_) return second;
    }
  }
};

class ConservativeBySeconds : public SecondBySecond {
 public:
  using SecondBySecond::SecondBySecond;

 private:
  bool start_one() override {
    for (Entry& entry : line_) {
      if (entry.state == State::waiting && entry.start == now_) return start(entry);
    }
    return false;
  }
  void arrived(Entry& entry) override { entry.start = earliest(entry); }
  void after_ends() override {
    std::vector<Entry*> order;
    for (Entry& entry : line_) {
      if (entry.state == State::waiting) order.push_back(&entry);
    }
    std::stable_sort(order.begin(), order.end(), [](const Entry* left, const Entry* right) {
      return left->start < right->start;
    });
    for (Entry* entry : order) entry->start = earliest(*entry);
  }

  std::int64_t earliest(const Entry& entry) const {
    std::int64_t start = now_;
    for (std::int64_t second = now_; second < start + length(entry); ++second) {
      if (used_by_others(entry, second) + entry.job.nodes > nodes_) start = second + 1;
    }
    return start;
  }
  std::int64_t used_by_others(const Entry& except, std::int64_t second) const {
    std::int64_t used = 0;
    for (const Entry& entry : line_) {
      if (&entry == &except || entry.state == State::away || entry.state == State::ended) continue;
      if (entry.holds(second, length(entry))) used += entry.job.nodes;
    }
    return used;
  }
};

}  // namespace

Starts easy_by_seconds(const std::vector<RefJob>& jobs, std::int64_t nodes) {
  return EasyBySeconds(jobs, nodes).play();
}

Starts conservative_by_seconds(const std::vector<RefJob>& jobs, std::int64_t nodes) {
  return ConservativeBySeconds(jobs, nodes).play();
}

}  // namespace berth::policies
