// The cost of a session: placements per second, an idle session, memory. docs/performance.md.

#include <benchmark/benchmark.h>

#include "shipped.h"
#include "synthetic.h"

namespace berth::bench {
namespace {

// Every gang is placed in one session; undoing it at the session's end is part of the time.
// Rankings are kept between sessions, as in the daemon; `cold` forgets it first.
void place_gangs(benchmark::State& state, bool cold) {
  mirror::Mirror mirror;
  Load load;
  load.nodes = static_cast<std::size_t>(state.range(0));
  load.shapes = static_cast<std::size_t>(state.range(1));
  fill(mirror, load);
  auto scheduler = engine::Scheduler::create(default_config());
  std::size_t placed = 0;
  for (auto _ : state) {
    if (cold) {
      state.PauseTiming();
      scheduler->forget();
      state.ResumeTiming();
    }
    const Plan plan = scheduler->run(mirror.cluster_for_session(), TimePoint{});
    placed += plan.binds.size();
    if (plan.binds.size() != load.pending_pods) state.SkipWithError("not all pods were placed");
  }
  state.counters["placements/s"] =
      benchmark::Counter(static_cast<double>(placed), benchmark::Counter::kIsRate);
  state.counters["ns/placement"] = benchmark::Counter(
      static_cast<double>(placed) / 1e9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void PlaceGangs(benchmark::State& state) { place_gangs(state, false); }
BENCHMARK(PlaceGangs)
    ->ArgNames({"nodes", "shapes"})
    ->Args({5'000, 16})
    ->Args({50'000, 16})
    ->Args({5'000, 1})
    ->Args({50'000, 1})
    ->Args({5'000, 400})
    ->Args({50'000, 400})
    ->Unit(benchmark::kMillisecond);

void PlaceGangsCold(benchmark::State& state) { place_gangs(state, true); }
BENCHMARK(PlaceGangsCold)
    ->ArgNames({"nodes", "shapes"})
    ->Args({5'000, 16})
    ->Args({50'000, 16})
    ->Unit(benchmark::kMillisecond);

// On nodes of 8 GPUs, with the plugins that are shipped. All pods find a place.
void PlaceOnGpus(benchmark::State& state) {
  mirror::Mirror mirror;
  Load load;
  load.gpus = 8;
  load.pending_pods = 15'000;
  load.shapes = static_cast<std::size_t>(state.range(0));
  fill(mirror, load);
  auto scheduler = engine::Scheduler::create(shipped({"enqueue", "allocate", "backfill"}));
  std::size_t placed = 0;
  for (auto _ : state) {
    const Plan plan = scheduler->run(mirror.cluster_for_session(), TimePoint{});
    placed += plan.binds.size();
    if (plan.binds.size() != load.pending_pods) state.SkipWithError("not all pods were placed");
  }
  state.counters["ns/placement"] = benchmark::Counter(
      static_cast<double>(placed) / 1e9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(PlaceOnGpus)->ArgName("shapes")->Arg(16)->Arg(400)->Unit(benchmark::kMillisecond);

// Nothing has changed since the last session: 150,000 pods run, and gangs wait that do not fit.
void IdleSession(benchmark::State& state) {
  mirror::Mirror mirror;
  Load load;
  load.running_pods = 150'000 - static_cast<std::size_t>(state.range(0));
  load.pending_pods = static_cast<std::size_t>(state.range(0));
  fill(mirror, load);
  // No pod fits: every node is cordoned.
  for (std::size_t n = 0; n < mirror.cluster().node_count(); ++n) {
    NodeObject node;
    node.name = mirror.cluster().node(NodeId(n)).name;
    node.unschedulable = true;
    node.allocatable = {{"cpu", 64'000}, {"memory", std::int64_t{256} << 30}, {"pods", 250}};
    mirror.apply(node);
  }
  mirror.settle(TimePoint());
  auto scheduler = engine::Scheduler::create(default_config());
  mirror.assume(scheduler->run(mirror.cluster_for_session(), TimePoint{}), TimePoint());
  mirror.settle(TimePoint());
  scheduler->run(mirror.cluster_for_session(), TimePoint{});
  for (auto _ : state) {
    mirror.settle(TimePoint());
    benchmark::DoNotOptimize(scheduler->run(mirror.cluster_for_session(), TimePoint{}));
  }
  state.counters["resident_MiB"] = resident_mib();
}
BENCHMARK(IdleSession)->ArgName("pending")->Arg(0)->Arg(20'000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace berth::bench
