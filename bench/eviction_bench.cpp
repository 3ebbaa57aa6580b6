// The cost of evicting actions: a plan, the verdict that none would help, and what they add to the
// sessions of a busy cluster. docs/performance.md.

#include <benchmark/benchmark.h>

#include <algorithm>

#include "shipped.h"
#include "synthetic.h"

namespace berth::bench {
namespace {

struct Members {
  std::string job;
  std::string queue;
  std::int32_t priority = 0;
  std::int32_t minimum = 1;
  std::int64_t milli_cpu = 1'000;
  bool is_preemptable = true;
  std::vector<std::size_t> nodes;  // where they run
  std::size_t waiting = 0;         // further ones
  bool never_preempts = false;
};

std::string node_name(std::size_t number) {
  const std::string digits = std::to_string(number);
  return "n" + std::string(7 - digits.size(), '0') + digits;
}

NamedAmounts request_of(std::int64_t milli_cpu) {
  return {{"cpu", milli_cpu}, {"memory", milli_cpu * kGi / 500}, {"pods", 1}};
}

void add(mirror::Mirror& mirror, const Members& members) {
  PodGroupObject group;
  group.scheduler = "berth";
  group.name_space = "bench";
  group.name = members.job;
  group.uid = "group:" + members.job;
  group.queue = members.queue;
  group.min_member = members.minimum;
  group.phase = members.nodes.empty() ? GroupPhase::inqueue : GroupPhase::running;
  mirror.apply(group);
  for (std::size_t m = 0; m < members.nodes.size() + members.waiting; ++m) {
    PodObject pod;
    pod.name_space = "bench";
    pod.group = members.job;
    pod.name = members.job + "-" + std::to_string(m);
    pod.uid = "pod:" + pod.name;
    pod.index = static_cast<std::int64_t>(m);
    pod.scheduler_name = "berth";
    pod.priority = members.priority;
    pod.eviction.preemptable = members.is_preemptable;
    pod.never_preempts = members.never_preempts;
    pod.request = request_of(members.milli_cpu);
    if (m < members.nodes.size()) {
      pod.node_name = node_name(members.nodes[m]);
      pod.phase = PodPhase::running;
    }
    mirror.apply(pod);
  }
}

// A pod of another scheduler.
void add_foreign(mirror::Mirror& mirror, const std::string& name, std::size_t node,
                 std::int64_t milli_cpu) {
  PodObject pod;
  pod.name_space = "other";
  pod.name = name;
  pod.uid = "pod:" + name;
  pod.scheduler_name = "default-scheduler";
  pod.node_name = node_name(node);
  pod.phase = PodPhase::running;
  pod.request = request_of(milli_cpu);
  mirror.apply(pod);
}

void add_nodes_and_queues(mirror::Mirror& mirror, std::size_t nodes,
                          const std::vector<std::string>& queues) {
  Load load;
  load.nodes = nodes;
  load.pending_pods = 0;
  fill(mirror, load);
  for (const std::string& queue : queues) mirror.apply(mirror::bare_queue(queue));
}

// One pod of another scheduler comes and goes, so that each session finds another state.
class Sessions {
 public:
  Sessions(mirror::Mirror& mirror, engine::SessionConfig config)
      : mirror_(mirror), scheduler_(engine::Scheduler::create(std::move(config)).value()) {
    mirror_.settle(now_);
  }

