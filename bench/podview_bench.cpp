// The cost of the view: lists and watches of pods as an API server writes them, of which every
// tenth waits. docs/performance.md.

#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pod_json.h"
#include "podview/pod_list.h"
#include "podview/pod_stream.h"
#include "protobuf/fields.h"

namespace berth::bench {
namespace {

constexpr int kPods = 50'000;
constexpr std::size_t kRead = 16 * 1024;  // bytes at once, as a connection gives them

bool waits(int n) { return n % 10 == 0; }

std::string uid_of(int n) {
  const std::string number = std::to_string(n);
  return "0c7f4c9e-4c3e-4a43-9f0f-" + std::string(12 - number.size(), '0') + number;
}
std::string name_space_of(int n) { return "team-" + std::to_string(n % 40); }
std::string name_of(int n) { return "trainer-" + std::to_string(n / 16) + "-" + std::to_string(n); }

// A pod of bench/pod.json: the sizes are right, most contents are not.
std::string protobuf_pod(int n) {
  const std::string json = pod_json(n);
  const std::size_t managed = json.find("\"managedFields\"");
  std::string metadata;
  protobuf::append_field(metadata, 1, name_of(n));
  protobuf::append_field(metadata, 3, name_space_of(n));
  protobuf::append_field(metadata, 5, uid_of(n));
  protobuf::append_field(metadata, 6, "1000000");
  for (int i = 0; i < 3; ++i) protobuf::append_field(metadata, 11, std::string(30, 'l'));
  protobuf::append_field(metadata, 17, json.substr(managed, json.find("\"spec\"") - managed));
  std::string spec;
  protobuf::append_field(spec, 1, std::string(120, 'v'));
  protobuf::append_field(spec, 2, std::string(1'400, 'c'));
  protobuf::append_field(spec, 10, waits(n) ? "" : "node-" + std::to_string(n % 5'000));
  protobuf::append_field(spec, 19, "berth");
  for (int i = 0; i < 2; ++i) protobuf::append_field(spec, 22, std::string(50, 't'));
  std::string status;
  protobuf::append_field(status, 1, "Running");
  for (int i = 0; i < 4; ++i) protobuf::append_field(status, 2, std::string(50, 's'));
  protobuf::append_field(status, 8, std::string(300, 's'));
  std::string pod;
  protobuf::append_field(pod, 1, metadata);
  protobuf::append_field(pod, 2, spec);
  protobuf::append_field(pod, 3, status);
  return pod;
}

std::string protobuf_object(std::string_view kind, std::string_view raw) {
  std::string type;
  protobuf::append_field(type, 1, "v1");
  protobuf::append_field(type, 2, kind);
  std::string object("k8s\0", 4);
  protobuf::append_field(object, 1, type);
  protobuf::append_field(object, 2, raw);
  return object;
}

std::string list_of_pods() {
  std::string items;
  for (int n = 0; n < kPods; ++n) protobuf::append_field(items, 2, protobuf_pod(n));
  std::string metadata;
  protobuf::append_field(metadata, 2, "2000000");
  std::string list;
  protobuf::append_field(list, 1, metadata);
  return protobuf_object("PodList", list + items);
}

std::string watch_of_pods() {
  std::string bytes;
  for (int n = 0; n < kPods; ++n) {
    std::string object;
    protobuf::append_field(object, 1, protobuf_object("Pod", protobuf_pod(n)));
    std::string event;
    protobuf::append_field(event, 1, "ADDED");
    protobuf::append_field(event, 2, object);
    for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(event.size() >> shift & 0xff);
    bytes += event;
  }
  return bytes;
}

std::shared_ptr<const ports::ShownPods> all_that_wait() {
  std::vector<ports::ShownPod> pods;
  for (int n = 0; n < kPods; ++n) {
    if (!waits(n)) continue;
    pods.push_back({uid_of(n), name_space_of(n), name_of(n), "node-1", false, 1});
  }
  return std::make_shared<const ports::ShownPods>(ports::ShownPods::of(std::move(pods)));
}

struct NoCalls final : ports::Attempts {
  Stage of(const std::string&) const override { return Stage::none; }
  bool is_quiet(const std::string&) const override { return false; }
};

void count(benchmark::State& state, std::size_t bytes) {
  state.SetItemsProcessed(state.iterations() * kPods);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
  state.counters["bytes_per_pod"] = static_cast<double>(bytes) / kPods;
}

void FilterList(benchmark::State& state) {
  const std::string body = list_of_pods();
  for (auto _ : state) {
    state.PauseTiming();
    std::string text = body;
    state.ResumeTiming();
    podview::Memory memory;
    const auto out = podview::filter_list(std::move(text), {"berth"}, {}, NoCalls(), memory);
    if (!out || memory.pods.size() != kPods / 10) state.SkipWithError("the list was not read");
    const auto held = static_cast<double>(memory.pods.size());
    state.counters["bytes_per_held_pod"] = static_cast<double>(memory.bytes()) / held;
    benchmark::DoNotOptimize(out);
  }
  count(state, body.size());
}
BENCHMARK(FilterList)->Unit(benchmark::kMillisecond);

void PassWatch(benchmark::State& state) {
  const std::string bytes = watch_of_pods();
  const NoCalls calls;
  for (auto _ : state) {
    auto stream = podview::PodStream::fresh({"berth"}, calls);
    for (std::size_t at = 0; at < bytes.size(); at += kRead) {
      std::string out;
      if (!stream.take(std::string_view(bytes).substr(at, kRead), out)) {
        state.SkipWithError("the watch was not read");
      }
      benchmark::DoNotOptimize(out);
    }
    if (stream.memory().pods.size() != kPods / 10) state.SkipWithError("pods are missing");
  }
  count(state, bytes.size());
}
BENCHMARK(PassWatch)->Unit(benchmark::kMillisecond);

// A table with all pods that wait, and then one without.
void ShowAndWithdraw(benchmark::State& state) {
  const NoCalls calls;
  auto stream = podview::PodStream::fresh({"berth"}, calls);
  std::string out;
  if (!stream.take(watch_of_pods(), out)) state.SkipWithError("the watch was not read");
  const auto table = all_that_wait();
  const auto empty = std::make_shared<const ports::ShownPods>();
  for (auto _ : state) {
    out.clear();
    stream.follow(table, out);
    stream.follow(empty, out);
    benchmark::DoNotOptimize(out);
  }
  state.SetItemsProcessed(state.iterations() * kPods / 10);
}
BENCHMARK(ShowAndWithdraw)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace berth::bench
