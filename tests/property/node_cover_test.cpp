#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "plugins/reservation/lock_choice.h"
#include "plugins/reservation/node_cover.h"
#include "support/open_session.h"
#include "support/seeds.h"

// Laws of the choice of nodes, against all sets that there are. Small clusters of unlike nodes, a
// job of one to three roles. A seed that fails is printed; BERTH_SEED=<seed> plays it alone.

namespace berth::support::node_cover_test {
namespace {

using namespace engine;
using namespace plugins;

constexpr std::uint64_t kSeeds = 400;

// The cluster, as lines of a scenario. Some nodes are filled in part, with pods that end or never
// end.
std::string cluster_text(std::uint64_t seed) {
  Random random(seed);
  const char* const pools[] = {"a", "b", "c"};
  const std::size_t nodes = 4 + below(random, 9);
  const std::size_t pool_count = 1 + below(random, 3);
  std::string text;
  std::string running = "job old\n";
  for (std::size_t n = 0; n < nodes; ++n) {
    const std::string name = "n" + std::to_string(10 + n);
    const std::size_t cpu = 2 + below(random, 7);
    text += "node " + name + " cpu=" + std::to_string(cpu);
    if (below(random, 3) == 0) text += " gpu=" + std::to_string(1 + below(random, 4));
    text += std::string(" labels=pool:") + pools[below(random, pool_count)];
    if (below(random, 6) == 0) text += " taints=only:some:NoSchedule";
    text += "\n";
    const std::size_t used = below(random, cpu);
    if (used == 0) continue;
    const std::string amount = " cpu=" + std::to_string(used) + " on=" + name + "\n";
    running += below(random, 6) == 0
                   ? "pod web" + std::to_string(n) + " unmanaged runs-forever" + amount
                   : "task old/" + std::to_string(n) + amount;
  }
  text += running;
  std::string tasks;
  std::size_t members = 0;
  for (std::size_t role = 1 + below(random, 3); role > 0; --role) {
    std::string what = " cpu=" + std::to_string(1 + below(random, 4));
    if (below(random, 4) == 0) what += " gpu=1";
    if (below(random, 2) == 0)
      what += std::string(" selector=pool:") + pools[below(random, pool_count)];
    if (below(random, 4) == 0) what += " tolerates=only";
    for (std::size_t pods = 1 + below(random, 4); pods > 0; --pods) {
      tasks += "task big/" + std::to_string(members++) + what + "\n";
    }
  }
  return text + "job big min=" + std::to_string(members) + "\n" + tasks;
}

class Trial {
 public:
  explicit Trial(std::uint64_t seed)
      : world_(stage(cluster_text(seed))),
        open_(*world_, {"priority", "gang", "predicates"}),
        reachable_(world_->cluster()) {
    const Job& job = world_->cluster().job(world_->job("default/big"));
    need_ = need_of(open_.session, job);
    reachable_.take_in(job);
    fewest_.assign(world_->cluster().node_count() + 1, false);
    for (std::size_t n = 0; n < world_->cluster().node_count(); ++n) {
      if (could_take_any(open_.session, need_, NodeId(n), reachable_)) useful_.emplace_back(n);
    }
    for (std::size_t set = 1; set < std::size_t{1} << useful_.size(); ++set) {
      std::vector<NodeId> nodes;
      for (std::size_t n = 0; n < useful_.size(); ++n) {
        if ((set >> n & 1) != 0) nodes.push_back(useful_[n]);
      }
      const std::size_t count = nodes.size();
      if (!fewest_[count] && are_enough(nodes)) fewest_[count] = true;
    }
  }

  bool are_enough(const std::vector<NodeId>& nodes) {
    return covers(open_.session, need_, reachable_, nodes);
  }
  // Is there a set of so many that covers?
  bool can_cover(std::size_t count) const { return count < fewest_.size() && fewest_[count]; }
  std::optional<std::size_t> fewest() const {
    const auto first = std::find(fewest_.begin(), fewest_.end(), true);
    if (first == fewest_.end()) return std::nullopt;
    return static_cast<std::size_t>(first - fewest_.begin());
  }
  std::size_t node_count() const { return fewest_.size() - 1; }

  LockChoice choose(std::size_t nodes, std::size_t most) {
    LockWish wish;
    wish.nodes = nodes;
    wish.most = most;
    return choose_nodes(open_.session, wish, job(), need_);
  }
  bool is_electable(std::size_t most) {
    return static_cast<bool>(could_be_covered(open_.session, most, job(), need_));
  }
  std::optional<std::vector<NodeId>> few() {
    return cover_with_few(open_.session, need_, reachable_, {}, useful_, useful_.size());
  }

 private:
  const Job& job() const { return world_->cluster().job(world_->job("default/big")); }

