// The cost of what pods require of each other. docs/performance.md.

#include <benchmark/benchmark.h>

#include "berth/model/cluster.h"
#include "synthetic.h"

namespace berth::bench {
namespace {

// As PlaceGangs of session_bench, with gangs whose pods require something of each other.
void place(benchmark::State& state, Related related) {
  mirror::Mirror mirror;
  Load load;
  load.nodes = static_cast<std::size_t>(state.range(0));
  load.related = related;
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

void PlaceUnrelated(benchmark::State& state) { place(state, Related::no); }
void PlaceOneANode(benchmark::State& state) { place(state, Related::one_a_node); }
void PlaceInOneZone(benchmark::State& state) { place(state, Related::one_zone); }
BENCHMARK(PlaceUnrelated)->ArgName("nodes")->Arg(5'000)->Unit(benchmark::kMillisecond);
BENCHMARK(PlaceOneANode)->ArgName("nodes")->Arg(5'000)->Unit(benchmark::kMillisecond);
BENCHMARK(PlaceInOneZone)->ArgName("nodes")->Arg(5'000)->Unit(benchmark::kMillisecond);

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

BENCHMARK_MAIN();
