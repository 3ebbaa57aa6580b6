// The cost of targets and locks. docs/performance.md.

#include <benchmark/benchmark.h>

#include "synthetic.h"

namespace berth::bench {
namespace {

engine::SessionConfig config_with_reservation(const std::string& lock, const std::string& most) {
  engine::SessionConfig config = default_config();
  config.actions = {
      {"elect", ""}, {"enqueue", ""}, {"reserve", ""}, {"allocate", ""}, {"backfill", ""}};
  config.tiers[0].push_back(
      {{"reservation", ""},
       {},
       engine::Arguments({{"lock", {lock, false, ""}}, {"max-locked-nodes", {most, false, ""}}})});
  return config;
}

// A gang that is larger than what is idle, and not larger than the cluster.
void add_big_gang(mirror::Mirror& mirror, std::size_t members) {
  PodGroupObject group;
  group.scheduler = "berth";
  group.name_space = "bench";
  group.name = "big";
  group.uid = "big";
  group.min_member = static_cast<std::int32_t>(members);
  mirror.apply(group);
  for (std::size_t m = 0; m < members; ++m) {
    PodObject pod;
    pod.name_space = "bench";
    pod.group = "big";
    pod.name = "big-" + std::to_string(m);
    pod.uid = pod.name;
    pod.scheduler_name = "berth";
    pod.request = {{"cpu", 60'000}, {"memory", std::int64_t{200} << 30}, {"pods", 1}};
    mirror.apply(pod);
  }
}

// 5,000 nodes, 100,000 running pods and a target that waits: a session in which nothing changes.
// lock 0: no reservation configured; else the schemes in their order.
void IdleSessionWithATarget(benchmark::State& state) {
  const char* const locks[] = {"", "cluster", "multi-node", "single-node", "closest-fit"};
  mirror::Mirror mirror;
  Load load;
  load.pending_pods = 0;
  load.running_pods = 100'000;
  fill(mirror, load);
  add_big_gang(mirror, static_cast<std::size_t>(state.range(1)));
  const std::string lock = locks[state.range(0)];
  auto scheduler = engine::Scheduler::create(lock.empty() ? default_config()
                                                          : config_with_reservation(lock, "1.0"));
  TimePoint now = kNow;
  const auto session = [&] {
    now += std::chrono::seconds(1);
    mirror.settle(now);
    Plan plan = scheduler->run(mirror.cluster_for_session(), now);
    mirror.assume(plan, now);
    mirror.assume_reservations(plan, now);
    return plan;
  };
  Plan plan;
  for (int warm = 0; warm < 64; ++warm) plan = session();
  for (auto _ : state) plan = session();
  const bool has_target = !plan.reservations.empty();
  state.counters["locked"] =
      static_cast<double>(has_target ? plan.reservations.front().nodes.size() : 0);
  state.counters["covered"] = has_target && plan.reservations.front().is_covered ? 1 : 0;
}
BENCHMARK(IdleSessionWithATarget)
    ->ArgNames({"lock", "members"})
    ->ArgsProduct({{0, 1, 2, 3, 4}, {16, 512}})
    ->Unit(benchmark::kMicrosecond);

// Only the first session, which elects and locks.
void ElectAndLock(benchmark::State& state) {
  mirror::Mirror mirror;
  Load load;
  load.pending_pods = 0;
  load.running_pods = 100'000;
  fill(mirror, load);
  add_big_gang(mirror, 512);
  mirror.settle(kNow);
  auto scheduler = engine::Scheduler::create(
      config_with_reservation(state.range(0) == 0 ? "cluster" : "multi-node", "1.0"));
  std::size_t locked = 0;
  for (auto _ : state) {
    const Plan plan = scheduler->run(mirror.cluster_for_session(), kNow + std::chrono::seconds(1));
    locked = plan.reservations.empty() ? 0 : plan.reservations.front().nodes.size();
  }
  state.counters["locked"] = static_cast<double>(locked);
}
BENCHMARK(ElectAndLock)->ArgName("multi-node")->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

// 100,000 pods in gangs of 16 to 512 on 5,000 nodes, placed in one session, while a part of the
// nodes, in percent, is locked for a target that cannot start yet.
void PlaceGangsBesideLocks(benchmark::State& state) {
  mirror::Mirror mirror;
  Load load;
  load.running_pods = 20'000;
  fill(mirror, load);
  const std::string most = "0." + std::to_string(100 + state.range(0)).substr(1);
  auto scheduler = engine::Scheduler::create(
      state.range(0) == 0 ? default_config() : config_with_reservation("cluster", most));
  if (state.range(0) != 0) add_big_gang(mirror, 5'000);
  mirror.settle(kNow);
  std::size_t placed = 0;
  for (auto _ : state) {
    placed +=
        scheduler->run(mirror.cluster_for_session(), kNow + std::chrono::seconds(1)).binds.size();
  }
  state.counters["placements/s"] =
      benchmark::Counter(static_cast<double>(placed), benchmark::Counter::kIsRate);
}
BENCHMARK(PlaceGangsBesideLocks)->ArgName("locked")->Arg(0)->Arg(10)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace berth::bench
