#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "berth/engine/points.h"
#include "berth/engine/registry.h"
#include "forecast/planner.h"
#include "forecast/runs.h"
#include "simulation/job_stream.h"
#include "support/seeds.h"
#include "support/world.h"

// Laws of forecasts over random streams with exact limits, under every lock and order. A seed that
// fails is printed; BERTH_SEED=<seed> plays it alone, BERTH_LAWS=<n> tries more.

namespace berth::forecast {
namespace {

using simulation::StreamJob;
using simulation::StreamRequest;
using simulation::StreamResult;
using std::chrono::minutes;
using std::chrono::seconds;
using support::below;
using support::Random;

constexpr std::uint64_t kSeeds = 60;

std::string config_text(std::uint64_t seed) {
  Random random(seed);
  const char* const locks[] = {"cluster", "multi-node", "single-node", "closest-fit"};
  const char* const orders[] = {"idle", "ends"};
  const char* const policies[] = {"off", "easy", "conservative"};
  const bool is_fifo = below(random, 3) == 0;
  const bool elects = !is_fifo || below(random, 2) == 0;
  std::string text = "actions: ";
  text += elects ? "\"elect, enqueue, reserve, allocate, backfill\"\n" : "\"allocate, backfill\"\n";
  text += std::string("configurations: [{name: backfill, arguments: {behind: ") +
          policies[below(random, 3)] + "}}]\n";
  text += "tiers: [{plugins: [{name: priority}, {name: gang}";
  if (elects) {
    text += std::string(", {name: reservation, arguments: {give-up: 0s, lock: ") +
            locks[below(random, 4)] + ", lock-order: " + orders[below(random, 2)] +
            ", nodes: " + std::to_string(1 + below(random, 4)) +
            ", targets: " + std::to_string(1 + below(random, 2)) +
            ", wait-duration: " + std::to_string(below(random, 3)) + "m}}";
  }
  text += ", {name: predicates}, {name: nodeorder}]}]\n";
  return text + "defaultQueueStrategy: " + (is_fifo ? "fifo" : "traverse") + "\n";
}

// Nodes of one to eight slots, and jobs that come within some minutes.
StreamRequest random_stream(std::uint64_t seed) {
  Random random(seed * 7 + 1);
  StreamRequest request;
  const std::size_t nodes = 2 + below(random, 5);
  std::int64_t slots = 0;
  for (std::size_t n = 0; n < nodes; ++n) {
    NodeObject node;
    node.name = node.uid = "n" + std::to_string(n);
    const auto cpus = static_cast<std::int64_t>(1 + below(random, 4));
    slots += cpus;
    node.allocatable = {{"cpu", 1000 * cpus}, {"pods", 110}};
    request.nodes.push_back(node);
  }
  // Whole minutes, as the simulation's clock ticks.
  minutes at(0);
  for (std::size_t j = 0; j < 25; ++j) {
    StreamJob job;
    job.name = "j" + std::to_string(10 + j);
    at += minutes(below(random, 2));
    job.submit = at;
    job.run = minutes(1 + below(random, 12));
    job.limit = job.run;
    const std::size_t most = below(random, 4) == 0 ? static_cast<std::size_t>(slots) : 3;
    job.pods = static_cast<std::int32_t>(1 + below(random, most));
    job.request = {{"cpu", 1000}};
    request.jobs.push_back(job);
  }
  const conf::KnownNames known{engine::action_names(), engine::plugin_names(),
                               engine::points::names()};
  request.config = conf::load_config(config_text(seed), "law", known).value();
  return request;
}

// By limits, which are exact.
class Watch final : public simulation::StreamObserver {
 public:
  explicit Watch(const conf::Config& config) : rules_(rules_of(config)) {}

  void waits(const std::vector<std::size_t>&, const Inspect& inspect) override {
    inspect([&](engine::Session& session) {
      const auto by_limit = [](const Job& job, const Cluster& cluster, Duration) {
        return limit_of(job, cluster, LimitTrust::stated);
      };
      const State state = state_of(session, rules_, by_limit);
      planned.clear();
      const Starts starts = plan_starts(state);
      for (std::size_t i = 0; i < starts.at.size(); ++i) {
        planned[state.waiting[i].name] = starts.at[i];
      }
      const std::vector<TimePoint> latest = latest_starts(state);
      for (std::size_t i = 0; i < latest.size(); ++i) {
        if (latest[i] != TimePoint::max()) promised.emplace(state.waiting[i].name, latest[i]);
      }
      last_look = state.now;
      note_targets(session.cluster());
    });
  }
  void note_targets(const Cluster& cluster) {
    targets.clear();
    for (const JobId id : cluster.targets()) {
      const Job& job = cluster.job(id);
      simulation::StreamTarget target{
          last_look - job.election->since, job.election->why, false, {}};
      for (const NodeId node : cluster.locks().nodes_of(id)) {
        target.nodes.emplace_back(cluster.node(node).name,
                                  last_look - cluster.node(node).lock.since);
      }
      targets.emplace(job.name, target);
    }
    by_backfill.clear();
    for (std::size_t j = 0; j < cluster.job_slots(); ++j) {
      const Job& job = cluster.job(JobId(j));
      if (job.exists && job.promised_start) by_backfill[job.name] = *job.promised_start;
    }
  }
  void starts(std::size_t job, TimePoint now) override { started[job] = now; }
  void ends(std::size_t, Duration) override {}

  std::map<std::string, TimePoint> planned;   // at the last look
  std::map<std::string, TimePoint> promised;  // the first time
  std::map<std::size_t, TimePoint> started;
  std::map<std::string, simulation::StreamTarget> targets;  // at the last look
  std::map<std::string, TimePoint> by_backfill;             // promised starts, at the last look
  TimePoint last_look;

