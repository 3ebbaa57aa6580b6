#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iostream>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "plugins/node_reservation/node_set.h"
#include "support/seeds.h"

// Laws of the choice of a queue's nodes, against all sets that there are. Small clusters of one to
// three dimensions. A seed that fails is printed; BERTH_SEED=<seed> plays it alone.

namespace berth::plugins::node_set_property_test {
namespace {

using Nodes = std::vector<std::uint32_t>;

constexpr std::uint64_t kSeeds = 2'500;
constexpr std::int64_t kGi = std::int64_t{1} << 30;

std::int64_t between(std::mt19937_64& random, std::int64_t least, std::int64_t most) {
  return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
}

struct Cluster {
  NodeChoices choices;
  NodeDemand demand;
};

// Milli-cpu, bytes and GPUs. Nodes of a few kinds or all unlike; used in part, by the queue or by
// others; some are held. The demand is a part of what all give, seldom more than it.
Cluster cluster_of(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Cluster cluster;
  NodeChoices& choices = cluster.choices;
  choices.dimensions = static_cast<std::size_t>(between(random, 1, 3));
  const std::int64_t sizes[3][2] = {{2'000, 64'000}, {4 * kGi, 512 * kGi}, {0, 8}};
  const bool has_kinds = between(random, 0, 1) == 1;
  std::vector<std::vector<std::int64_t>> kinds;
  for (int kind = 0; kind < 3; ++kind) {
    kinds.push_back({between(random, 2, 16) * 4'000, between(random, 1, 16) * 32 * kGi,
                     between(random, 0, 2) * 4});
  }
  const std::int64_t count = between(random, 2, 12);
  cluster.demand.total.assign(choices.dimensions, 0);
  std::vector<std::int64_t> all(choices.dimensions, 0);
  for (std::int64_t n = 0; n < count; ++n) {
    const auto& kind = kinds[static_cast<std::size_t>(between(random, 0, 2))];
    choices.is_held.push_back(between(random, 0, 3) == 0 ? 1 : 0);
    const std::int64_t use = between(random, 0, 3);  // 0: nobody, 1: the queue, else both
    for (std::size_t d = 0; d < choices.dimensions; ++d) {
      const std::int64_t gives = has_kinds ? kind[d] : between(random, sizes[d][0], sizes[d][1]);
      const std::int64_t used = use == 0 ? 0 : between(random, 0, gives);
      const std::int64_t own = use == 1 ? used : between(random, 0, used);
      choices.gives.push_back(gives);
      choices.own.push_back(own);
      choices.idle.push_back(gives - used);
      all[d] += gives;
    }
  }
  for (std::size_t d = 0; d < choices.dimensions; ++d) {
    cluster.demand.total[d] = all[d] * between(random, 10, 30) / 10;
    const std::int64_t percent = between(random, 0, 5) == 0 ? 0 : between(random, 5, 101);
    cluster.demand.target.push_back(all[d] * percent / 100);
  }
  if (between(random, 0, 5) == 0) {
    cluster.demand.nodes = static_cast<std::size_t>(between(random, 1, count));
  }
  return cluster;
}

// All sets, as bits.
class Sets {
 public:
  explicit Sets(const Cluster& cluster, NodeSetTerms terms = {})
      : cluster_(cluster), terms_(std::move(terms)) {
    const std::size_t count = cluster.choices.size();
    const std::size_t dimensions = cluster.choices.dimensions;
    std::vector<std::int64_t> sums((std::size_t{1} << count) * dimensions, 0);
    is_enough_.assign(std::size_t{1} << count, false);
    for (std::size_t set = 0; set < is_enough_.size(); ++set) {
      const auto node = static_cast<std::size_t>(std::countr_zero(set));
      bool is_enough = true;
      for (std::size_t d = 0; d < dimensions; ++d) {
        std::int64_t& sum = sums[set * dimensions + d];
        if (set != 0) {
          sum = sums[(set & (set - 1)) * dimensions + d] +
                cluster.choices.gives[node * dimensions + d];
        }
        if (sum < cluster.demand.target[d]) is_enough = false;
      }
      const auto nodes = static_cast<std::size_t>(std::popcount(set));
      is_enough_[set] = cluster.demand.nodes != 0 ? nodes == cluster.demand.nodes : is_enough;
      if (is_enough_[set]) fewest_ = std::min(fewest_, nodes);
    }
  }

  bool is_any_enough() const { return fewest_ != std::numeric_limits<std::size_t>::max(); }
  std::size_t fewest() const { return fewest_; }
  bool is_enough(const Nodes& nodes) const { return is_enough_[bits_of(nodes)]; }
  bool is_minimal(const Nodes& nodes) const { return is_minimal(bits_of(nodes)); }
  std::int64_t score(const Nodes& nodes) const {
    return score_of(cluster_.choices, cluster_.demand, terms_, nodes, fewest_);
  }

