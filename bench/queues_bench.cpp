// The cost of dividing the cluster among queues. docs/performance.md.

#include <benchmark/benchmark.h>

#include <malloc.h>

#include "plugins/proportion/queue_division.h"
#include "shipped.h"
#include "synthetic.h"

namespace berth::bench {
namespace {

constexpr std::size_t kManyNodes = 5'000;
constexpr std::size_t kJobs = 10'000;

std::string name_of(const char* prefix, std::size_t number) {
  return prefix + std::to_string(number);
}

// 1,000 queues in 3 levels: 10 at the top, 9 below each, 10 below each of those. Half of the leaves
// have a guarantee, a third have a capability. 10,000 jobs of 8 pods, half of them running.
void fill_queues(mirror::Mirror& mirror) {
  Load load;
  load.nodes = kManyNodes;
  load.pending_pods = 0;
  fill(mirror, load);
  std::mt19937_64 random(7);
  std::vector<std::string> leaves;
  std::size_t number = 0;
  const auto add = [&](const std::string& parent) {
    QueueObject queue = mirror::bare_queue(name_of("q", number++));
    queue.parent = parent;
    queue.weight = static_cast<std::int32_t>(1 + random() % 9);
    mirror.apply(queue);
    return queue;
  };
  for (int top = 0; top < 10; ++top) {
    const std::string above = add("").name;
    for (int middle = 0; middle < 9; ++middle) {
      const std::string parent = add(above).name;
      for (int leaf = 0; leaf < 10; ++leaf) {
        QueueObject queue = add(parent);
        if (leaf % 2 == 0) queue.guarantee["cpu"] = static_cast<std::int64_t>(random() % 100'000);
        if (leaf % 3 == 0) queue.capability["cpu"] = 2'000'000;
        mirror.apply(queue);
        leaves.push_back(queue.name);
      }
    }
  }
  for (std::size_t j = 0; j < kJobs; ++j) {
    PodGroupObject group;
    group.scheduler = "berth";
    group.name_space = "bench";
    group.name = name_of("j", j);
    group.uid = group.name;
    group.queue = leaves[random() % leaves.size()];
    group.min_member = 4;
    group.min_resources = NamedAmounts{{"cpu", 40'000}};
    group.phase = j % 2 == 0 ? GroupPhase::running : GroupPhase::inqueue;
    mirror.apply(group);
    for (int member = 0; member < 8; ++member) {
      PodObject pod;
      pod.name_space = "bench";
      pod.group = group.name;
      pod.name = group.name + "-" + std::to_string(member);
      pod.uid = pod.name;
      pod.scheduler_name = "berth";
      pod.request = {{"cpu", 7'000}, {"memory", std::int64_t{24} << 30}, {"pods", 1}};
      if (j % 2 == 0) {
        pod.node_name = mirror.cluster().node(NodeId((j * 8 + 7) % kManyNodes)).name;
        pod.phase = PodPhase::running;
      }
      mirror.apply(pod);
    }
  }
  mirror.settle(TimePoint());
}

// All shares, from the queues' accounts.
void DivideAmongQueues(benchmark::State& state) {
  mirror::Mirror mirror;
  fill_queues(mirror);
  engine::QueueTree tree;
  tree.refresh(mirror.cluster());
  plugins::QueueDivision division;
  for (auto _ : state) {
    benchmark::DoNotOptimize(division.divide(mirror.cluster(), tree, false));
  }
  state.counters["queues"] = static_cast<double>(tree.size() - 1);
}
BENCHMARK(DivideAmongQueues)->Unit(benchmark::kMicrosecond);

// The same after a change of a queue's configuration: guarantees and capabilities too.
void DivideAfterAQueueChanged(benchmark::State& state) {
  mirror::Mirror mirror;
  fill_queues(mirror);
  engine::QueueTree tree;
  plugins::QueueDivision division;
  QueueObject queue = mirror::bare_queue("default");
  for (auto _ : state) {
    state.PauseTiming();
    queue.weight = 3 - queue.weight;
    mirror.apply(queue);
    state.ResumeTiming();
    tree.refresh(mirror.cluster());
    benchmark::DoNotOptimize(division.divide(mirror.cluster(), tree, false));
  }
}
BENCHMARK(DivideAfterAQueueChanged)->Unit(benchmark::kMicrosecond);

// A session in which nothing has changed, without and with the plugin: the difference is its cost.
void IdleSessionWithQueues(benchmark::State& state) {
  mirror::Mirror mirror;
  fill_queues(mirror);
  engine::SessionConfig config = default_config();
  config.actions.clear();
  if (state.range(0) != 0) config.tiers[1].push_back({{"proportion", ""}, {}, {}});
  auto scheduler = engine::Scheduler::create(std::move(config));
  scheduler->run(mirror.cluster_for_session(), TimePoint{});
  for (auto _ : state) {
    benchmark::DoNotOptimize(scheduler->run(mirror.cluster_for_session(), TimePoint{}));
  }
}
BENCHMARK(IdleSessionWithQueues)
    ->ArgName("proportion")
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMicrosecond);

// Jobs of four pods wait in ten queues on full nodes. Before each session a pod has ended, and the
// room that it leaves is enough for none of them. Without and with their order.
void SessionOfWaitingJobs(benchmark::State& state) {
  mirror::Mirror mirror;
  Load load;
  load.nodes = 1'000;
  load.pending_pods = 0;
  load.queues = 10;
  fill(mirror, load);
  const auto add_pod = [&](const std::string& group, const std::string& name, std::int64_t cpu,
                           const std::string& node) {
    PodObject pod;
    pod.name_space = "bench";
    pod.group = group;
    pod.name = pod.uid = name;
    pod.scheduler_name = "berth";
    pod.request = {{"cpu", cpu}, {"memory", std::int64_t{1} << 30}, {"pods", 1}};
    pod.node_name = node;
    pod.phase = node.empty() ? PodPhase::pending : PodPhase::running;
    mirror.apply(pod);
  };
  for (std::size_t n = 0; n < load.nodes; ++n) {
    const std::string& node = mirror.cluster().node(NodeId(n)).name;
    add_pod("", name_of("big", n), 40'000, node);
    add_pod("", name_of("small", n), 1'000, node);
  }
  for (std::size_t j = 0; j < static_cast<std::size_t>(state.range(0)); ++j) {
    PodGroupObject group;
    group.scheduler = "berth";
    group.name_space = "bench";
    group.name = group.uid = name_of("j", j);
    group.queue = mirror.cluster().queue(QueueId(1 + j % load.queues)).name;
    group.min_member = 4;
    mirror.apply(group);
    for (int member = 0; member < 4; ++member) {
      add_pod(group.name, group.name + "-" + std::to_string(member), 30'000, "");
    }
  }
  mirror.settle(TimePoint());
  auto scheduler = engine::Scheduler::create(config_with_queues());
  mirror.assume(scheduler->run(mirror.cluster_for_session(), TimePoint{}), TimePoint());
  std::size_t ended = 0;
  for (auto _ : state) {
    state.PauseTiming();
    mirror.apply(PodDeleted{name_of("small", ended++ % load.nodes)});
    mirror.settle(TimePoint());
    state.ResumeTiming();
    const Plan plan = scheduler->run(mirror.cluster_for_session(), TimePoint{}, nullptr,
                                     [&](const Plan&) { return state.range(1) != 0; });
    if (!plan.binds.empty() || plan.refusals.size() < static_cast<std::size_t>(state.range(0))) {
      state.SkipWithError("not all jobs wait");
    }
  }
}
BENCHMARK(SessionOfWaitingJobs)
    ->ArgNames({"jobs", "order"})
    ->ArgsProduct({{100, 1'000, 10'000}, {0, 1}})
    ->Iterations(200)
    ->Unit(benchmark::kMicrosecond);

// 100,000 pods in gangs of 16 to 512 on 5,000 nodes, placed in one session: without and with the
// plugins that divide the cluster.
void PlaceGangsInQueues(benchmark::State& state) {
  mirror::Mirror mirror;
  Load load;
  load.nodes = kManyNodes;
  load.queues = static_cast<std::size_t>(state.range(0));
  fill(mirror, load);
  const bool with_plugins = state.range(1) != 0;
  auto scheduler =
      engine::Scheduler::create(with_plugins ? config_with_queues() : default_config());
  std::size_t placed = 0;
  for (auto _ : state) {
    placed += scheduler->run(mirror.cluster_for_session(), TimePoint{}).binds.size();
  }
  state.counters["placements/s"] =
      benchmark::Counter(static_cast<double>(placed), benchmark::Counter::kIsRate);
}
BENCHMARK(PlaceGangsInQueues)
    ->ArgNames({"queues", "plugins"})
    ->Args({1, 0})
    ->Args({1, 1})
    ->Args({100, 0})
    ->Args({100, 1})
    ->Unit(benchmark::kMillisecond);

enum Queues : std::int64_t {
  kWait,       // jobs of all queues come to a cluster with nobody
  kGuarantee,  // so they do, and each queue guarantees its part of two thirds
  kBeyond,     // the first queues run beyond their shares, and jobs wait in all
  kKept,       // so they do, and the jobs that wait are entitled, but nobody may be evicted
};

// 10,000 jobs of two pods in so many queues, all below the root; 3,200 of them fit on 100 nodes.
void fill_with_queues(mirror::Mirror& mirror, std::size_t queues, Queues kind) {
  constexpr std::size_t kPlaces = 6'400;
  Load load;
  load.nodes = 100;
  load.pending_pods = 0;
  fill(mirror, load);
  std::size_t placed = 0;
  for (std::size_t j = 0; j < kJobs; ++j) {
    const bool runs = kind >= kBeyond && placed < kPlaces;
    PodGroupObject group;
    group.scheduler = "berth";
    group.name_space = "bench";
    group.name = group.uid = name_of("j", j);
    group.queue = name_of("q", runs ? j % (queues / 4) : j % queues);
    group.min_member = 2;
    group.min_resources = NamedAmounts{{"cpu", 2'000}};
    group.phase = runs ? GroupPhase::running : GroupPhase::inqueue;
    if (j % 2 != 0 && !runs) group.phase = GroupPhase::pending;
    mirror.apply(group);
    for (int member = 0; member < 2; ++member) {
      PodObject pod;
      pod.name_space = "bench";
      pod.group = group.name;
      pod.name = pod.uid = group.name + "-" + std::to_string(member);
      pod.scheduler_name = "berth";
      const std::int64_t milli_cpu = kind == kKept && !runs ? 250 : 1'000;
      pod.request = {{"cpu", milli_cpu}, {"memory", std::int64_t{1} << 30}, {"pods", 1}};
      pod.eviction.preemptable = kind != kKept;
      if (runs) {
        pod.node_name = mirror.cluster().node(NodeId(placed++ % load.nodes)).name;
        pod.phase = PodPhase::running;
      }
      mirror.apply(pod);
    }
  }
  // As the API lists them, after the jobs.
  for (std::size_t q = 0; q < queues; ++q) {
    QueueObject queue = mirror::bare_queue(name_of("q", q));
    if (kind == kGuarantee) {
      queue.guarantee["cpu"] = static_cast<std::int64_t>(4'000'000 / queues);
    }
    mirror.apply(queue);
  }
  mirror.settle(TimePoint());
}

// The first session, as shipped. The counters are of it alone.
void SessionOfManyQueues(benchmark::State& state) {
  mirror::Mirror mirror;
  fill_with_queues(mirror, static_cast<std::size_t>(state.range(0)),
                   static_cast<Queues>(state.range(1)));
  Plan plan;
  for (auto _ : state) {
    state.PauseTiming();
    plan = Plan();
    auto scheduler = engine::Scheduler::create(shipped());
    malloc_trim(0);
    const double before = resident_mib();
    state.ResumeTiming();
    plan = scheduler->run(mirror.cluster_for_session(), TimePoint{});
    state.PauseTiming();
    state.counters["MiB_more"] = resident_mib() - before;
    state.ResumeTiming();
  }
  state.counters["binds"] = static_cast<double>(plan.binds.size());
  state.counters["refused"] = static_cast<double>(plan.refusals.size());
  state.counters["considered"] = static_cast<double>(plan.considered.size());
  state.counters["evictions"] = static_cast<double>(plan.evictions.size());
}
BENCHMARK(SessionOfManyQueues)
    ->ArgNames({"queues", "kind"})
    ->ArgsProduct({{100, 1'000, 3'000, 10'000}, {kWait, kGuarantee, kBeyond, kKept}})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace berth::bench
