// The cost of forecasts: the copy that the session thread makes, and the plan on a thread of its
// own. docs/performance.md.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include "engine/scheduler.h"
#include "forecast/planner.h"
#include "shipped.h"
#include "synthetic.h"

namespace berth::bench {
namespace {

// Jobs take one to ten hours, by a limit of two to four times as much.
forecast::ExpectedRun random_runs(std::mt19937_64& random) {
  return [&random](const Job&, const Cluster&, Duration elapsed) {
    return std::optional<Duration>(elapsed + std::chrono::seconds(3600 + random() % 32'400));
  };
}

// 5,000 nodes that are full with 100,000 pods, and 2,000 jobs of 256 shapes that wait.
forecast::State full_cluster(std::size_t nodes) {
  mirror::Mirror mirror;
  Load load;
  load.nodes = nodes;
  load.running_pods = 20 * nodes;
  load.pending_pods = 180'000;  // in gangs of 16 to 512: about 700
  load.shapes = 256;
  fill(mirror, load);
  auto scheduler = engine::Scheduler::create(shipped());
  forecast::Rules rules;
  rules.behind = forecast::Rules::Behind::easy;
  rules.target_after = std::chrono::minutes(30);
  std::mt19937_64 random(1);
  forecast::State state;
  scheduler->inspect(mirror.cluster_for_session(), TimePoint(std::chrono::hours(1)),
                     [&](engine::Session& session) {
                       state = forecast::state_of(session, rules, random_runs(random));
                     });
  for (forecast::RunningPods& pod : state.running) {
    pod.gone_by = state.now + 2 * (pod.expected - state.now);
  }
  for (forecast::WaitingJob& job : state.waiting) job.stay = 3 * job.run;
  return state;
}

void PlanStarts(benchmark::State& state) {
  forecast::State cluster = full_cluster(static_cast<std::size_t>(state.range(0)));
  std::vector<forecast::WaitingJob> jobs = cluster.waiting;
  cluster.waiting.clear();
  for (std::size_t i = 0; i < 2'000; ++i) {
    cluster.waiting.push_back(jobs[i % jobs.size()]);
    cluster.waiting.back().name += "-" + std::to_string(i);
  }
  std::size_t instants = 0;
  std::size_t known = 0;
  for (auto _ : state) {
    const forecast::Starts starts = forecast::plan_starts(cluster);
    instants = starts.instants;
    known = 0;
    for (const TimePoint at : starts.at) known += at == TimePoint::max() ? 0 : 1;
  }
  state.counters["jobs"] = static_cast<double>(cluster.waiting.size());
  state.counters["known"] = static_cast<double>(known);
  state.counters["running"] = static_cast<double>(cluster.running.size());
  state.counters["instants"] = static_cast<double>(instants);
  state.counters["MiB"] = resident_mib();
}
BENCHMARK(PlanStarts)->ArgName("nodes")->Arg(500)->Arg(5'000)->Unit(benchmark::kMillisecond);

// The part of the session thread.
void CopyState(benchmark::State& state) {
  mirror::Mirror mirror;
  Load load;
  load.nodes = static_cast<std::size_t>(state.range(0));
  load.running_pods = 20 * load.nodes;
  load.pending_pods = 180'000;
  fill(mirror, load);
  auto scheduler = engine::Scheduler::create(shipped());
  std::mt19937_64 random(1);
  const forecast::Rules rules;
  std::size_t waiting = 0;
  for (auto _ : state) {
    scheduler->inspect(mirror.cluster_for_session(), TimePoint(std::chrono::hours(1)),
                       [&](engine::Session& session) {
                         waiting =
                             forecast::state_of(session, rules, random_runs(random)).waiting.size();
                       });
  }
  state.counters["jobs"] = static_cast<double>(waiting);
}
BENCHMARK(CopyState)->ArgName("nodes")->Arg(500)->Arg(5'000)->Unit(benchmark::kMillisecond);

// Sessions that place 100,000 pods on 5,000 nodes, by turns with and without a plan beside them.
void SessionBesideAPlan(benchmark::State& state) {
  const forecast::State waiting = full_cluster(5'000);
  mirror::Mirror mirror;
  fill(mirror, Load{});
  auto scheduler = engine::Scheduler::create(default_config());
  std::vector<double> ratios;
  const auto session_seconds = [&] {
    const auto begun = std::chrono::steady_clock::now();
    const Plan plan = scheduler->run(mirror.cluster_for_session(), TimePoint{});
    benchmark::DoNotOptimize(plan.binds.size());
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  };
  const auto median = [](std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(values.size() / 2),
                     values.end());
    return values[values.size() / 2];
  };
  session_seconds();
  for (auto _ : state) {
    std::vector<double> beside;
    std::vector<double> alone;
    std::atomic<bool> is_over = false;
    std::thread planner([&] {
      benchmark::DoNotOptimize(forecast::plan_starts(waiting).instants);
      is_over = true;
    });
    while (!is_over) beside.push_back(session_seconds());
    planner.join();
    while (alone.size() < beside.size()) alone.push_back(session_seconds());
    ratios.push_back(median(beside) / median(alone));
  }
  state.counters["pairs"] = static_cast<double>(ratios.size());
  state.counters["ratio"] = median(ratios);
}
BENCHMARK(SessionBesideAPlan)->Iterations(15)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace berth::bench
