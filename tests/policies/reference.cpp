#include "policies/reference.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <numeric>

namespace berth::policies {

namespace {

using Time = std::int64_t;

// In every build, unlike assert().
void must(bool holds, const char* law) {
  if (holds) return;
  std::fprintf(stderr, "the reference is wrong: %s\n", law);
  std::abort();
}

// The clock, the line and the machine; a policy decides.
class Policy {
 public:
  Policy(const std::vector<RefJob>& jobs, std::int64_t nodes)
      : jobs_(jobs), starts_(jobs.size()), free_(nodes), nodes_(nodes) {}
  virtual ~Policy() = default;

  Starts run() {
    std::vector<std::size_t> order(jobs_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
      return jobs_[left].submit < jobs_[right].submit;
    });
    for (const std::size_t job : order) {
      if (jobs_[job].nodes <= nodes_) coming_.push_back(job);
    }
    while (!coming_.empty() || !waiting_.empty() || !running_.empty()) {
      now_ = next_instant();
      end_jobs();
      while (!coming_.empty() && jobs_[coming_.front()].submit == now_) {
        waiting_.push_back(coming_.front());
        coming_.erase(coming_.begin());
        arrived(waiting_.back());
      }
      while (decide()) end_jobs();
    }
    return starts_;
  }

 protected:
  // Starts jobs of waiting_. True: some.
  virtual bool decide() = 0;
  virtual void arrived(std::size_t) {}
  virtual void ended_early() {}
  static Time planned_length(const RefJob& job) { return std::max<Time>(job.limit, 1); }

  bool fits(std::size_t job) const { return jobs_[job].nodes <= free_; }
  // A running job ends then at the latest, as a plan knows it.
  Time planned_end(std::size_t job) const { return *starts_[job] + planned_length(jobs_[job]); }

  void start(std::size_t job) {
    must(fits(job), "a job starts without nodes");
    free_ -= jobs_[job].nodes;
    starts_[job] = now_;
    running_.push_back(job);
    waiting_.erase(std::find(waiting_.begin(), waiting_.end(), job));
  }

  const std::vector<RefJob>& jobs_;
  Starts starts_;
  Time now_ = 0;
  std::int64_t free_;
  std::vector<std::size_t> running_;
  std::vector<std::size_t> waiting_;  // in the order of arrival

  const std::int64_t nodes_;

 private:
  Time end(std::size_t job) const {
    return *starts_[job] + std::min(jobs_[job].run, jobs_[job].limit);
  }

  Time next_instant() const {
    Time next = std::numeric_limits<Time>::max();
    if (!coming_.empty()) next = jobs_[coming_.front()].submit;
    for (const std::size_t job : running_) next = std::min(next, end(job));
    must(next != std::numeric_limits<Time>::max(), "jobs wait for nothing");
    return next;
  }

  void end_jobs() {
    bool is_early = false;
    std::vector<std::size_t> still;
    for (const std::size_t job : running_) {
      if (end(job) > now_) {
        still.push_back(job);
        continue;
      }
      free_ += jobs_[job].nodes;
      if (planned_end(job) > now_) is_early = true;
    }
    running_ = still;
    if (is_early) ended_early();
  }

  std::vector<std::size_t> coming_;  // in the order of arrival
};

class Fcfs : public Policy {
 public:
  using Policy::Policy;

 protected:
  bool decide() override {
    bool any = false;
    while (!waiting_.empty() && fits(waiting_.front())) {
      start(waiting_.front());
      any = true;
    }
    return any;
  }
};

class Easy : public Fcfs {
 public:
  Easy(const std::vector<RefJob>& jobs, std::int64_t nodes, const OnPromise& look)
      : Fcfs(jobs, nodes), look_(look) {}

 protected:
  bool decide() override {
    bool any = Fcfs::decide();
    if (waiting_.empty()) return any;
    const std::size_t head = waiting_.front();
    const Time shadow = shadow_of(head);
    if (look_) look_({now_, head, shadow});
    std::int64_t extra = free_at(shadow) - jobs_[head].nodes;
    const std::vector<std::size_t> others(waiting_.begin() + 1, waiting_.end());
    for (const std::size_t job : others) {
      if (!fits(job)) continue;
      if (now_ + planned_length(jobs_[job]) > shadow) {
        if (jobs_[job].nodes > extra) continue;
        extra -= jobs_[job].nodes;
      }
      start(job);
      any = true;
    }
    return any;
  }

