#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "engine/scheduler.h"
#include "mirror/mirror.h"
#include "property/victim_search.h"
#include "support/cluster_text.h"
#include "support/seeds.h"

// The victims that preempt and reclaim choose, against the fewest that would do
// (victim_search.h). BERTH_SEED=<seed> plays one alone, BERTH_LAWS=<n> tries more and prints how
// the numbers are distributed.

namespace berth::support {
namespace {

constexpr std::uint64_t kSeeds = 1500;

struct Kind {
  bool is_reclaim = false;
  int resources = 1;
};

// A full cluster of up to four nodes and twelve jobs, one of which waits.
class SmallCluster {
 public:
  SmallCluster(std::uint64_t seed, Kind kind) : random_(seed * 7919 + 3), kind_(kind) {
    for (int value = 0; value < 3; ++value) {
      mirror_.apply(PriorityClassObject{"p" + std::to_string(value), value, false, false});
    }
    queues_ = kind.is_reclaim ? between(2, 3) : 1;
    for (std::int64_t q = 0; q < queues_; ++q) {
      QueueObject queue = mirror::bare_queue("q" + std::to_string(q));
      queue.weight = static_cast<std::int32_t>(between(1, 2));
      queue.reclaimable = below(random_, 4) != 0;
      mirror_.apply(queue);
    }
    nodes_.resize(static_cast<std::size_t>(between(1, 4)));
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      nodes_[n].name = "n" + std::to_string(n);
      nodes_[n].uid = nodes_[n].name;
      nodes_[n].allocatable = {{"cpu", between(3, 9) * 1000}, {"pods", 110}};
      if (kind.resources > 1) nodes_[n].allocatable["memory"] = between(3, 9);
      mirror_.apply(nodes_[n]);
    }
    for (std::int64_t jobs = between(2, 11); jobs > 0; --jobs) bring_job(true);
    bring_job(false);
    mirror_.settle(now());
  }

