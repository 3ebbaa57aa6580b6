#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "support/seeds.h"
#include "support/stage.h"

// Laws of reservations over random streams of jobs, small and big. World checks after each session
// that no other job is placed on a locked node, and that there are no more targets and locks than
// may be (support/lock_laws.h). Here: a target that is covered starts within its bound, all locks
// are gone in the end, and a restart at any cycle changes nothing. A seed that fails is printed;
// BERTH_SEED=<seed> plays it alone, BERTH_LAWS=<n> tries more.

namespace berth::support::reservation_test {
namespace {

constexpr std::uint64_t kSeeds = 75;
constexpr int kArrivals = 30;  // cycles in which jobs come
constexpr int kCycles = 400;   // more than any stream needs to end

// Jobs that come, run for a known time and end. All randomness is here, none in how it is played.
class Stream {
 public:
  // With limits, many jobs say how long they run at the most, and others' nodes are lent to them.
  explicit Stream(std::uint64_t seed, bool has_limits)
      : random_(seed), of_limits_(seed), has_limits_(has_limits) {
    const char* const locks[] = {"cluster", "multi-node", "single-node", "closest-fit"};
    const std::string order = below(random_, 3) == 0 ? "enqueue elect allocate backfill reserve"
                                                     : "elect enqueue reserve allocate backfill";
    std::string reservation =
        std::string("reservation(give-up=0s,lock=") + locks[below(random_, 4)];
    reservation += ",nodes=" + std::to_string(1 + below(random_, 4));
    reservation += ",targets=" + std::to_string(1 + below(random_, 2));
    if (below(random_, 3) == 0) {
      reservation += ",max-locked-nodes=0.6";
      if (seed % 2 == 0) reservation += ",unbounded-after=1m";
    }
    if (has_limits_ && below(of_limits_, 2) == 0) reservation += ",lock-order=ends";
    has_line_ = below(random_, 3) == 0;
    if (has_line_) reservation += ",request-line=cpu=3";
    reservation += ")";
    has_queues_ = below(random_, 2) == 0;
    config_ = config_of(order, "priority gang conformance " + reservation + " / overcommit " +
                                   (has_queues_ ? "proportion " : "") + "predicates nodeorder");
    config_.action_arguments["enqueue"] =
        engine::Arguments({{"admission-timeout", {"0s", false, "test"}}});
    if (has_limits_) {
      const char* const policy = below(of_limits_, 4) == 0 ? "conservative" : "easy";
      trust_ = below(of_limits_, 3) == 0 ? "enforced" : "stated";
      config_.action_arguments["backfill"] = engine::Arguments(
          {{"behind", {policy, false, "test"}}, {"trust", {trust_, false, "test"}}});
    }
    nodes_ = 2 + below(random_, 5);
  }

  const engine::SessionConfig& config() const { return config_; }

  std::string opening() {
    std::string text = "priorityclass high value=10\n";
    for (std::size_t n = 0; n < nodes_; ++n) {
      text += "node n" + std::to_string(n) + " cpu=" + std::to_string(2 + below(random_, 7)) + "\n";
    }
    if (!has_queues_) return text;
    text += "queue q0 capability=cpu:" + std::to_string(4 + below(random_, 12)) + "\n";
    return text + "queue q1 weight=2 guarantee=cpu:" + std::to_string(below(random_, 3)) + "\n";
  }

  // The jobs that come in this cycle, as lines of a scenario.
  std::string arrivals(int cycle) {
    if (cycle >= kArrivals) return "";
    std::string text;
    for (std::size_t i = below(random_, 4); i > 0; --i) {
      const bool is_big = below(random_, 8) == 0;
      const std::size_t pods = is_big ? 2 + below(random_, 5) : 1 + below(random_, 2);
      const std::string name = "j" + std::to_string(++jobs_);
      text += "job " + name + " min=" + std::to_string(pods);
      if (has_queues_) text += " queue=q" + std::to_string(below(random_, 2));
      if (below(random_, 6) == 0) text += " priority=high";
      text += "\n";
      const bool has_limit = has_limits_ && below(of_limits_, 5) > 0;
      const char* const limit = has_limit && below(of_limits_, 3) == 0 ? " deadline=" : " limit=";
      for (std::size_t pod = 0; pod < pods; ++pod) {
        const std::size_t cpu = 1 + below(random_, is_big ? 5 : 2);
        const std::size_t cycles = 1 + below(random_, 9);
        text += "task " + name + "/" + std::to_string(pod) + " cpu=" + std::to_string(cpu);
        // Exact: a bound by ends is one by limits, too.
        if (has_limit) text += limit + std::to_string(10 * cycles) + "s";
        text += "\n";
        cycles_of_["default/" + name + "-" + std::to_string(pod)] = static_cast<int>(cycles);
      }
    }
    return text;
  }

