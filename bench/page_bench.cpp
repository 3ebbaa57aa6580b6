// The cost of the page for the session thread, and for the one that makes its texts.
// docs/performance.md.

#include <benchmark/benchmark.h>

#include <algorithm>

#include "page/collector.h"
#include "page/history.h"
#include "page/store.h"
#include "page/texts.h"
#include "synthetic.h"

namespace berth::bench {
namespace {

// 5,000 nodes with 20,000 pods; about 700 jobs wait, each with a message of the usual length.
class Page {
 public:
  Page() {
    Load load;
    load.running_pods = 20'000;
    load.pending_pods = 180'000;
    load.gpus = 8;
    load.queues = 24;
    fill(mirror, load);
    mirror.settle(kNow);
    waiting.code = "gang_not_ready";
    waiting.message =
        "12 of 64 members could be placed; 0/5000 nodes fit ml/train-1234-12: 4988 insufficient "
        "nvidia.com/gpu (8 needed, at most 4 idle), 12 locked for another job";
    for (std::size_t j = 0; j < mirror.cluster().job_slots(); ++j) {
      const Job& job = mirror.cluster().job(JobId(j));
      if (job.exists && job.count(TaskStatus::pending) > 0) waiting_jobs.push_back(job.id);
    }
  }
  page::Batch collect() {
    now += std::chrono::seconds(1);
    return collector.collect(mirror.cluster(), reasons, now);
  }
  // The pods of the first jobs that run are deleted and come back: so many nodes change.
  void change(std::size_t pods) {
    Cluster& cluster = mirror.cluster_for_session();
    std::size_t changed = 0;
    for (std::size_t t = 0; t < cluster.task_slots() && changed < pods; ++t) {
      const Task task = cluster.task(TaskId(t));
      if (task.status != TaskStatus::running) continue;
      cluster.move_task(TaskId(t), task.node, TaskStatus::releasing);
      cluster.move_task(TaskId(t), task.node, TaskStatus::running);
      ++changed;
    }
  }

  mirror::Mirror mirror;
  page::Collector collector;
  TimePoint now = kNow;
  reconcile::Waiting waiting;
  std::vector<JobId> waiting_jobs;
  page::Collector::Reasons reasons{[this](JobId id) {
                                     const bool waits =
                                         mirror.cluster().job(id).count(TaskStatus::pending) > 0;
                                     return waits ? waiting.code : std::string();
                                   },
                                   [this](JobId) { return waiting; }};
};

// The first look.
void collect_all(benchmark::State& state) {
  Page page;
  for (auto _ : state) {
    page.collector.forget();
    benchmark::DoNotOptimize(page.collect());
  }
}

// Each further second: pods have changed, and each reason may have.
void collect_changes(benchmark::State& state) {
  Page page;
  page.collect();
  for (auto _ : state) {
    state.PauseTiming();
    page.change(static_cast<std::size_t>(state.range(0)));
    if (state.range(1) != 0) page.collector.note(page.waiting_jobs);
    state.ResumeTiming();
    const page::Batch batch = page.collect();
    state.counters["nodes"] = static_cast<double>(batch.nodes.size());
    state.counters["jobs"] = static_cast<double>(batch.jobs.size());
  }
  state.counters["waiting"] = static_cast<double>(page.waiting_jobs.size());
}

void put_all(const page::Batch& batch, page::Store& store) {
  for (const page::NodePart& node : batch.nodes) {
    store.put(page::Section::nodes, node.name, page::text_of(node));
  }
  for (const page::JobPart& job : batch.jobs) {
    store.put(page::Section::jobs, std::to_string(job.id), page::text_of(job));
  }
  store.commit();
}

// The page's thread: texts of all, and the document.
void write_all(benchmark::State& state) {
  Page page;
  const page::Batch batch = page.collect();
  for (auto _ : state) {
    page::Store store("bench");
    put_all(batch, store);
    const std::string document = store.document(std::nullopt, kNow);
    state.counters["KB"] = static_cast<double>(document.size()) / 1e3;
  }
}

// The part of each session, whether somebody looks or not.
void remember_session(benchmark::State& state) {
  page::History history;
  page::SessionRecord record;
  record.actions.assign(8, {"allocate", std::chrono::milliseconds(1)});
  record.waits.assign(4, std::chrono::minutes(3));
  for (auto _ : state) {
    record.at += std::chrono::seconds(1);
    history.add(record);
  }
}

BENCHMARK(collect_all)->Unit(benchmark::kMillisecond);
BENCHMARK(collect_changes)
    ->Unit(benchmark::kMicrosecond)
    ->Args({0, 0})
    ->Args({100, 0})
    ->Args({100, 1})
    ->Args({5'000, 1});
BENCHMARK(write_all)->Unit(benchmark::kMillisecond);
BENCHMARK(remember_session)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace berth::bench
