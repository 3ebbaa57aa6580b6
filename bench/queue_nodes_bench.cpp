// The cost of choosing nodes for queues. docs/performance.md.

#include <benchmark/benchmark.h>

#include <chrono>
#include <random>
#include <utility>
#include <vector>

#include "plugins/node_reservation/node_set.h"
#include "synthetic.h"

namespace berth::bench {
namespace {

using plugins::NodeChoices;
using plugins::NodeDemand;
using plugins::NodeSet;
using plugins::NodeSetTerms;

constexpr std::size_t kNodes = 5'000;
constexpr std::size_t kDimensions = 3;
constexpr std::uint32_t kNoOwner = ~std::uint32_t{0};

// Milli-cpu, bytes and GPUs; nodes of four kinds, one in five with GPUs. On each node, three queues
// use something.
class Nodes {
 public:
  explicit Nodes(std::size_t queues) {
    const std::int64_t kinds[4][kDimensions] = {{15'500, 60 * kGi, 0},
                                                {31'500, 120 * kGi, 0},
                                                {63'000, 250 * kGi, 0},
                                                {95'000, 1'000 * kGi, 8}};
    std::mt19937_64 random(13);
    const auto below = [&](std::uint64_t bound) {
      return static_cast<std::int64_t>(random() % bound);
    };
    for (std::size_t n = 0; n < kNodes; ++n) {
      const std::int64_t* kind = kinds[below(5) == 0 ? 3 : below(3)];
      Node node;
      for (std::size_t d = 0; d < kDimensions; ++d) {
        node.gives[d] = node.idle[d] = kind[d];
        total_[d] += kind[d];
      }
      for (Use& use : node.uses) {
        use.queue = static_cast<std::uint32_t>(below(queues));
        const std::int64_t tenths = below(4);
        for (std::size_t d = 0; d < kDimensions; ++d) {
          use.amount[d] = kind[d] * tenths / 10;
          node.idle[d] -= use.amount[d];
        }
      }
      nodes_.push_back(node);
    }
    owner_.assign(kNodes, kNoOwner);
  }

  // A part of the cluster, in thousandths: of cpu and memory, and of GPUs for each third queue.
  NodeDemand demand(std::uint32_t queue, std::int64_t thousandths) const {
    NodeDemand demand;
    for (std::size_t d = 0; d < kDimensions; ++d) {
      demand.total.push_back(total_[d]);
      const bool is_asked = d < 2 || queue % 3 == 0;
      demand.target.push_back(is_asked ? total_[d] * thousandths / 1000 : 0);
    }
    return demand;
  }

  // The nodes that no other queue has.
  NodeSet choose(std::uint32_t queue, const NodeDemand& demand) {
    NodeChoices choices;
    choices.dimensions = kDimensions;
    std::vector<std::uint32_t> names;
    for (std::uint32_t n = 0; n < kNodes; ++n) {
      if (owner_[n] != kNoOwner && owner_[n] != queue) continue;
      names.push_back(n);
      choices.is_held.push_back(owner_[n] == queue ? 1 : 0);
      for (std::size_t d = 0; d < kDimensions; ++d) {
        std::int64_t own = 0;
        for (const Use& use : nodes_[n].uses) own += use.queue == queue ? use.amount[d] : 0;
        choices.gives.push_back(nodes_[n].gives[d]);
        choices.own.push_back(own);
        choices.idle.push_back(nodes_[n].idle[d]);
      }
    }
    NodeSetTerms terms;
    terms.margin = 100'000'000;
    const auto begin = std::chrono::steady_clock::now();
    NodeSet set = plugins::choose_node_set(choices, demand, terms);
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    for (const std::uint32_t name : names) owner_[name] = kNoOwner;
    for (std::uint32_t& node : set.nodes) node = names[node];
    for (const std::uint32_t node : set.nodes) owner_[node] = queue;
    return set;
  }

  // Since the last call, to choose alone.
  double seconds() { return std::exchange(seconds_, 0.0); }

  void forget() { owner_.assign(kNodes, kNoOwner); }

 private:
  struct Use {
    std::uint32_t queue = 0;
    std::int64_t amount[kDimensions] = {};
  };
  struct Node {
    std::int64_t gives[kDimensions] = {};
    std::int64_t idle[kDimensions] = {};
    Use uses[3];
  };

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> owner_;
  std::int64_t total_[kDimensions] = {};
  double seconds_ = 0;
};

// One after the other, each without the nodes of those before it. The time is that of the choices;
// the columns, which are made anew each time, are not counted. held 0: nobody has nodes yet. 1: all
// have what they had before. thousandths 0: of 0.2 to 1.6 % of the cluster, else so many.
void QueuesChooseNodes(benchmark::State& state) {
  const auto queues = static_cast<std::uint32_t>(state.range(0));
  Nodes nodes(queues);
  std::size_t locked = 0;
  std::int64_t score = 0;
  const auto choose_all = [&] {
    locked = 0;
    score = 0;
    for (std::uint32_t queue = 0; queue < queues; ++queue) {
      const std::int64_t thousandths = state.range(2) == 0 ? 2 + queue % 15 : state.range(2);
      const NodeSet set = nodes.choose(queue, nodes.demand(queue, thousandths));
      locked += set.nodes.size();
      score += set.score;
    }
  };
  choose_all();
  for (auto _ : state) {
    if (state.range(1) == 0) nodes.forget();
    nodes.seconds();
    choose_all();
    state.SetIterationTime(nodes.seconds());
  }
  state.counters["locked"] = static_cast<double>(locked);
  state.counters["score"] = static_cast<double>(score) / 1e9 / queues;
}
BENCHMARK(QueuesChooseNodes)
    ->ArgNames({"queues", "held", "thousandths"})
    ->ArgsProduct({{50}, {0, 1}, {0}})
    ->ArgsProduct({{1}, {0, 1}, {10, 100, 400}})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

// Sixteen unlike nodes, of which any eight are enough: all sets are tried.
void ExactChoice(benchmark::State& state) {
  NodeChoices choices;
  choices.dimensions = kDimensions;
  NodeDemand demand;
  std::mt19937_64 random(13);
  for (std::size_t n = 0; n < 16; ++n) {
    choices.is_held.push_back(0);
    for (std::size_t d = 0; d < kDimensions; ++d) {
      const auto spread = static_cast<std::uint64_t>(state.range(0));
      choices.gives.push_back(10'000 + static_cast<std::int64_t>(random() % spread));
      choices.own.push_back(static_cast<std::int64_t>(random() % 5'000));
      choices.idle.push_back(static_cast<std::int64_t>(random() % 5'000));
    }
  }
  demand.total.assign(kDimensions, 300'000);
  demand.target.assign(kDimensions, state.range(1) * 10'000);
  NodeSetTerms terms;
  terms.strategy = static_cast<plugins::NodeStrategy>(state.range(2));
  for (auto _ : state) benchmark::DoNotOptimize(choose_node_set(choices, demand, terms));
}
BENCHMARK(ExactChoice)
    ->ArgNames({"spread", "nodes", "strategy"})
    ->ArgsProduct({{100, 20'000}, {4, 8, 12}, {0, 1}})
    ->Unit(benchmark::kMicrosecond);

// A session with nothing to place: 5,000 nodes, 50,000 running pods, 50 queues that are guaranteed
// 50 to 1,030 cpu. relock 0: without the plugin. 1: with it, and no choice is due. 2: all choose.
void SessionWithNodesOfQueues(benchmark::State& state) {
  mirror::Mirror mirror;
  Load load;
  load.nodes = kNodes;
  load.pending_pods = 0;
  load.running_pods = 50'000;
  load.queues = 50;
  fill(mirror, load);
  for (std::size_t q = 0; q < load.queues; ++q) {
    std::string number = std::to_string(q);
    number.insert(0, 7 - number.size(), '0');
    QueueObject queue = mirror::bare_queue("q" + number);
    queue.guarantee = {{"cpu", static_cast<std::int64_t>(50'000 + q * 20'000)}};
    mirror.apply(queue);
  }
  engine::SessionConfig config = config_with_queues();
  if (state.range(0) != 0) config.tiers[1].push_back({{"node_reservation", ""}, {}, {}});
  auto scheduler = engine::Scheduler::create(std::move(config));
  TimePoint now{std::chrono::hours(1)};
  std::size_t locked = 0;
  const auto run = [&] {
    if (state.range(0) == 2) now += std::chrono::seconds(5);
    mirror.settle(now);
    const Plan plan = scheduler->run(mirror.cluster_for_session(), now);
    state.PauseTiming();
    mirror.assume_reservations(plan, now);
    state.ResumeTiming();
    locked = mirror.cluster().locks().for_queues();
  };
  for (auto _ : state) run();
  state.counters["locked"] = static_cast<double>(locked);
}
BENCHMARK(SessionWithNodesOfQueues)
    ->ArgName("relock")
    ->DenseRange(0, 2)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace berth::bench
