// The cost of the page /snapshot: for the session thread, and for the one that writes it.
// docs/performance.md.

#include "daemon/snapshot.h"

#include <benchmark/benchmark.h>

#include "synthetic.h"

namespace berth::bench {
namespace {

// 5,000 nodes; half of the pods run.
void fill_half(mirror::Mirror& mirror, benchmark::State& state) {
  Load load;
  load.pending_pods = load.running_pods = static_cast<std::size_t>(state.range(0)) / 2;
  load.gpus = 8;
  fill(mirror, load);
  mirror.settle(kNow);
}

void copy(benchmark::State& state) {
  mirror::Mirror mirror;
  fill_half(mirror, state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(daemon::snapshot_of(mirror.cluster(), {}, "berth", kNow));
  }
}

void write(benchmark::State& state) {
  mirror::Mirror mirror;
  fill_half(mirror, state);
  const daemon::Snapshot snapshot = daemon::snapshot_of(mirror.cluster(), {}, "berth", kNow);
  for (auto _ : state) {
    const std::string text = daemon::snapshot_json(snapshot);
    state.counters["MB"] = static_cast<double>(text.size()) / 1e6;
  }
}

BENCHMARK(copy)->Unit(benchmark::kMillisecond)->Arg(50'000)->Arg(100'000);
BENCHMARK(write)->Unit(benchmark::kMillisecond)->Arg(50'000)->Arg(100'000);

}  // namespace
}  // namespace berth::bench