  void change() {
    if (std::exchange(is_there_, !is_there_)) {
      mirror_.apply(PodDeleted{"pod:change"});
    } else {
      add_foreign(mirror_, "change", 0, 0);
    }
  }
  Plan run() {
    mirror_.settle(now_);
    return scheduler_.run(mirror_.cluster_for_session(), now_, &times_);
  }
  // The mean time of each action in all sessions since the last call.
  void report(benchmark::State& state) {
    for (const auto& [action, took] : times_.took) {
      if (state.iterations() == 0 || took.count() < 1'000) continue;
      state.counters[action + "_us"] =
          static_cast<double>(took.count()) / 1e3 / static_cast<double>(state.iterations());
    }
  }
  void restart() { times_.took.clear(); }
  void assume(const Plan& plan) { mirror_.assume(plan, now_); }
  void forget() { scheduler_.forget(); }

 private:
  struct Times final : engine::SessionObserver {
    void action_done(std::string_view action, std::chrono::nanoseconds time) override {
      took[std::string(action)] += time;
    }
    std::map<std::string, std::chrono::nanoseconds> took;
  };

  mirror::Mirror& mirror_;
  engine::Scheduler scheduler_;
  Times times_;
  TimePoint now_ = kNow;
  bool is_there_ = false;
};

enum Action { kPreempt, kReclaim };

// 4,000 pods of 4, 8 and 16 CPUs fill 500 nodes of 64, in jobs of 10. `elastic`: this many jobs of
// a hundred have a minimum of 5.
void run_jobs_of_ten(mirror::Mirror& mirror, std::size_t elastic, const std::string& queue) {
  constexpr std::size_t kNodes = 500;
  std::mt19937_64 random(12);
  std::size_t number = 0;
  for (const auto& [milli_cpu, on_a_node] :
       std::vector<std::pair<std::int64_t, std::size_t>>{{4'000, 2}, {8'000, 5}, {16'000, 1}}) {
    std::vector<std::size_t> places;
    for (std::size_t p = 0; p < kNodes * on_a_node; ++p) places.push_back(p % kNodes);
    std::shuffle(places.begin(), places.end(), random);
    for (auto from = places.begin(); from != places.end(); from += 10) {
      const std::int32_t minimum = number * 37 % 100 < elastic ? 5 : 10;
      add(mirror, {"run" + std::to_string(number++),
                   queue,
                   0,
                   minimum,
                   milli_cpu,
                   true,
                   {from, from + 10}});
    }
  }
}

// A gang of 500 takes an eighth of what 4,000 running pods have: as a job of higher priority, or of
// a queue that is due half of the cluster, for which more pods wait that evict nobody. The whole
// session.
void add_gang(mirror::Mirror& mirror, Action action, std::size_t elastic, bool is_more_due) {
  add_nodes_and_queues(mirror, 500, {"busy", "due"});
  run_jobs_of_ten(mirror, elastic, "busy");
  const bool reclaims = action == kReclaim;
  add(mirror, {"gang", reclaims ? "due" : "busy", reclaims ? 0 : 100, 500, 8'000, true, {}, 500});
  if (is_more_due) add(mirror, {"later", "due", 0, 2'000, 8'000, true, {}, 2'000, true});
}

void PlanForAGang(benchmark::State& state) {
  const auto action = static_cast<Action>(state.range(0));
  mirror::Mirror mirror;
  add_gang(mirror, action, static_cast<std::size_t>(state.range(1)), action == kReclaim);
  Sessions sessions(mirror, shipped());
  sessions.run();
  std::size_t evicted = 0;
  sessions.restart();
  for (auto _ : state) {
    state.PauseTiming();
    sessions.change();
    state.ResumeTiming();
    const Plan plan = sessions.run();
    evicted = plan.evictions.size();
    if (plan.pipelined.size() != 500) state.SkipWithError("the gang has no plan");
  }
  sessions.report(state);
  state.counters["evicted"] = static_cast<double>(evicted);
}
BENCHMARK(PlanForAGang)
    ->ArgNames({"reclaim", "elastic"})
    ->ArgsProduct({{kPreempt, kReclaim}, {0, 20, 100}})
    ->Unit(benchmark::kMillisecond);

// The other queue is beyond its share by what the gang asks for, to the last pod. The search finds
// no plan, in all its tries.
void SearchInVain(benchmark::State& state) {
  mirror::Mirror mirror;
  add_gang(mirror, kReclaim, 20, false);
  Sessions sessions(mirror, shipped());
  sessions.run();
  sessions.restart();
  for (auto _ : state) {
    state.PauseTiming();
    sessions.change();
    state.ResumeTiming();
    if (!sessions.run().evictions.empty()) state.SkipWithError("there is a plan");
  }
  sessions.report(state);
}
BENCHMARK(SearchInVain)->Unit(benchmark::kMillisecond);

enum Hopeless { kBySums, kByNodes, kNobody, kProtected };

// 5,000 nodes of 64 CPUs. 100,000 pods of one queue have half of each, or all of every second; pods
// of another scheduler, which end but never leave, have the rest. A gang waits that would fit an
// empty cluster. why 0: all that could leave have too little; 1: each node would have a little less
// than a member asks for; 2: the actions may take nobody; 3: all users forbid it. evicting 0:
// enqueue, allocate and backfill; 1: all that is shipped.
void fill_hopelessly(mirror::Mirror& mirror, Action action, Hopeless why) {
  constexpr std::size_t kNodes = 5'000;
  add_nodes_and_queues(mirror, kNodes, {"busy", "due"});
  QueueObject busy = mirror::bare_queue("busy");
  busy.reclaimable = why != kNobody || action != kReclaim;
  mirror.apply(busy);
  QueueObject due = mirror::bare_queue("due");
  due.weight = 9;
  mirror.apply(due);
  std::mt19937_64 random(12);
  std::vector<std::size_t> places;
  for (std::size_t p = 0; p < 100'000; ++p) {
    places.push_back(why == kBySums ? p % (kNodes / 2) * 2 : p % kNodes);
  }
  std::shuffle(places.begin(), places.end(), random);
  std::size_t number = 0;
  for (auto from = places.begin(); from != places.end(); from += 10) {
    const std::int32_t priority = action == kPreempt && why != kNobody ? -10 : 0;
    add(mirror, {"run" + std::to_string(number++),
                 "busy",
                 priority,
                 10,
                 1'600,
                 why != kProtected,
                 {from, from + 10}});
  }
  for (std::size_t n = 0; n < kNodes; ++n) {
    if (why != kBySums) add_foreign(mirror, "other" + std::to_string(n), n, 32'000);
    if (why == kBySums && n % 2 == 1) add_foreign(mirror, "other" + std::to_string(n), n, 64'000);
  }
  const std::size_t members = why == kBySums ? 2'600 : 512;
  const std::int64_t milli_cpu = why == kByNodes ? 33'000 : (why == kBySums ? 62'000 : 16'000);
  add(mirror, {"gang",
               action == kReclaim ? "due" : "busy",
               0,
               static_cast<std::int32_t>(members),
               milli_cpu,
               true,
               {},
               members});
}

void NoEvictionHelps(benchmark::State& state) {
  mirror::Mirror mirror;
  fill_hopelessly(mirror, static_cast<Action>(state.range(0)),
                  static_cast<Hopeless>(state.range(1)));
  Sessions sessions(mirror,
                    state.range(2) != 0 ? shipped() : shipped({"enqueue", "allocate", "backfill"}));
  sessions.run();
  sessions.restart();
  std::string label;
  for (auto _ : state) {
    state.PauseTiming();
    sessions.change();
    state.ResumeTiming();
    const Plan plan = sessions.run();
    if (!plan.evictions.empty()) state.SkipWithError("somebody leaves");
    label = plan.considered.empty() ? plan.refusals.at(0).message("?") : plan.considered[0].text();
  }
  sessions.report(state);
  state.SetLabel(label);
}
BENCHMARK(NoEvictionHelps)
    ->ArgNames({"reclaim", "why", "evicting"})
    ->ArgsProduct({{kPreempt, kReclaim}, {kBySums, kByNodes, kNobody, kProtected}, {0, 1}})
    ->Unit(benchmark::kMillisecond);

// 5,000 nodes full of 100,000 pods in jobs of 10, one of ten elastic, of 10 queues. A queue has two
// pods on a node, but for one node that it has alone. Jobs of 10 to 16 pods wait in all queues,
// with 3 priorities and 20 requests. No eviction would help them: nine of them would fit the one
// node and none another, and no queue is beyond its share.
void fill_busily(mirror::Mirror& mirror, std::size_t waiting) {
  constexpr std::size_t kNodes = 5'000;
  constexpr std::size_t kQueues = 10;
  std::vector<std::string> queues;
  for (std::size_t q = 0; q < kQueues; ++q) queues.push_back("q" + std::to_string(q));
  add_nodes_and_queues(mirror, kNodes, queues);
  std::mt19937_64 random(12);
  std::size_t number = 0;
  for (std::size_t q = 0; q < kQueues; ++q) {
    std::vector<std::size_t> places(2 * kQueues, q);
    for (std::size_t n = kQueues; n < kNodes; ++n) places.insert(places.end(), 2, n);
    std::shuffle(places.begin(), places.end(), random);
    for (auto from = places.begin(); from != places.end(); from += 10, ++number) {
      add(mirror, {"run" + std::to_string(number),
                   queues[q],
                   static_cast<std::int32_t>(number % 3),
                   number % 10 == 0 ? 5 : 10,
                   3'200,
                   true,
                   {from, from + 10}});
    }
  }
  for (std::size_t j = 0; j < waiting; ++j) {
    const std::size_t size = 10 + random() % 7;
    add(mirror, {"wait" + std::to_string(j),
                 queues[j % kQueues],
                 static_cast<std::int32_t>(random() % 3),
                 static_cast<std::int32_t>(size),
                 static_cast<std::int64_t>(7'000 + 100 * (random() % 20)),
                 true,
                 {},
                 size});
  }
}

// evicting: as above. changes 1: a pod of another scheduler has come or gone.
void BusySession(benchmark::State& state) {
  mirror::Mirror mirror;
  fill_busily(mirror, static_cast<std::size_t>(state.range(0)));
  Sessions sessions(mirror,
                    state.range(1) != 0 ? shipped() : shipped({"enqueue", "allocate", "backfill"}));
  sessions.assume(sessions.run());
  sessions.run();
  sessions.restart();
  for (auto _ : state) {
    state.PauseTiming();
    if (state.range(2) != 0) sessions.change();
    state.ResumeTiming();
    const Plan plan = sessions.run();
    if (!plan.evictions.empty() || !plan.binds.empty()) state.SkipWithError("there is a plan");
    state.counters["refused"] = static_cast<double>(plan.refusals.size());
    state.counters["considered"] = static_cast<double>(plan.considered.size());
  }
  sessions.report(state);
}
BENCHMARK(BusySession)
    ->ArgNames({"waiting", "evicting", "changes"})
    ->ArgsProduct({{0, 1'000, 10'000}, {0, 1}, {0, 1}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace berth::bench