  // The best by score, then fewer nodes, then names.
  Nodes best() const {
    Nodes best;
    std::int64_t most = -1;
    for (std::size_t set = 0; set < is_enough_.size(); ++set) {
      if (!is_enough_[set] || !is_minimal(set)) continue;
      Nodes nodes;
      for (std::uint32_t n = 0; n < cluster_.choices.size(); ++n) {
        if ((set >> n & 1) != 0) nodes.push_back(n);
      }
      const std::int64_t now = score(nodes);
      if (now < most) continue;
      if (now == most && std::pair(best.size(), best) < std::pair(nodes.size(), nodes)) continue;
      most = now;
      best = std::move(nodes);
    }
    return best;
  }

 private:
  static std::size_t bits_of(const Nodes& nodes) {
    std::size_t set = 0;
    for (const std::uint32_t node : nodes) set |= std::size_t{1} << node;
    return set;
  }
  bool is_minimal(std::size_t set) const {
    for (std::size_t rest = set; rest != 0; rest &= rest - 1) {
      if (is_enough_[set ^ (rest & -rest)]) return false;
    }
    return is_enough_[set];
  }

  const Cluster& cluster_;
  NodeSetTerms terms_;
  std::vector<bool> is_enough_;
  std::size_t fewest_ = std::numeric_limits<std::size_t>::max();
};

bool asks_for_something(const NodeDemand& demand) {
  return demand.nodes != 0 || std::any_of(demand.target.begin(), demand.target.end(),
                                          [](std::int64_t each) { return each > 0; });
}

Cluster none_held(Cluster cluster) {
  std::fill(cluster.choices.is_held.begin(), cluster.choices.is_held.end(), 0);
  return cluster;
}

TEST(NodeSetLaws, NODES9TheExactSearchFindsTheBestSet) {
  for (const NodeStrategy strategy : {NodeStrategy::weighted, NodeStrategy::seed_formula}) {
    for (const std::uint64_t seed : support::seeds(kSeeds / 2)) {
      const Cluster cluster = none_held(cluster_of(seed));
      if (!asks_for_something(cluster.demand)) continue;
      NodeSetTerms terms;
      terms.strategy = strategy;
      const Sets sets(cluster, terms);
      const NodeSet found = choose_node_set(cluster.choices, cluster.demand, terms);
      ASSERT_EQ(found.is_enough, sets.is_any_enough()) << "BERTH_SEED=" << seed;
      if (!found.is_enough) continue;
      EXPECT_EQ(found.nodes, sets.best()) << "BERTH_SEED=" << seed;
      EXPECT_EQ(found.score, sets.score(found.nodes)) << "BERTH_SEED=" << seed;
    }
  }
}

TEST(NodeSetLaws, NODES9TheGreedySearchIsNearTheExactOne) {
  std::size_t tried = 0;
  std::size_t equal = 0;
  std::int64_t worst = 0;
  std::uint64_t worst_seed = 0;
  std::int64_t sum = 0;
  for (const std::uint64_t seed : support::seeds(kSeeds)) {
    const Cluster cluster = none_held(cluster_of(seed));
    if (!asks_for_something(cluster.demand)) continue;
    const Sets sets(cluster);
    NodeSetTerms terms;
    const NodeSet exact = choose_node_set(cluster.choices, cluster.demand, terms);
    terms.exact_up_to = 0;
    const NodeSet greedy = choose_node_set(cluster.choices, cluster.demand, terms);
    ASSERT_EQ(greedy.is_enough, exact.is_enough) << "BERTH_SEED=" << seed;
    if (!exact.is_enough) continue;
    EXPECT_TRUE(sets.is_minimal(greedy.nodes)) << "BERTH_SEED=" << seed;
    const std::int64_t off = exact.score - sets.score(greedy.nodes);
    EXPECT_GE(off, 0) << "BERTH_SEED=" << seed;
    EXPECT_LE(off, 100'000'000) << "BERTH_SEED=" << seed;
    ++tried;
    equal += off == 0 ? 1 : 0;
    sum += off;
    if (off > worst) worst_seed = seed;
    worst = std::max(worst, off);
  }
  ASSERT_GT(tried, 0U);
  const auto in_percent = static_cast<double>(equal) * 100.0 / static_cast<double>(tried);
  const auto mean = static_cast<double>(sum) / 1e9 / static_cast<double>(tried);
  RecordProperty("clusters", std::to_string(tried));
  RecordProperty("equal_percent", std::to_string(in_percent));
  RecordProperty("mean_difference", std::to_string(mean));
  RecordProperty("worst_difference", std::to_string(static_cast<double>(worst) / 1e9));
  std::cout << "greedy and exact: " << tried << " clusters, " << in_percent
            << "% equal; score off by " << mean << " in the mean, "
            << static_cast<double>(worst) / 1e9 << " at worst (seed " << worst_seed << ")\n";
}

NodeSetTerms terms_of(std::uint64_t seed, std::size_t size) {
  std::mt19937_64 random(seed);
  NodeSetTerms terms;
  terms.exact_up_to = between(random, 0, 1) == 0 ? 0 : 16;
  terms.margin = between(random, 0, 2) * 50'000'000;
  terms.strategy = static_cast<NodeStrategy>(between(random, 0, 2));
  for (std::size_t n = 0; n < size; ++n) terms.order.push_back(random() % 8);
  return terms;
}

std::size_t count_new(const NodeChoices& choices, const Nodes& nodes) {
  return static_cast<std::size_t>(std::count_if(
      nodes.begin(), nodes.end(), [&](std::uint32_t node) { return choices.is_held[node] == 0; }));
}

void hold(NodeChoices& choices, const Nodes& nodes) {
  std::fill(choices.is_held.begin(), choices.is_held.end(), 0);
  for (const std::uint32_t node : nodes) choices.is_held[node] = 1;
}

// Enough whenever any set is, and then each node is needed: never more than asked for plus one
// node's worth. Unchanged input moves no lock.
TEST(NodeSetLaws, NODES10IsEnoughWithoutWasteAndStays) {
  for (const std::uint64_t seed : support::seeds(kSeeds)) {
    Cluster cluster = cluster_of(seed);
    if (!asks_for_something(cluster.demand)) continue;
    const NodeSetTerms terms = terms_of(seed, cluster.choices.size());
    const Sets sets(cluster, terms);
    const NodeSet set = choose_node_set(cluster.choices, cluster.demand, terms);
    EXPECT_TRUE(std::is_sorted(set.nodes.begin(), set.nodes.end())) << "BERTH_SEED=" << seed;
    EXPECT_EQ(set.is_enough, sets.is_any_enough()) << "BERTH_SEED=" << seed;
    EXPECT_EQ(sets.is_minimal(set.nodes), set.is_enough) << "BERTH_SEED=" << seed;
    hold(cluster.choices, set.nodes);
    const NodeSet again = choose_node_set(cluster.choices, cluster.demand, terms);
    EXPECT_EQ(again.nodes, set.nodes) << "BERTH_SEED=" << seed;
    EXPECT_EQ(again.score, set.score) << "BERTH_SEED=" << seed;
  }
}

// Session by session within the limit, until nothing moves: as much as without a limit.
TEST(NodeSetLaws, NODES11TheLimitHoldsAndTheDemandIsMetLater) {
  for (const std::uint64_t seed : support::seeds(kSeeds)) {
    Cluster cluster = cluster_of(seed);
    if (!asks_for_something(cluster.demand)) continue;
    NodeSetTerms terms = terms_of(seed, cluster.choices.size());
    const NodeSet without_limit = choose_node_set(cluster.choices, cluster.demand, terms);
    terms.new_most = 1 + seed % 2;
    NodeSet set;
    bool has_moved = true;
    for (std::size_t session = 0; has_moved; ++session) {
      ASSERT_LE(session, 2 * cluster.choices.size()) << "BERTH_SEED=" << seed;
      NodeSet next = choose_node_set(cluster.choices, cluster.demand, terms);
      ASSERT_LE(count_new(cluster.choices, next.nodes), terms.new_most) << "BERTH_SEED=" << seed;
      has_moved = session == 0 || next.nodes != set.nodes;
      set = std::move(next);
      hold(cluster.choices, set.nodes);
    }
    EXPECT_EQ(set.is_enough, without_limit.is_enough) << "BERTH_SEED=" << seed;
  }
}

// If no set is enough: so many nodes that no dimension lacks more than it must, and none more.
TEST(NodeSetLaws, NODES12GivesWhatThereIs) {
  std::size_t tried = 0;
  for (const std::uint64_t seed : support::seeds(kSeeds)) {
    Cluster cluster = cluster_of(seed);
    NodeDemand& demand = cluster.demand;
    const std::size_t dimensions = cluster.choices.dimensions;
    demand.nodes = 0;
    demand.target[seed % dimensions] = demand.total[seed % dimensions] * 3 + 1;
    const NodeSet set =
        choose_node_set(cluster.choices, demand, terms_of(seed, cluster.choices.size()));
    EXPECT_FALSE(set.is_enough);
    for (std::size_t d = 0; d < dimensions; ++d) {
      std::int64_t all = 0;
      std::int64_t sum = 0;
      for (std::size_t n = 0; n < cluster.choices.size(); ++n) {
        all += cluster.choices.gives[n * dimensions + d];
      }
      for (const std::uint32_t n : set.nodes) sum += cluster.choices.gives[n * dimensions + d];
      EXPECT_GE(sum, std::min(all, demand.target[d])) << "BERTH_SEED=" << seed;
    }
    const auto is_needed = [&](std::uint32_t node) {
      for (std::size_t d = 0; d < dimensions; ++d) {
        std::int64_t all = 0;
        std::int64_t sum = -cluster.choices.gives[node * dimensions + d];
        for (std::size_t n = 0; n < cluster.choices.size(); ++n) {
          all += cluster.choices.gives[n * dimensions + d];
        }
        for (const std::uint32_t n : set.nodes) sum += cluster.choices.gives[n * dimensions + d];
        if (sum < std::min(all, demand.target[d])) return true;
      }
      return false;
    };
    for (std::uint32_t n = 0; n < cluster.choices.size(); ++n) {
      bool gives = false;
      for (std::size_t d = 0; d < dimensions; ++d) {
        gives = gives || (demand.target[d] > 0 && cluster.choices.gives[n * dimensions + d] > 0);
      }
      const bool is_in = std::binary_search(set.nodes.begin(), set.nodes.end(), n);
      EXPECT_TRUE(gives || !is_in) << "BERTH_SEED=" << seed;
      EXPECT_TRUE(!is_in || is_needed(n)) << "BERTH_SEED=" << seed << ", node " << n;
    }
    ++tried;
  }
  EXPECT_GT(tried, 0U);
}

// Hundreds of nodes, too many for all sets.
TEST(NodeSetLaws, NODES9IsEnoughWithoutWasteOnLargeClusters) {
  for (const std::uint64_t seed : support::seeds(60)) {
    std::mt19937_64 random(seed);
    Cluster cluster;
    for (std::uint64_t part = 0; part < 60; ++part) {
      const Cluster next = cluster_of(seed * 1'000 + part);
      if (cluster.choices.dimensions == 0) cluster.choices.dimensions = next.choices.dimensions;
      if (next.choices.dimensions != cluster.choices.dimensions) continue;
      const auto append = [](auto& to, const auto& from) {
        to.insert(to.end(), from.begin(), from.end());
      };
      append(cluster.choices.gives, next.choices.gives);
      append(cluster.choices.own, next.choices.own);
      append(cluster.choices.idle, next.choices.idle);
      append(cluster.choices.is_held, next.choices.is_held);
    }
    const std::size_t dimensions = cluster.choices.dimensions;
    std::vector<std::int64_t> all(dimensions, 0);
    for (std::size_t i = 0; i < cluster.choices.gives.size(); ++i) {
      all[i % dimensions] += cluster.choices.gives[i];
    }
    cluster.demand.total = all;
    for (const std::int64_t each : all) {
      cluster.demand.target.push_back(each * between(random, 1, 60) / 100 + 1);
    }
    if (seed % 5 == 0) cluster.demand.nodes = 1 + cluster.choices.size() / 7;
    const NodeSetTerms terms = terms_of(seed, cluster.choices.size());
    const auto is_enough_without = [&](const Nodes& nodes, std::size_t left_out) {
      if (cluster.demand.nodes != 0) {
        return nodes.size() - (left_out < nodes.size() ? 1 : 0) >= cluster.demand.nodes;
      }
      std::vector<std::int64_t> sums(dimensions, 0);
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        for (std::size_t d = 0; d < dimensions && i != left_out; ++d) {
          sums[d] += cluster.choices.gives[nodes[i] * dimensions + d];
        }
      }
      for (std::size_t d = 0; d < dimensions; ++d) {
        if (sums[d] < cluster.demand.target[d]) return false;
      }
      return true;
    };
    const NodeSet set = choose_node_set(cluster.choices, cluster.demand, terms);
    ASSERT_TRUE(set.is_enough) << "BERTH_SEED=" << seed;
    EXPECT_TRUE(is_enough_without(set.nodes, set.nodes.size())) << "BERTH_SEED=" << seed;
    for (std::size_t i = 0; i < set.nodes.size(); ++i) {
      EXPECT_FALSE(is_enough_without(set.nodes, i)) << "BERTH_SEED=" << seed;
    }
    hold(cluster.choices, set.nodes);
    EXPECT_EQ(choose_node_set(cluster.choices, cluster.demand, terms).nodes, set.nodes)
        << "BERTH_SEED=" << seed;
  }
}

}  // namespace
}  // namespace berth::plugins::node_set_property_test
