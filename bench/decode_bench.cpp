// The cost of a start: pages of a pod list as an API server writes them, decoded into what the
// engine needs, and the memory of a cluster's pods. docs/performance.md.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "kube/codecs.h"
#include "kubeapi/object_reader.h"
#include "mirror/mirror.h"
#include "pod_json.h"
#include "support/protobuf_objects.h"

namespace berth::bench {
namespace {

constexpr int kPage = 500;

std::string page_text(int first, bool has_terms = false) {
  std::string text = R"({"kind":"PodList","apiVersion":"v1",)"
                     R"("metadata":{"resourceVersion":"2000000","continue":"token"},"items":[)";
  for (int n = first; n < first + kPage; ++n) {
    if (n != first) text += ',';
    text += pod_json(n, has_terms);
  }
  return support::protobuf_list(text + "]}", "Pod");
}

std::int64_t resident_kb(const char* which) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::int64_t kb = 0;
    if (word == which && status >> kb) return kb;
  }
  return 0;
}

// One core, from the text of a page to the decoded objects.
void DecodePods(benchmark::State& state) {
  const std::string page = page_text(0);
  const auto reader = kubeapi::protobuf_reader("Pod");
  const kube::TypeName type{"Pod", "v1"};
  std::int64_t pods = 0;
  for (auto _ : state) {
    std::string text = page;
    const auto list = reader->read_page(text, [&](const document::Value& item) {
      auto event = kube::decode(type, item, "pods");
      if (!event) std::abort();
      benchmark::DoNotOptimize(event);
      ++pods;
    });
    if (!list || list->continue_token != "token") state.SkipWithError("the page was not read");
  }
  state.SetItemsProcessed(pods);
  state.SetBytesProcessed(static_cast<std::int64_t>(page.size()) * pods / kPage);
  state.counters["bytes_per_pod"] = static_cast<double>(page.size()) / kPage;
}
BENCHMARK(DecodePods)->Unit(benchmark::kMillisecond);

void ParsePods(benchmark::State& state) {
  const std::string page = page_text(0);
  const auto reader = kubeapi::protobuf_reader("Pod");
  std::int64_t pods = 0;
  for (auto _ : state) {
    std::string text = page;
    (void)reader->read_page(text, [&](const document::Value&) { ++pods; });
  }
  state.SetItemsProcessed(pods);
}
BENCHMARK(ParsePods)->Unit(benchmark::kMillisecond);

void add_nodes(mirror::Mirror& mirror) {
  for (int n = 0; n < 5'000; ++n) {
    NodeObject node;
    node.name = "node-" + std::to_string(n);
    node.uid = "node:" + node.name;
    node.allocatable = {{"cpu", 64'000}, {"memory", 512LL << 30}, {"pods", 110}};
    node.labels = {{"kubernetes.io/hostname", node.name},
                   {"topology.kubernetes.io/zone", "zone-" + std::to_string(n % 3)}};
    mirror.apply(node);
  }
}

// Lists 150,000 pods, decodes them and applies them to a mirror. `queued`: all are decoded before
// the first is applied, the worst case of a slow session thread. They run on 5,000 nodes. `terms`:
// they have four labels and two terms of pod affinity. MiB is the highest resident set of the whole
// process, so only a run of this benchmark alone is meaningful
// (--benchmark_filter=queued:1/terms:0).
void ListPods(benchmark::State& state) {
  const int pods = 150'000;
  const bool queued = state.range(0) == 1;
  const bool has_terms = state.range(1) == 1;
  for (auto _ : state) {
    const auto reader = kubeapi::protobuf_reader("Pod");
    const kube::TypeName type{"Pod", "v1"};
    mirror::Mirror mirror;
    add_nodes(mirror);
    std::vector<ClusterEvent> queue;
    std::int64_t most = 0;
    for (int first = 0; first < pods; first += kPage) {
      state.PauseTiming();
      std::string text = page_text(first, has_terms);
      state.ResumeTiming();
      (void)reader->read_page(text, [&](const document::Value& item) {
        queue.push_back(std::move(kube::decode(type, item, "pods")).value());
        if (queued) return;
        mirror.apply(std::move(queue.back()));
        queue.pop_back();
      });
      most = std::max(most, resident_kb("VmRSS:"));
    }
    for (ClusterEvent& event : queue) mirror.apply(std::move(event));
    benchmark::DoNotOptimize(mirror.cluster_for_session());
    most = std::max(most, resident_kb("VmRSS:"));
    state.counters["MiB"] = static_cast<double>(most) / 1024;
  }
  state.SetItemsProcessed(state.iterations() * pods);
}
BENCHMARK(ListPods)
    ->ArgNames({"queued", "terms"})
    ->Args({0, 0})
    ->Args({1, 0})
    ->Args({0, 1})
    ->Args({1, 1})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace berth::bench
