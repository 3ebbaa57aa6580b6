// The cost of what pods require of each other. docs/performance.md.

#include <benchmark/benchmark.h>
#include <malloc.h>

#include "berth/model/cluster.h"
#include "synthetic.h"

namespace berth::bench {
namespace {

// As PlaceGangs of session_bench.
void place(benchmark::State& state, Load load) {
  mirror::Mirror mirror;
  load.nodes = static_cast<std::size_t>(state.range(0));
  fill(mirror, load);
  auto scheduler = engine::Scheduler::create(default_config());
  std::size_t placed = 0;
  for (auto _ : state) {
    const Plan plan = scheduler->run(mirror.cluster_for_session(), TimePoint{});
    placed += plan.binds.size();
    if (plan.binds.size() != load.pending_pods) state.SkipWithError("not all pods were placed");
  }
  state.counters["placements/s"] =
      benchmark::Counter(static_cast<double>(placed), benchmark::Counter::kIsRate);
}

// Gangs whose pods require something of each other.
void place(benchmark::State& state, Related related, bool zones_in_a_row = false) {
  Load load;
  load.related = related;
  load.zones_in_a_row = zones_in_a_row;
  place(state, load);
}

// TOPO-18. 100,000 pods in gangs that must be in one rack each; and one gang of 512, in one block.
void place_near(benchmark::State& state, const std::string& level, std::size_t pods) {
  Load load;
  load.pending_pods = pods;
  load.together = level;
  if (pods == 512) load.seed = 483;  // the first gang has all of them
  place(state, load);
}
void PlaceInRacks(benchmark::State& state) { place_near(state, "rack", 100'000); }
void PlaceGangInBlock(benchmark::State& state) { place_near(state, "block", 512); }
BENCHMARK(PlaceInRacks)->ArgName("nodes")->Arg(5'000)->Arg(50'000)->Unit(benchmark::kMillisecond);
BENCHMARK(PlaceGangInBlock)
    ->ArgName("nodes")
    ->Arg(5'000)
    ->Arg(50'000)
    ->Unit(benchmark::kMicrosecond);

void PlaceUnrelated(benchmark::State& state) { place(state, Related::no); }
void PlaceOneANode(benchmark::State& state) { place(state, Related::one_a_node); }
void PlaceInOneZone(benchmark::State& state) { place(state, Related::one_zone); }
// Nodes take turns in the order of equal scores, so where zones take turns the next node is usually
// in the right one; where they are rows, a whole zone is refused before it.
void PlaceOverZones(benchmark::State& state) {
  place(state, Related::over_zones, state.range(1) != 0);
}
void PlaceApartAndSpread(benchmark::State& state) {
  place(state, Related::apart_and_spread, state.range(1) != 0);
}
BENCHMARK(PlaceUnrelated)->ArgName("nodes")->Arg(5'000)->Unit(benchmark::kMillisecond);
BENCHMARK(PlaceOneANode)->ArgName("nodes")->Arg(5'000)->Unit(benchmark::kMillisecond);
BENCHMARK(PlaceInOneZone)->ArgName("nodes")->Arg(5'000)->Unit(benchmark::kMillisecond);
BENCHMARK(PlaceOverZones)
    ->ArgNames({"nodes", "in_a_row"})
    ->Args({5'000, 0})
    ->Args({5'000, 1})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(PlaceApartAndSpread)
    ->ArgNames({"nodes", "in_a_row"})
    ->Args({5'000, 0})
    ->Args({5'000, 1})
    ->Unit(benchmark::kMillisecond);

// The memory of 150,000 running pods. `related` 1: each has three labels, one of them its own, and
// two terms, which are its gang's. On the heap: what is allocated, by malloc's own statistics.
void RunningPods(benchmark::State& state) {
  Load load;
  load.pending_pods = 0;
  load.running_pods = 150'000;
  load.related = state.range(0) != 0 ? Related::apart_and_spread : Related::no;
  const auto mib = [](std::size_t bytes) { return static_cast<double>(bytes) / (1 << 20); };
  const auto allocated = [] { return mallinfo2().uordblks + mallinfo2().hblkhd; };
  for (auto _ : state) {
    malloc_trim(0);
    const std::size_t before = allocated();
    const double resident_before = resident_mib();
    mirror::Mirror mirror;
    fill(mirror, load);
    auto scheduler = engine::Scheduler::create(default_config());
    benchmark::DoNotOptimize(scheduler->run(mirror.cluster_for_session(), TimePoint{}));
    state.counters["heap_MiB"] = mib(allocated() - before);
    state.counters["resident_MiB"] = resident_mib();
    state.counters["resident_before_MiB"] = resident_before;
  }
}
BENCHMARK(RunningPods)
    ->ArgName("related")
    ->Arg(0)
    ->Arg(1)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

// A gang comes with selectors of its own, and goes, beside 150,000 pods that run.
void GangComesAndGoes(benchmark::State& state) {
  mirror::Mirror mirror;
  Load load;
  load.pending_pods = 0;
  load.running_pods = 150'000;
  load.related = Related::one_a_node;
  fill(mirror, load);
  PodObject pod;
  pod.name_space = "bench";
  pod.name = "new";
  pod.uid = "pod:new";
  pod.scheduler_name = "berth";
  pod.request = {{"cpu", 100}, {"pods", 1}};
  pod.labels = {{"app", "bench"}, {"job", "new"}};
  PodTerm term;
  term.pods.all = {{"job", Operator::in, {"new"}}};
  term.namespaces = {"bench"};
  term.topology_key = "kubernetes.io/hostname";
  pod.constraints.relations.anti_affinity = {term};
  pod.constraints.relations.name_space = "bench";
  for (auto _ : state) {
    mirror.apply(pod);
    mirror.apply(PodDeleted{pod.uid});
  }
}
BENCHMARK(GangComesAndGoes)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace berth::bench