  bool has_queues() const { return has_queues_; }
  bool has_line() const { return has_line_; }
  int cycles_of(const std::string& pod) const { return cycles_of_.at(pod); }

 private:
  Random random_;
  Random of_limits_;
  const bool has_limits_;
  std::string trust_;
  engine::SessionConfig config_;
  bool has_queues_ = false;
  bool has_line_ = false;
  std::size_t nodes_ = 0;
  int jobs_ = 0;
  std::map<std::string, int> cycles_of_;
};

class Play {
 public:
  explicit Play(std::uint64_t seed, bool has_limits = false)
      : stream_(seed, has_limits), world_(stage("", stream_.config())) {
    bring(*world_, stream_.opening());
  }

  // Empty when it has ended well; else what is wrong.
  std::string run(std::optional<int> restart_at) {
    for (int cycle = 0; cycle < kCycles; ++cycle) {
      end_what_is_due(cycle);
      bring(*world_, stream_.arrivals(cycle));
      world_->advance(std::chrono::seconds(10));
      if (restart_at == cycle) world_->restart();
      world_->plan();
      plans_.push_back(world_->last_plan().to_string());
      note_targets(cycle);
      note_starts(cycle);
      world_->carry_out();
      if (!world_->faults().empty()) return world_->faults().front();
      if (!fault_.empty()) return fault_ + ", by the plan\n" + plans_.back();
      if (cycle > kArrivals && ends_.empty() && world_->last_plan().changes_nothing() &&
          world_->cluster().targets().empty()) {
        return last_words();
      }
    }
    return "it has not come to an end; last plan:\n" + plans_.back();
  }

  const std::vector<std::string>& plans() const { return plans_; }
  std::size_t targets_started() const { return targets_started_; }
  std::size_t placed_behind() const { return placed_behind_; }

 private:
  void end_what_is_due(int cycle) {
    std::erase_if(ends_, [&](const auto& entry) {
      if (entry.second > cycle) return false;
      world_->finish(entry.first, true);
      return true;
    });
  }

  // A target that its queue's share or capability holds back keeps no nodes, and no bound holds; a
  // capability never holds back a covered target. Any other target starts, once it is covered, when
  // all others that run on its nodes have ended. Where queues have bounds, it starts when all pods
  // that ran then have ended: their room is kept for it (PROPORTION-7), except from earlier
  // targets.
  void note_targets(int cycle) {
    const Cluster& cluster = world_->cluster();
    std::map<std::string, int> bounds;
    bool is_first = true;
    for (const JobId id : cluster.targets()) {
      const Job& job = cluster.job(id);
      if (job.placed_count() >= job.min_available) {
        ++targets_started_;
        continue;
      }
      if (is_held_by_its_share(job) || is_held_by_its_capability(job)) {
        if (is_first && !is_held_by_its_share(job) && bounds_.contains(job.name)) {
          fault_ = job.name + " was covered, and its queue holds it back";
        }
        if (is_first) uncovered_ = {};
        is_first = false;
        continue;
      }
      const bool is_covered = [&] {
        for (const std::string& each : world_->last_plan().reservations) {
          if (each.starts_with(job.name + " by ")) return !each.ends_with("not covered");
        }
        return false;
      }();
      if (const auto known = bounds_.find(job.name); known != bounds_.end()) {
        if (cycle >= known->second) {
          fault_ = job.name + " is covered and should have started by cycle " +
                   std::to_string(known->second);
        }
        bounds.insert(*known);
      } else if (is_covered && (is_first || !stream_.has_queues())) {
        bounds[job.name] = std::max(cycle + 1, last_end_on_nodes_of(id));
      }
      if (is_first && !is_covered) note_uncovered(job);
      is_first = false;
    }
    bounds_ = std::move(bounds);
  }

  bool is_held_by_its_share(const Job& job) const {
    const auto& refusals = world_->last_plan().refusals;
    const auto refusal = refusals.find(job.name);
    return refusal != refusals.end() && refusal->second.reason == Reason::queue_share_used;
  }

  // LOCK-8. All pods of a job are its minimum.
  bool is_held_by_its_capability(const Job& job) const {
    const Cluster& cluster = world_->cluster();
    const auto& shares = world_->last_plan().shares;
    const bool has_nodes = [&] {
      for (std::size_t n = 0; n < cluster.node_count(); ++n) {
        if (cluster.node(NodeId(n)).lock.job == job.id) return true;
      }
      return false;
    }();
    if (has_nodes || !shares.contains("capability")) return false;
    std::int64_t lacking = 0;
    for (const TaskId id : job.tasks) {
      if (cluster.task(id).status == TaskStatus::pending) {
        lacking += cluster.shape_of(id).request[kCpu];
      }
    }
    const Queue& queue = cluster.queue(job.queue);
    return queue.allocated[kCpu] + lacking > shares.at("capability").at(queue.name).at("cpu");
  }

