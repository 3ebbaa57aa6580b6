#include <gtest/gtest.h>

#include "plugins/proportion/queue_division.h"
#include "property/random_queues.h"
#include "support/seeds.h"

// The laws of docs/design/queues.md for every division of every cluster: up to 200 queues in 3
// levels, in every dimension. BERTH_SEED=<seed> plays one alone, BERTH_LAWS=<n> tries more.

namespace berth::support::shares_test {
namespace {

constexpr std::uint64_t kSeeds = 4'000;

using engine::QueueTree;
using plugins::QueueDivision;

struct Divided {
  QueueTree tree;
  std::shared_ptr<const QueueShares> shares;
};

Divided divided(const Cluster& cluster, bool lends) {
  Divided result;
  result.tree.refresh(cluster);
  result.shares = QueueDivision().divide(cluster, result.tree, lends);
  return result;
}

// The total to divide is bounded by what nodes have, or by the usage of pods of queues where that
// is more, less the usage of foreign pods.
void check_total(const Cluster& cluster, const QueueShares& shares, Dimension d) {
  std::int64_t total = cluster.used_nowhere()[d];
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    const NodeId node(n);
    const std::int64_t foreign = cluster.foreign().at(node, d);
    const std::int64_t used =
        cluster.node(node).allocatable[d] - cluster.idle().at(node, d) - foreign;
    total += std::max({std::int64_t{0}, cluster.node(node).allocatable[d] - foreign, used});
  }
  ASSERT_LE(shares.at(shares.deserved, 0, d), total);
}

// Each row within its bounds; children within their parent; nothing left over that a child wants.
void check_rows(const Cluster& cluster, const QueueTree& tree, const QueueShares& shares,
                Dimension d, bool lends) {
  std::vector<std::int64_t> deserved(shares.rows.size(), 0);
  std::vector<std::int64_t> guaranteed(shares.rows.size(), 0);
  for (std::size_t row = 1; row < shares.rows.size(); ++row) {
    const auto& [id, parent, is_scaled, fault] = shares.rows[row];
    const Queue& queue = cluster.queue(id);
    const std::int64_t share = shares.at(shares.deserved, row, d);
    const std::int64_t guarantee = shares.at(shares.guarantee, row, d);
    const std::int64_t kept = shares.at(shares.kept, row, d);
    const std::int64_t most = shares.at(shares.real_capability, row, d);
    deserved[parent] += share;
    guaranteed[parent] += guarantee;
    ASSERT_LE(kept, guarantee);
    ASSERT_LE(kept, share);
    ASSERT_LE(share, std::max(kept, most));
    if (!lends) {
      ASSERT_LE(guarantee, most) << "what is guaranteed may be had";
    }
    ASSERT_LE(kept, most) << "what is kept may be had";
    ASSERT_LE(most, shares.at(shares.real_capability, parent, d));
    if (!lends) {
      ASSERT_EQ(kept, guarantee);
    }
    const bool is_inner = tree.member(row).child_count > 0;
    if (tree.member(row).takes_jobs() && !is_inner && !is_scaled) {
      // Or a part of the cluster, within the capability.
      if (queue.guarantee_share_of.empty()) {
        ASSERT_EQ(guarantee, queue.guarantee[d]);
      } else {
        ASSERT_GE(guarantee, queue.guarantee[d]);
      }
    }
    if (!tree.member(row).takes_jobs()) {
      ASSERT_EQ(guarantee, 0);
    }
    for (const auto& [dimension, limit] : queue.capability.entries()) {
      if (dimension == d) {
        ASSERT_LE(most, limit);
      }
    }
  }
  for (std::size_t row = 0; row < shares.rows.size(); ++row) {
    ASSERT_LE(deserved[row], shares.at(shares.deserved, row, d));
    ASSERT_LE(guaranteed[row], std::max<std::int64_t>(0, shares.at(shares.guarantee, row, d)));
  }
}

// The target of a leaf: at least what is kept for it, at most its real capability.
std::int64_t target_of(const Cluster& cluster, const QueueShares& shares, std::size_t row,
                       Dimension d) {
  const Queue& queue = cluster.queue(shares.rows[row].queue);
  std::int64_t target = shares.at(shares.real_capability, row, d);
  for (const auto& [dimension, amount] : queue.deserved.entries()) {
    if (dimension == d) target = std::min(target, amount);
  }
  return std::max(target, shares.at(shares.kept, row, d));
}

// QUEUE-10: where one of several leaves has more than its target, all of them have theirs, or all
// that they ask for. Returns how many have more.
std::size_t check_targets(const Cluster& cluster, const QueueTree& tree, const QueueShares& shares,
                          Dimension d) {
  const auto is_leaf = [&](std::size_t row) {
    return tree.member(row).child_count == 0 && tree.member(row).takes_jobs();
  };
  std::size_t beyond = 0;
  for (std::size_t row = 1; row < shares.rows.size(); ++row) {
    const bool is_beyond =
        is_leaf(row) && shares.at(shares.deserved, row, d) > target_of(cluster, shares, row, d);
    if (!is_beyond) continue;
    ++beyond;
    const QueueTree::Member& parent = tree.member(shares.rows[row].parent);
    for (std::size_t i = 0; i < parent.child_count; ++i) {
      const std::size_t other = parent.first_child + i;
      if (!is_leaf(other)) continue;
      const std::int64_t asked = cluster.queue(shares.rows[other].queue).demand[d];
      EXPECT_GE(shares.at(shares.deserved, other, d),
                std::min(asked, target_of(cluster, shares, other, d)));
    }
  }
  return beyond;
}

TEST(Shares, GoBeyondTargetsOnlyWhereAllHaveTheirs) {
  std::size_t beyond = 0;
  for (const std::uint64_t seed : seeds(kSeeds / 5)) {
    RandomQueues story(seed);
    const Divided result = divided(story.cluster(), false);
    for (std::size_t d = 0; d < story.cluster().dimensions().size(); ++d) {
      beyond += check_targets(story.cluster(), result.tree, *result.shares, Dimension(d));
    }
    if (testing::Test::HasFailure()) FAIL() << "BERTH_SEED=" << seed;
  }
  EXPECT_GT(beyond, 0u);
}

TEST(Shares, KeepTheirLawsInEveryClusterInEveryDimension) {
  std::size_t queues = 0;
  std::size_t scaled = 0;
  std::size_t faulty = 0;
  for (const std::uint64_t seed : seeds(kSeeds)) {
    RandomQueues story(seed);
    const Cluster& cluster = story.cluster();
    for (const bool lends : {false, true}) {
      const Divided result = divided(cluster, lends);
      for (std::size_t d = 0; d < cluster.dimensions().size(); ++d) {
        check_total(cluster, *result.shares, Dimension(d));
        check_rows(cluster, result.tree, *result.shares, Dimension(d), lends);
        if (testing::Test::HasFatalFailure()) FAIL() << "BERTH_SEED=" << seed;
      }
      for (const auto& row : result.shares->rows) {
        ++queues;
        scaled += row.is_scaled ? 1 : 0;
        faulty += row.fault.empty() ? 0 : 1;
      }
    }
  }
  EXPECT_GT(queues, 0u);
  EXPECT_GT(scaled, 0u);
  EXPECT_GT(faulty, 0u);
}

// By name: what a queue gets does not depend on when it came, or whose id it was given.
TEST(Shares, DoNotDependOnTheOrderInWhichQueuesCame) {
  for (const std::uint64_t seed : seeds(kSeeds / 10)) {
    RandomQueues story(seed);
    RandomQueues other(seed, seed + 1);
    ASSERT_EQ(story.named_shares(false), other.named_shares(false)) << "BERTH_SEED=" << seed;
    ASSERT_EQ(story.named_shares(true), other.named_shares(true)) << "BERTH_SEED=" << seed;
  }
}

}  // namespace
}  // namespace berth::support::shares_test