  std::unique_ptr<World> world_;
  OpenSession open_;
  ReachableCapacity reachable_;
  Need need_;
  std::vector<NodeId> useful_;
  std::vector<bool> fewest_;  // by number: so many can cover
};

// LOCK-4, LOCK-5
TEST(NodeCover, IsAtMostOneNodeLargerThanTheSmallest) {
  std::size_t tried = 0;
  for (const std::uint64_t seed : seeds(kSeeds)) {
    Trial trial(seed);
    const std::optional<std::size_t> fewest = trial.fewest();
    const auto few = trial.few();
    ASSERT_EQ(few.has_value(), fewest.has_value()) << "BERTH_SEED=" << seed;
    EXPECT_EQ(trial.is_electable(trial.node_count()), fewest.has_value()) << "BERTH_SEED=" << seed;
    if (!fewest) continue;
    ++tried;
    EXPECT_LE(few->size(), *fewest + 1) << "BERTH_SEED=" << seed;
    EXPECT_TRUE(trial.are_enough(*few)) << "BERTH_SEED=" << seed;
    const LockChoice choice = trial.choose(1, trial.node_count());
    EXPECT_TRUE(choice.is_covered) << "BERTH_SEED=" << seed;
    EXPECT_LE(choice.nodes.size(), *fewest + 1) << "BERTH_SEED=" << seed;
    EXPECT_TRUE(trial.is_electable(*fewest + 1)) << "BERTH_SEED=" << seed;
    if (*fewest > 1) {
      EXPECT_FALSE(trial.is_electable(*fewest - 1)) << "BERTH_SEED=" << seed;
    }
  }
  EXPECT_GT(tried, 0U);
}

// LOCK-4
TEST(NodeCover, SoManyNodesMeansSoManyWhereverTheyCover) {
  for (const std::uint64_t seed : seeds(kSeeds)) {
    Trial trial(seed);
    for (std::size_t nodes = 1; nodes <= trial.node_count(); ++nodes) {
      if (!trial.can_cover(nodes)) continue;
      const LockChoice choice = trial.choose(nodes, trial.node_count());
      EXPECT_TRUE(choice.is_covered) << "BERTH_SEED=" << seed;
      EXPECT_EQ(choice.nodes.size(), nodes) << "BERTH_SEED=" << seed;
    }
  }
}

// LOCK-5
TEST(NodeCover, WhatIsElectableIsCoveredWithinTheBound) {
  for (const std::uint64_t seed : seeds(kSeeds)) {
    Trial trial(seed);
    for (std::size_t most = 1; most <= trial.node_count(); ++most) {
      if (!trial.is_electable(most)) continue;
      const LockChoice choice = trial.choose(1 + seed % 5, most);
      EXPECT_TRUE(choice.is_covered) << "BERTH_SEED=" << seed << ", at most " << most;
      EXPECT_LE(choice.nodes.size(), most) << "BERTH_SEED=" << seed;
    }
  }
}

// LOCK-4. Far too many sets to try: 60 workers, one a node of 300, and 4 masters, one a node of
// 100.
TEST(NodeCover, TakesOfEachPoolWhatItsRoleNeeds) {
  std::string text;
  for (int n = 0; n < 300; ++n) {
    text += "node w" + std::to_string(1000 + n) + " cpu=64 gpu=8 labels=pool:gpu\n";
  }
  for (int n = 0; n < 100; ++n) {
    text += "node m" + std::to_string(1000 + n) + " cpu=8 labels=pool:cpu\n";
  }
  text += "job old\n";
  for (int n = 0; n < 300; ++n) {
    text += "task old/" + std::to_string(n) + " cpu=1 gpu=1 on=w" + std::to_string(1000 + n) + "\n";
  }
  text += "job big min=64 roles=master:4,worker:60\n";
  text += "task big/0..3 cpu=5 role=master selector=pool:cpu\n";
  text += "task big/4..63 cpu=5 gpu=8 role=worker selector=pool:gpu\n";
  const auto world = stage(text);
  OpenSession open(*world, {"priority", "gang", "predicates"});
  const Job& job = world->cluster().job(world->job("default/big"));
  const Need need = need_of(open.session, job);
  LockWish wish;
  wish.nodes = 10;
  wish.most = 100;
  const LockChoice choice = choose_nodes(open.session, wish, job, need);
  EXPECT_TRUE(choice.is_covered);
  EXPECT_EQ(choice.nodes.size(), 64U);
  EXPECT_TRUE(could_be_covered(open.session, 64, job, need));
  const Verdict fewer = could_be_covered(open.session, 63, job, need);
  EXPECT_EQ(fewer.reason, Reason::needs_too_many_nodes);
  EXPECT_EQ(fewer.need, 64);
}

}  // namespace
}  // namespace berth::support::node_cover_test
