#include "forecast/planner.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "forecast/profile.h"

namespace berth::forecast {

namespace {

constexpr std::size_t kKeepsMost = 64;  // at an instant; further jobs start behind nobody

class Planner {
 public:
  Planner(const State& state, const std::function<bool()>& is_cancelled)
      : state_(state),
        rules_(state.rules),
        is_cancelled_(is_cancelled),
        profile_(state, is_cancelled),
        order_(state.waiting.size()) {
    starts_.at.assign(state.waiting.size(), TimePoint::max());
    is_target_.resize(state.waiting.size());
    std::iota(order_.begin(), order_.end(), 0U);
    for (const std::uint32_t job : order_) {
      nodes_needed_.push_back(profile_.nodes_needed(state_.waiting[job]));
      is_target_[job] = state_.waiting[job].target_since ? 1 : 0;
    }
    std::erase_if(order_, [&](std::uint32_t job) { return nodes_needed_[job] == 0; });
  }

  Starts run() {
    while (!order_.empty()) {
      ++starts_.instants;
      serve_all();
      const TimePoint next = profile_.next_end();
      if (next == TimePoint::max() || is_cancelled()) break;
      profile_.pass_to(next);
    }
    return std::move(starts_);
  }

 private:
  bool is_cancelled() const { return is_cancelled_ && is_cancelled_(); }

  const WaitingJob& waiting(std::uint32_t job) const { return state_.waiting[job]; }

  // PLANNER-3. The one that waits longest, of the highest priority.
  void elect() {
    const auto targets = static_cast<std::size_t>(
        std::count_if(order_.begin(), order_.end(), [&](auto job) { return is_target_[job]; }));
    for (std::size_t open = targets; open < rules_.targets; ++open) {
      std::uint32_t best = kNone;
      for (const std::uint32_t job : order_) {
        if (!may_be_elected(job)) continue;
        if (best == kNone || comes_before(job, best)) best = job;
      }
      if (best == kNone) return;
      is_target_[best] = 1;
      std::stable_partition(order_.begin(), order_.end(),
                            [&](std::uint32_t job) { return is_target_[job] != 0; });
    }
  }

  bool comes_before(std::uint32_t left, std::uint32_t right) const {
    const WaitingJob &a = waiting(left), &b = waiting(right);
    return a.priority != b.priority ? a.priority > b.priority : a.since < b.since;
  }

  bool may_be_elected(std::uint32_t job) const {
    const Duration waits = profile_.now() - waiting(job).since;
    if (is_target_[job] != 0 || waits < rules_.target_after) return false;
    const double most = rules_.most_nodes * static_cast<double>(state_.nodes);
    if (static_cast<double>(nodes_needed_[job]) <= most) return true;
    return rules_.unbounded_after > Duration() && waits >= rules_.unbounded_after;
  }

  void serve_all() {
    if (rules_.target_after != Duration::max()) elect();
    for (const std::uint32_t job : order_) {
      if (is_target_[job] != 0) profile_.choose_nodes(job, rules_.locks_all);
    }
    headed_.clear();
    closed_.clear();
    for (const std::uint32_t job : order_) serve(job);
    std::erase_if(order_, [&](std::uint32_t job) { return starts_.at[job] != TimePoint::max(); });
  }

  void serve(std::uint32_t job) {
    const WaitingJob& asks = waiting(job);
    const bool is_fifo = state_.queues[asks.queue].is_fifo;
    if (closed_.contains(asks.queue)) return;
    if (profile_.is_beyond_queue(asks)) {
      if (is_fifo) closed_.insert(asks.queue);
      return;
    }
    if (profile_.start(job)) {
      starts_.at[job] = profile_.now();
      return;
    }
    if (is_target_[job] != 0) return keep_for_target(job);
    if (is_fifo) keep_for_first(job, asks.queue);
  }

  // PLANNER-2
  void keep_for_target(std::uint32_t job) {
    const TimePoint start =
        rules_.behind == Rules::Behind::off ? TimePoint::max() : profile_.earliest(job);
    if (start == TimePoint::max()) return profile_.close(job);
    profile_.keep(job, start);
  }

  void keep_for_first(std::uint32_t job, std::uint32_t queue) {
    const bool is_first = headed_.insert(queue).second;
    const bool keeps_all = rules_.behind == Rules::Behind::conservative;
    if (!is_first && !keeps_all) return;
    const bool may_keep = rules_.behind != Rules::Behind::off && profile_.keeps() < kKeepsMost;
    const TimePoint start = may_keep ? profile_.earliest(job) : TimePoint::max();
    if (start == TimePoint::max()) {
      closed_.insert(queue);
    } else {
      profile_.keep(job, start);
    }
  }

  const State& state_;
  const Rules& rules_;
  const std::function<bool()>& is_cancelled_;
  Profile profile_;
  std::vector<std::uint32_t> order_;  // jobs that wait still
  std::vector<std::uint8_t> is_target_;
  std::vector<std::size_t> nodes_needed_;
  std::set<std::uint32_t> headed_, closed_;  // queues, of this instant
  Starts starts_;
};

}  // namespace

Starts plan_starts(const State& state, const std::function<bool()>& is_cancelled) {
  return Planner(state, is_cancelled).run();
}

std::vector<TimePoint> latest_starts(const State& state,
                                     const std::function<bool()>& is_cancelled) {
  std::vector<TimePoint> starts(state.waiting.size(), TimePoint::max());
  // Nodes that are kept for a target may be those of a promise by backfill.
  const bool are_promises = state.rules.target_after == Duration::max();
  for (std::size_t job = 0; job < starts.size() && are_promises; ++job) {
    starts[job] = state.waiting[job].promised.value_or(TimePoint::max());
  }
  Profile profile(state, is_cancelled);
  for (const std::uint32_t job : std::set(state.kept_for.begin(), state.kept_for.end())) {
    if (job == kNone || !state.waiting[job].is_plain) continue;
    if (profile.is_beyond_queue(state.waiting[job])) continue;
    const TimePoint start = profile.earliest(job);
    if (start <= later(*state.waiting[job].target_since, state.rules.give_up)) starts[job] = start;
  }
  return starts;
}

}  // namespace berth::forecast