 private:
  const Rules rules_;
};

// PROMISE-1, PROMISE-2
TEST(ForecastLaws, TargetsStartByTheirPromiseWhateverComes) {
  std::size_t promises = 0;
  for (const std::uint64_t seed : support::seeds(kSeeds)) {
    StreamRequest request = random_stream(seed);
    Watch watch(request.config);
    request.observer = &watch;
    const std::vector<StreamJob> jobs = request.jobs;
    ASSERT_TRUE(simulation::run_stream(std::move(request)));
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      const auto promised = watch.promised.find("trace/" + jobs[j].name);
      if (promised == watch.promised.end()) continue;
      ++promises;
      ASSERT_TRUE(watch.started.contains(j)) << "BERTH_SEED=" << seed << " " << jobs[j].name;
      ASSERT_LE(watch.started[j], promised->second) << "BERTH_SEED=" << seed << " " << jobs[j].name;
    }
  }
  EXPECT_GT(promises, 0U);
}

// The planner has no plugins and no scores. If nobody comes after its look, its starts are nearly
// always exactly those of the sessions where no nodes are kept, and half of them where some are.
TEST(ForecastLaws, PlannedStartsAreThoseOfTheSessionsIfNobodyComes) {
  std::map<bool, std::pair<std::size_t, std::size_t>> exact;  // and all, by: are nodes kept
  for (const std::uint64_t seed : support::seeds(kSeeds)) {
    StreamRequest request = random_stream(seed);
    Watch watch(request.config);
    request.observer = &watch;
    const bool are_kept = rules_of(request.config).target_after != Duration::max();
    const std::vector<StreamJob> jobs = request.jobs;
    ASSERT_TRUE(simulation::run_stream(std::move(request)));
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      const auto planned = watch.planned.find("trace/" + jobs[j].name);
      const bool waited = planned != watch.planned.end() && watch.started.contains(j);
      if (!waited || watch.started[j] < watch.last_look) continue;
      exact[are_kept].first += watch.started[j] == planned->second ? 1 : 0;
      ++exact[are_kept].second;
    }
  }
  for (const auto& [are_kept, counts] : exact) {
    const auto [same, all] = counts;
    std::cout << same << " of " << all << (are_kept ? " with" : " without") << " kept nodes\n";
    EXPECT_GE(100 * same, (are_kept ? 50 : 95) * all);
  }
}

// Jobs that run at that time are in their places, and those that wait have waited for as long.
StreamRequest rest_of(const StreamRequest& whole, const StreamResult& result, Duration at,
                      const Watch& watch) {
  StreamRequest rest;
  rest.nodes = whole.nodes;
  rest.config = whole.config;
  for (std::size_t j = 0; j < whole.jobs.size(); ++j) {
    const simulation::StreamOutcome& outcome = result.jobs[j];
    StreamJob job = whole.jobs[j];
    if (!outcome.start || !outcome.end || *outcome.end <= at) continue;
    if (job.submit > at) {
      job.submit -= at;
      rest.jobs.push_back(job);
      continue;
    }
    job.waited = at - job.submit;
    job.submit = Duration();
    const auto target = watch.targets.find("trace/" + job.name);
    if (target != watch.targets.end()) job.target = target->second;
    const auto promised = watch.by_backfill.find("trace/" + job.name);
    if (promised != watch.by_backfill.end())
      job.promised_start = promised->second - watch.last_look;
    if (*outcome.start <= at) {
      job.submit = Duration();
      job.run = *outcome.end - at;
      job.limit = job.run;
      for (const std::int32_t node : outcome.nodes) {
        job.places.push_back(whole.nodes[static_cast<std::size_t>(node)].name);
      }
    }
    rest.jobs.push_back(job);
  }
  std::stable_sort(rest.jobs.begin(), rest.jobs.end(), [](const auto& left, const auto& right) {
    return std::pair(left.submit, left.places.empty()) <
           std::pair(right.submit, right.places.empty());
  });
  return rest;
}

// `berth when`: sessions from a state of the middle start each job as those from the beginning.
TEST(ForecastLaws, SessionsFromTheMiddleStartJobsAsThoseFromTheBeginning) {
  std::size_t all = 0;
  for (const std::uint64_t seed : support::seeds(kSeeds)) {
    StreamRequest whole = random_stream(seed);
    Watch watch(whole.config);
    whole.observer = &watch;
    const auto result = simulation::run_stream(whole);
    ASSERT_TRUE(result);
    const auto& [some, started] = *watch.started.begin();
    const Duration at = watch.last_look - (started - *result->jobs[some].start);
    const StreamRequest rest = rest_of(whole, *result, at, watch);
    const auto later = simulation::run_stream(rest);
    ASSERT_TRUE(later);
    std::map<std::string, Duration> starts;
    for (std::size_t j = 0; j < whole.jobs.size(); ++j) {
      if (result->jobs[j].start) starts[whole.jobs[j].name] = *result->jobs[j].start;
    }
    for (std::size_t j = 0; j < rest.jobs.size(); ++j) {
      if (!rest.jobs[j].places.empty()) continue;
      ++all;
      ASSERT_TRUE(later->jobs[j].start) << "BERTH_SEED=" << seed << " " << rest.jobs[j].name;
      ASSERT_EQ(*later->jobs[j].start + at, starts[rest.jobs[j].name])
          << "BERTH_SEED=" << seed << " " << rest.jobs[j].name;
    }
  }
  EXPECT_GT(all, 0U);
}

}  // namespace
}  // namespace berth::forecast