  static TimePoint now() { return TimePoint(std::chrono::seconds(1'800'000'000)); }
  Cluster& cluster() { return mirror_.cluster_for_session(); }
  JobId claimant() const { return mirror_.find_group(claimant_); }

 private:
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least +
           static_cast<std::int64_t>(below(random_, static_cast<std::size_t>(most - least + 1)));
  }

  NamedAmounts request(bool is_running) {
    NamedAmounts amounts{{"cpu", between(1, is_running ? 3 : 4) * 1000}, {"pods", 1}};
    if (kind_.resources > 1) amounts["memory"] = between(1, is_running ? 3 : 4);
    return amounts;
  }

  void bring_job(bool runs) {
    PodGroupObject group;
    group.name_space = "default";
    group.name = "j" + std::to_string(jobs_++);
    group.uid = group.name;
    group.scheduler = "berth";
    group.queue = "q" + std::to_string(runs ? between(0, queues_ - 1) : 0);
    group.priority_class = "p" + std::to_string(runs ? between(0, 2) : between(1, 2));
    std::vector<PodObject> pods;
    const NamedAmounts alike = request(runs);
    const bool are_alike = below(random_, 4) != 0;
    for (std::int64_t size = between(1, 4); size > 0; --size) {
      PodObject pod;
      pod.name_space = "default";
      pod.group = group.name;
      pod.name = group.name + "-" + std::to_string(pods.size());
      pod.uid = pod.name;
      pod.index = static_cast<std::int64_t>(pods.size());
      pod.scheduler_name = "berth";
      pod.priority_class = group.priority_class;
      pod.request = are_alike ? alike : request(runs);
      if (!runs || settle_on_a_node(pod)) pods.push_back(pod);
    }
    if (pods.empty()) return;
    const auto size = static_cast<std::int64_t>(pods.size());
    group.min_member = static_cast<std::int32_t>(runs ? between(1, size) : size);
    group.phase = runs ? GroupPhase::running : GroupPhase::inqueue;
    if (!runs) claimant_ = group.full_name();
    mirror_.apply(group);
    for (const PodObject& pod : pods) mirror_.apply(pod);
  }

  bool settle_on_a_node(PodObject& pod) {
    const std::size_t first = below(random_, nodes_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      NodeObject& node = nodes_[(first + i) % nodes_.size()];
      const bool fits = std::all_of(pod.request.begin(), pod.request.end(), [&](const auto& each) {
        return node.allocatable.at(each.first) >= each.second;
      });
      if (!fits) continue;
      for (const auto& [name, amount] : pod.request) node.allocatable.at(name) -= amount;
      pod.node_name = node.name;
      pod.phase = PodPhase::running;
      return true;
    }
    return false;
  }

  Random random_;
  const Kind kind_;
  std::int64_t queues_ = 1;
  std::int64_t jobs_ = 0;
  std::vector<NodeObject> nodes_;
  std::string claimant_;
  mirror::Mirror mirror_;
};

struct Tally {
  int cases = 0;  // in which both evict, with surplus alone, or both with whole jobs
  int equal = 0;
  int most_more = 0;
  double largest_ratio = 1;
  std::map<int, int> more;         // pods beyond the fewest -> cases
  int possible = 0;                // in which some set will do
  int missed = 0;                  // of them, the session finds none
  int surplus_possible = 0;        // in which surplus alone will do
  int surplus_missed = 0;          // of them, the session takes none, or whole jobs
  std::vector<std::string> lines;  // of what is not equal

  void print(const char* name) const {
    std::printf("%s: %d cases, %d equal (%.2f %%), at most %d more, ratio at most %.2f;", name,
                cases, equal, 100.0 * equal / std::max(1, cases), most_more, largest_ratio);
    for (const auto& [pods, count] : more) std::printf(" +%d: %d", pods, count);
    std::printf("; missed %d of %d, surplus alone %d of %d\n", missed, possible, surplus_missed,
                surplus_possible);
    for (const std::string& line : lines) std::printf("  %s\n", line.c_str());
  }
};

engine::SessionConfig config_for(Kind kind) {
  engine::SessionConfig config = default_session_config();
  SceneLine actions(kind.is_reclaim ? "actions allocate reclaim" : "actions allocate preempt", "");
  SceneLine tiers(kind.is_reclaim ? "tiers priority gang elastic / predicates proportion nodeorder"
                                  : "tiers priority gang elastic / predicates nodeorder",
                  "");
  BERTH_CHECK(read_actions(actions, config).has_value() && read_tiers(tiers, config).has_value());
  return config;
}

struct Best {
  std::optional<int> fewest;
  bool takes_whole_jobs = false;
  bool is_unknown = false;
};

// As VICTIM-1 prefers: surplus alone; within that, no queue below what it deserves.
Best best_of(const Cluster& cluster, const Plan& plan, JobId claimant, Kind kind) {
  Best best;
  for (const bool takes_whole_jobs : {false, true}) {
    for (const bool is_strict : {true, false}) {
      if (is_strict && !kind.is_reclaim) continue;
      VictimSearch search(cluster, plan.shares.get(), claimant,
                          {kind.is_reclaim, takes_whole_jobs, is_strict});
      best = {search.fewest(), takes_whole_jobs, search.is_too_large()};
      if (best.fewest || best.is_unknown) return best;
    }
  }
  return best;
}

void judge(std::uint64_t seed, Kind kind, Tally& tally) {
  SmallCluster small(seed, kind);
  engine::Scheduler scheduler = engine::Scheduler::create(config_for(kind)).value();
  Cluster& cluster = small.cluster();
  const Plan plan = scheduler.run(cluster, SmallCluster::now());
  if (!plan.binds.empty()) return;  // it fits
  if (std::getenv("SHOW") != nullptr) {
    for (std::size_t n = 0; n < cluster.node_count(); ++n) {
      std::printf("node %s cpu=%ld mem=%ld:", cluster.node(NodeId(n)).name.c_str(), cluster.node(NodeId(n)).allocatable[kCpu]/1000, cluster.node(NodeId(n)).allocatable[kMemory]);
      for (TaskId t : cluster.node(NodeId(n)).tasks) std::printf(" %s(%ld,%ld)", cluster.task(t).name.c_str()+8, cluster.shape_of(t).request[kCpu]/1000, cluster.shape_of(t).request[kMemory]);
      std::printf(" idle %ld\n", cluster.idle().at(NodeId(n), kCpu)/1000);
    }
    for (std::size_t j = 0; j < cluster.job_slots(); ++j) { const Job& b = cluster.job(JobId(j)); if (b.exists) { std::printf("job %s min %d of %zu prio %d queue %s recl %d%s", b.name.c_str(), b.min_available, b.tasks.size(), b.priority, b.queue_name.c_str(), cluster.queue(b.queue).is_reclaimable, b.id == small.claimant() ? " CLAIMANT" : ""); if (b.id == small.claimant()) for (TaskId t : b.tasks) std::printf(" (%ld,%ld)", cluster.shape_of(t).request[kCpu]/1000, cluster.shape_of(t).request[kMemory]); std::printf("\n"); } }
    if (plan.shares) for (std::size_t r = 1; r < plan.shares->rows.size(); ++r) std::printf("queue %s deserved %ld %ld pods %ld has %ld %ld\n", cluster.queue(plan.shares->rows[r].queue).name.c_str(), plan.shares->at(plan.shares->deserved, r, kCpu), plan.shares->at(plan.shares->deserved, r, kMemory), plan.shares->at(plan.shares->deserved, r, kPods), cluster.queue(plan.shares->rows[r].queue).allocated[kCpu], cluster.queue(plan.shares->rows[r].queue).allocated[kMemory]);
    for (auto& e : plan.evictions) std::printf("evict %s as %s\n", cluster.task(e.task).name.c_str(), to_string(e.as));
    for (auto& e : plan.pipelined) std::printf("pipeline %s on %s\n", cluster.task(e.task).name.c_str(), cluster.node(e.node).name.c_str());
    for (auto& e : plan.considered) std::printf("%s\n", e.text().c_str());
    for (auto& e : plan.refusals) if (e.job == small.claimant()) std::printf("%s\n", e.message("x").c_str());
  }
  const Best best = best_of(cluster, plan, small.claimant(), kind);
  if (best.is_unknown) return;
  const int found = static_cast<int>(plan.evictions.size());
  const bool found_whole =
      std::any_of(plan.evictions.begin(), plan.evictions.end(),
                  [](const PlannedEviction& each) { return each.as == EvictedAs::whole_job; });
  const std::string what = "seed " + std::to_string(seed) + ": " + std::to_string(found) +
                           (found_whole ? " (whole jobs)" : "");
  if (best.fewest == 0) return;  // it would fit, if allocate packed better
  if (!best.fewest) {
    EXPECT_EQ(found, 0) << what << ", and no set will do";
    return;
  }
  const std::string than = what + " instead of " + std::to_string(*best.fewest) +
                           (best.takes_whole_jobs ? " (whole jobs)" : "");
  ++tally.possible;
  tally.surplus_possible += best.takes_whole_jobs ? 0 : 1;
  const bool is_missed = found == 0;
  const bool is_surplus_missed = !best.takes_whole_jobs && (is_missed || found_whole);
  tally.missed += is_missed ? 1 : 0;
  tally.surplus_missed += is_surplus_missed ? 1 : 0;
  if (!is_missed && !is_surplus_missed) {
    const int more = found - *best.fewest;
    EXPECT_GE(more, 0) << than;
    ++tally.cases;
    tally.equal += more == 0 ? 1 : 0;
    ++tally.more[more];
    tally.most_more = std::max(tally.most_more, more);
    tally.largest_ratio = std::max(tally.largest_ratio, found / double(std::max(1, *best.fewest)));
    if (more == 0) return;
  }
  if (tally.lines.size() < 12) tally.lines.push_back(than);
}

Tally tally_of(Kind kind, const char* name) {
  Tally tally;
  for (const std::uint64_t seed : seeds(kSeeds)) judge(seed, kind, tally);
  const bool is_long = std::getenv("BERTH_LAWS") != nullptr || std::getenv("BERTH_SEED") != nullptr;
  if (is_long) tally.print(name);
  return tally;
}

TEST(Victims, OfPreemptAreAlmostTheFewest) {
  tally_of({false, 1}, "preempt, one resource");
  tally_of({false, 2}, "preempt, two resources");
}

TEST(Victims, OfReclaimAreAlmostTheFewest) {
  tally_of({true, 1}, "reclaim, one resource");
  tally_of({true, 2}, "reclaim, two resources");
}

}  // namespace
}  // namespace berth::support