 private:
  std::int64_t free_at(Time time) const {
    std::int64_t free = free_;
    for (const std::size_t job : running_) {
      if (planned_end(job) <= time) free += jobs_[job].nodes;
    }
    return free;
  }

  Time shadow_of(std::size_t head) const {
    Time shadow = std::numeric_limits<Time>::max();
    for (const std::size_t job : running_) {
      const Time time = planned_end(job);
      if (free_at(time) >= jobs_[head].nodes) shadow = std::min(shadow, time);
    }
    must(shadow != std::numeric_limits<Time>::max(), "the head has no shadow");
    return shadow;
  }

  const OnPromise& look_;
};

// The nodes in use, over time.
class Profile {
 public:
  explicit Profile(std::int64_t nodes) : nodes_(nodes) {}

  void add(Time begin, Time end, std::int64_t nodes) {
    changes_[begin] += nodes;
    changes_[end] -= nodes;
  }

  // The first time from `from` on when so many nodes are free for so long.
  Time earliest(Time from, Time length, std::int64_t nodes) const {
    Time start = from;
    std::int64_t used = 0;  // until the next change
    for (const auto& [time, change] : changes_) {
      if (time > from) {
        if (used + nodes > nodes_) {
          start = time;
        } else if (time - start >= length) {
          return start;
        }
      }
      used += change;
    }
    must(used == 0, "the profile has an end");
    return start;
  }

 private:
  std::int64_t nodes_;
  std::map<Time, std::int64_t> changes_;
};

class Conservative : public Policy {
 public:
  Conservative(const std::vector<RefJob>& jobs, std::int64_t nodes, const OnPromise& look)
      : Policy(jobs, nodes), promised_(jobs.size()), look_(look) {}

 protected:
  bool decide() override {
    bool any = false;
    for (const std::size_t job : std::vector<std::size_t>(waiting_)) {
      must(promised_[job] >= now_, "a promise is missed");
      if (promised_[job] > now_) continue;
      start(job);
      any = true;
    }
    return any;
  }

  void arrived(std::size_t job) override {
    Profile profile = profile_of_running();
    for (const std::size_t other : waiting_) {
      if (other != job) add(profile, other);
    }
    promise(profile, job);
  }

  void ended_early() override {
    std::vector<std::size_t> order = waiting_;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
      return promised_[left] < promised_[right];
    });
    Profile profile = profile_of_running();
    for (const std::size_t job : order) {
      const Time before = promised_[job];
      promise(profile, job);
      must(promised_[job] <= before, "a promise becomes later");
    }
  }

 private:
  Profile profile_of_running() const {
    Profile profile(nodes_);
    for (const std::size_t job : running_) profile.add(now_, planned_end(job), jobs_[job].nodes);
    return profile;
  }

  void add(Profile& profile, std::size_t job) const {
    const Time begin = promised_[job];
    profile.add(begin, begin + planned_length(jobs_[job]), jobs_[job].nodes);
  }

  void promise(Profile& profile, std::size_t job) {
    promised_[job] = profile.earliest(now_, planned_length(jobs_[job]), jobs_[job].nodes);
    add(profile, job);
    if (look_) look_({now_, job, promised_[job]});
  }

  std::vector<Time> promised_;
  const OnPromise& look_;
};

}  // namespace

Starts fcfs(const std::vector<RefJob>& jobs, std::int64_t nodes) { return Fcfs(jobs, nodes).run(); }

Starts easy(const std::vector<RefJob>& jobs, std::int64_t nodes, const OnPromise& look) {
  return Easy(jobs, nodes, look).run();
}

Starts conservative(const std::vector<RefJob>& jobs, std::int64_t nodes, const OnPromise& look) {
  return Conservative(jobs, nodes, look).run();
}

}  // namespace berth::policies