  // The first in line has a node more in each cycle at the least, and could be held by what may be
  // locked.
  void note_uncovered(const Job& job) {
    if (uncovered_.first != job.name) uncovered_ = {job.name, 0};
    if (++uncovered_.second <= static_cast<int>(world_->cluster().node_count()) + 1) return;
    fault_ = job.name + " is a target and not covered";
  }

  int last_end_on_nodes_of(JobId target) const {
    const Cluster& cluster = world_->cluster();
    int last = 0;
    for (std::size_t n = 0; n < cluster.node_count(); ++n) {
      const Node& node = cluster.node(NodeId(n));
      if (node.lock.job != target && !stream_.has_queues()) continue;
      for (const TaskId id : node.tasks) last = std::max(last, end_of(cluster.task(id)));
    }
    return last;
  }

  int end_of(const Task& task) const {
    const auto known = ends_.find(task.uid);
    // Planned in this very session: it starts now.
    return known != ends_.end() ? known->second
                                : static_cast<int>(plans_.size()) - 1 + stream_.cycles_of(task.uid);
  }

  void note_starts(int cycle) {
    for (const std::string& bind : world_->last_plan().binds) {
      const std::string pod = bind.substr(0, bind.find(' '));
      ends_[pod] = cycle + stream_.cycles_of(pod);
      const Cluster& cluster = world_->cluster();
      const NodeId node = cluster.find_node(bind.substr(bind.rfind(' ') + 1));
      const JobId target = node.is_valid() ? cluster.node(node).lock.job : JobId();
      if (target.is_valid() && cluster.job(target).name + "-0" != pod) ++placed_behind_;
    }
  }

  // In the end no node is locked, and a job that still waits could not start.
  std::string last_words() const {
    const Cluster& cluster = world_->cluster();
    if (cluster.locks().for_targets() > 0) return "nodes are still locked";
    for (const auto& [job, refusal] : world_->last_plan().refusals) {
      const bool could_not =
          refusal.reason == Reason::larger_than_cluster || refusal.reason == Reason::fits_no_node ||
          refusal.reason == Reason::not_packable ||
          refusal.reason == Reason::needs_too_many_nodes ||
          refusal.reason == Reason::pod_too_large || refusal.reason == Reason::queue_too_small;
      // Below the line it is never a target, and scores may leave no place for its last pod.
      const bool is_below = stream_.has_line() && refusal.reason == Reason::gang_incomplete;
      if (!could_not && !is_below) return job + " waits in the end: " + refusal.message;
    }
    return "";
  }

  Stream stream_;
  std::unique_ptr<World> world_;
  std::map<std::string, int> ends_;        // of what runs
  std::map<std::string, int> bounds_;      // of targets that are covered
  std::pair<std::string, int> uncovered_;  // the first in line, and for how many cycles
  std::vector<std::string> plans_;
  std::size_t targets_started_ = 0;
  std::size_t placed_behind_ = 0;  // on nodes of others
  std::string fault_;
};

TEST(Reservation, TargetsThatAreCoveredStartWithinTheirBound) {
  std::size_t started = 0;
  for (const std::uint64_t seed : seeds_where_long(kSeeds)) {
    Play play(seed);
    ASSERT_EQ(play.run(std::nullopt), "") << "BERTH_SEED=" << seed;
    started += play.targets_started();
  }
  EXPECT_GT(started, 0U);
}

// BEHIND-3. The bound holds with other jobs on a target's nodes. World checks each session
// (support/behind_law.h).
TEST(Reservation, TargetsStartWithinTheirBoundWhereLimitsLendTheirNodes) {
  std::size_t lent = 0;
  for (const std::uint64_t seed : seeds_where_long(kSeeds)) {
    Play play(seed, true);
    ASSERT_EQ(play.run(std::nullopt), "") << "BERTH_SEED=" << seed;
    lent += play.placed_behind();
  }
  EXPECT_GT(lent, 0U);
}

TEST(Reservation, ARestartAtAnyCycleChangesNothing) {
  for (const std::uint64_t seed : seeds_where_long(kSeeds / 3)) {
    Play steady(seed);
    ASSERT_EQ(steady.run(std::nullopt), "") << "BERTH_SEED=" << seed;
    Random random(seed);
    const int at = static_cast<int>(below(random, kArrivals + 10));
    Play restarted(seed);
    ASSERT_EQ(restarted.run(at), "") << "BERTH_SEED=" << seed;
    for (std::size_t p = 0; p < std::min(steady.plans().size(), restarted.plans().size()); ++p) {
      ASSERT_EQ(steady.plans()[p], restarted.plans()[p])
          << "BERTH_SEED=" << seed << ", restart at cycle " << at << ", session " << p;
    }
  }
}

}  // namespace
}  // namespace berth::support::reservation_test
