#include <benchmark/benchmark.h>
#include <malloc.h>

#include <cstdint>
#include <string>

#include "berth/model/volume_table.h"

// The memory of claims and volumes, and the time of the questions about them.

namespace berth {
namespace {

std::size_t bytes_in_use() { return mallinfo2().uordblks + mallinfo2().hblkhd; }

ClaimObject claim_of(std::size_t i) {
  ClaimObject claim;
  claim.name_space = "team-" + std::to_string(i % 50);
  claim.name = "checkpoints-of-a-trainer-worker-" + std::to_string(i);
  claim.uid = "01234567-89ab-cdef-0123-" + std::to_string(100'000'000'000 + i);
  claim.class_name = "fast";
  claim.size = std::int64_t{10} << 30;
  claim.modes = kReadWriteOnce;
  claim.volume = "pvc-" + claim.uid;
  claim.is_bind_completed = true;
  return claim;
}

VolumeObject volume_of(const ClaimObject& claim, std::size_t i) {
  VolumeObject volume;
  volume.name = claim.volume;
  volume.class_name = claim.class_name;
  volume.size = *claim.size;
  volume.modes = claim.modes;
  volume.affinity = {
      {{{"topology.kubernetes.io/zone", Operator::in, {i % 2 == 0 ? "a" : "b"}}}, {}}};
  volume.claim = ClaimReference{claim.name_space, claim.name, claim.uid};
  volume.driver = "disk.example.com";
  volume.handle = "vol-0" + std::to_string(1'000'000'000'000 + i);
  return volume;
}

void fill(VolumeTable& table, std::size_t claims) {
  for (std::size_t i = 0; i < claims; ++i) {
    const ClaimObject claim = claim_of(i);
    table.put({claim});
    table.put({volume_of(claim, i)});
  }
}

// Bytes for a bound claim with its volume, and for a pod that mounts it on a node.
void BM_Memory(benchmark::State& state) {
  constexpr std::size_t kClaims = 100'000;
  for (auto _ : state) {
    const std::size_t before = bytes_in_use();
    VolumeTable table;
    fill(table, kClaims);
    const std::size_t with_objects = bytes_in_use();
    for (std::size_t i = 0; i < kClaims; ++i) {
      const ClaimObject claim = claim_of(i);
      table.add_pod(TaskId(i), claim.name_space, "uid", {{{claim.name, false}}, {}, false});
      table.place(TaskId(i), "node-" + std::to_string(i % 5'000), {});
    }
    benchmark::DoNotOptimize(table.take_changed_pods());
    const std::size_t with_pods = bytes_in_use();
    state.counters["bytes_a_claim"] = static_cast<double>(with_objects - before) / kClaims;
    state.counters["bytes_a_pod"] = static_cast<double>(with_pods - with_objects) / kClaims;
    for (std::size_t i = 0; i < kClaims; ++i) table.unplace(TaskId(i));
  }
}
BENCHMARK(BM_Memory)->Unit(benchmark::kMillisecond)->Iterations(1);

// One question about one node: a bound claim, a limit, and a free volume of 1,000 for one node
// each.
void BM_Questions(benchmark::State& state) {
  VolumeTable table;
  fill(table, 1);
  table.put({StorageClassObject{
      "local", "kubernetes.io/no-provisioner", BindingMode::wait_for_first_consumer, {}}});
  for (std::size_t i = 0; i < 1'000; ++i) {
    VolumeObject volume;
    volume.name = "local-" + std::to_string(i);
    volume.class_name = "local";
    volume.size = 1 << 20;
    volume.modes = kReadWriteOnce;
    volume.is_available = true;
    volume.affinity = {
        {{{"kubernetes.io/hostname", Operator::in, {"node-" + std::to_string(i)}}}, {}}};
    table.put({volume});
  }
  ClaimObject late = claim_of(1);
  late.volume.clear();
  late.class_name = "local";
  late.size = 1;
  table.put({late});
  const bool is_late = state.range(0) != 0;
  const ClaimObject& claim = is_late ? late : claim_of(0);
  table.add_pod(TaskId(0), claim.name_space, "uid", {{{claim.name, false}}, {}, false});
  table.put({CsiNodeObject{"node-500", {{"disk.example.com", 25}}}});
  const VolumeNeeds needs = table.needs_of(TaskId(0), "team-0/p");
  const VolumeTable::NodeLabels labels{{"kubernetes.io/hostname", "node-500"},
                                       {"topology.kubernetes.io/zone", "a"}};
  for (auto _ : state) {
    benchmark::DoNotOptimize(table.may_run_on(needs, "node-500", labels));
    benchmark::DoNotOptimize(table.is_free(needs, "node-500", labels));
    benchmark::DoNotOptimize(table.has_room(needs, "node-500"));
  }
}
BENCHMARK(BM_Questions)->ArgName("late")->Arg(0)->Arg(1);

}  // namespace
}  // namespace berth
