#include "plugins/node_reservation/node_set.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace berth::plugins {
namespace {

using Nodes = std::vector<std::uint32_t>;

constexpr std::int64_t kMilli = 1'000;

// One line of amounts for each node, in one dimension.
struct Line {
  std::int64_t gives = 0;
  std::int64_t own = 0;
  std::int64_t idle = 0;
  bool is_held = false;
};

NodeChoices choices_of(const std::vector<Line>& lines) {
  NodeChoices choices;
  choices.dimensions = 1;
  for (const Line& line : lines) {
    choices.gives.push_back(line.gives);
    choices.own.push_back(line.own);
    choices.idle.push_back(line.idle);
    choices.is_held.push_back(line.is_held ? 1 : 0);
  }
  return choices;
}

NodeDemand amount(std::int64_t target, std::int64_t total = 128) {
  NodeDemand demand;
  demand.target = {target};
  demand.total = {total};
  return demand;
}

NodeDemand nodes(std::size_t count, std::int64_t total = 128) {
  NodeDemand demand = amount(0, total);
  demand.nodes = count;
  return demand;
}

// A is one node of 9; B is four nodes of 16. Of a cluster of 128, 8 are asked for.
const std::vector<Line> kA{{9, 2, 7}};
const std::vector<Line> kB{{16, 15, 1}, {16, 15, 1}, {16, 15, 1}, {16, 15, 1}};

// A: 0.4 (1 - 1/120) + 0.35 * 2/9 + 0.15 + 0.1 * 7/9 = 0.396667 + 0.077778 + 0.15 + 0.077778
TEST(NodeSet, NODES8ScoresATightSet) {
  EXPECT_EQ(score_of(choices_of(kA), amount(8), {}, {0}, 1), 702'222'222);
}

// B: 0.4 (1 - 56/120) + 0.35 * 60/64 + 0.15 / 4 + 0.1 * 4/64
//  = 0.213333 + 0.328125 + 0.0375 + 0.00625 = 0.585208
TEST(NodeSet, NODES8ScoresAWideSetByTheQueuesOwnUse) {
  EXPECT_EQ(score_of(choices_of(kB), amount(8), {}, {0, 1, 2, 3}, 1), 585'208'334);
  std::vector<Line> others = kB;
  for (Line& line : others) line.own = 0;
  EXPECT_EQ(score_of(choices_of(others), amount(8), {}, {0, 1, 2, 3}, 1), 257'083'334);
}

// 0.4 + 0.35 * 2/8 + 0.15 + 0.1 * 5/8 = 0.4 + 0.0875 + 0.15 + 0.0625
TEST(NodeSet, NODES8ScoresAnExactFit) {
  EXPECT_EQ(score_of(choices_of({{8, 2, 5}}), amount(8), {}, {0}, 1), 700'000'000);
}

TEST(NodeSet, NODES8ScoresNothingThatIsNotEnough) {
  EXPECT_EQ(score_of(choices_of(kA), amount(10), {}, {0}, 1), 0);
  EXPECT_EQ(score_of(choices_of(kB), nodes(3), {}, {0, 1}, 3), 0);
}

NodeSetTerms seed_formula(std::int64_t unit) {
  NodeSetTerms terms;
  terms.strategy = NodeStrategy::seed_formula;
  terms.unit = {unit};
  return terms;
}

std::vector<Line> times(std::vector<Line> lines, std::int64_t factor) {
  for (Line& line : lines) {
    line.gives *= factor;
    line.own *= factor;
    line.idle *= factor;
  }
  return lines;
}

// In cores: A (0.4/1 + 0.35 * 2 + 0.15/1 + 0.1 * 7) / 11 = 1.95 / 11; B (0.4/56 + 0.35 * 60 +
// 0.15/4 + 0.1 * 4) / 124 = 21.444643 / 124. In milli-cores: A 1400.1504 / 10001,
// B 21400.0375 / 120004. The unit turns them round.
TEST(NodeSet, NODES13SeedFormulaDependsOnTheUnit) {
  const NodeChoices a = choices_of(times(kA, kMilli));
  const NodeChoices b = choices_of(times(kB, kMilli));
  const NodeDemand demand = amount(8 * kMilli, 128 * kMilli);
  EXPECT_EQ(score_of(a, demand, seed_formula(kMilli), {0}, 1), 177'272'726);
  EXPECT_EQ(score_of(b, demand, seed_formula(kMilli), {0, 1, 2, 3}, 1), 172'940'667);
  EXPECT_EQ(score_of(a, demand, seed_formula(1), {0}, 1), 140'001'038);
  EXPECT_EQ(score_of(b, demand, seed_formula(1), {0, 1, 2, 3}, 1), 178'327'701);
}

// sum = target: 1/x counts as 1: (0.4 + 0.35 * 2 + 0.15 + 0.1 * 5) / (0 + 2 + 1 + 5) = 1.75 / 8.
TEST(NodeSet, NODES13SeedFormulaDefinesTheExactFit) {
  EXPECT_EQ(score_of(choices_of({{8, 2, 5}}), amount(8), seed_formula(1), {0}, 1), 218'750'000);
  EXPECT_EQ(score_of(choices_of({}), amount(0), seed_formula(1), {}, 1), 0);
}

// --- the search ---------------------------------------------------------------------------------

NodeSetTerms greedy() {
  NodeSetTerms terms;
  terms.exact_up_to = 0;
  return terms;
}

// 8 of {9, 8, 4, 4}: the exact fit has 0.55, the two of 4 have 0.475, and 9 has 0.546667.
TEST(NodeSet, NODES9FindsTheExactFit) {
  const NodeChoices choices = choices_of({{9}, {8}, {4}, {4}});
  for (const NodeSetTerms& terms : {NodeSetTerms(), greedy()}) {
    const NodeSet set = choose_node_set(choices, amount(8), terms);
    EXPECT_EQ(set.nodes, (Nodes{1}));
    EXPECT_TRUE(set.is_enough);
    EXPECT_EQ(set.score, 550'000'000);
  }
}

// The two of 4 are all the queue's: 0.4 + 0.35 + 0.15 / 2 = 0.825.
TEST(NodeSet, NODES9PrefersWhatTheQueueUsesToFewNodes) {
  const NodeChoices choices = choices_of({{9}, {8}, {4, 4}, {4, 4}});
  for (const NodeSetTerms& terms : {NodeSetTerms(), greedy()}) {
    const NodeSet set = choose_node_set(choices, amount(8), terms);
    EXPECT_EQ(set.nodes, (Nodes{2, 3}));
    EXPECT_EQ(set.score, 825'000'000);
  }
}

TEST(NodeSet, NODES9TakesTheFirstOfEquals) {
  const NodeChoices choices = choices_of({{8}, {8}, {8}, {8}});
  for (const NodeSetTerms& terms : {NodeSetTerms(), greedy()}) {
    EXPECT_EQ(choose_node_set(choices, amount(16), terms).nodes, (Nodes{0, 1}));
    EXPECT_EQ(choose_node_set(choices, nodes(3), terms).nodes, (Nodes{0, 1, 2}));
  }
}

// Of four nodes two are asked for: the small ones waste less, the queue's own counts more.
// {0, 3}: 0.4 (1 - 12/128) + 0.35 * 8/12 + 0.15 = 0.3625 + 0.233333 + 0.15.
TEST(NodeSet, NODES1TakesExactlySoManyNodes) {
  const NodeChoices choices = choices_of({{4}, {16}, {16}, {8, 8}});
  for (const NodeSetTerms& terms : {NodeSetTerms(), greedy()}) {
    const NodeSet set = choose_node_set(choices, nodes(2), terms);
    EXPECT_EQ(set.nodes, (Nodes{0, 3}));
    EXPECT_TRUE(set.is_enough);
    EXPECT_EQ(set.score, 745'833'333);
  }
}

// Two dimensions; only the first is asked for. A node without it is never taken, however much the
// queue uses there, nor counts the second dimension.
TEST(NodeSet, NODES8CountsTheDimensionsThatAreAskedFor) {
  NodeChoices choices;
  choices.dimensions = 2;
  choices.gives = {0, 50, 8, 100, 8, 1};
  choices.own = {0, 50, 0, 100, 1, 0};
  choices.idle = {0, 0, 8, 0, 7, 1};
  choices.is_held = {1, 0, 0};
  NodeDemand demand;
  demand.target = {8, 0};
  demand.total = {100, 1'000};
  for (const NodeSetTerms& terms : {NodeSetTerms(), greedy()}) {
    EXPECT_EQ(choose_node_set(choices, demand, terms).nodes, (Nodes{2}));
  }
  // Both: 2 is held, not needed any more, and gives too little of the second.
  demand.target = {8, 100};
  choices.is_held = {0, 0, 1};
  EXPECT_EQ(choose_node_set(choices, demand, {}).nodes, (Nodes{1}));
}

TEST(NodeSet, AsksForNothing) {
  const NodeSet set = choose_node_set(choices_of({{8, 0, 0, true}}), amount(0), {});
  EXPECT_TRUE(set.nodes.empty());
  EXPECT_TRUE(set.is_enough);
  const NodeSet none = choose_node_set(choices_of({}), amount(8), {});
  EXPECT_TRUE(none.nodes.empty());
  EXPECT_FALSE(none.is_enough);
}

// --- the present set ----------------------------------------------------------------------------

NodeSetTerms with_margin(std::int64_t margin) {
  NodeSetTerms terms;
  terms.margin = margin;
  return terms;
}

// Held: A with 0.702222. Another fits exactly and is the queue's: 0.4 + 0.35 + 0.15 = 0.9.
TEST(NodeSet, NODES10KeepsThePresentSetWithinTheMargin) {
  const NodeChoices choices = choices_of({{8, 8, 0}, {9, 2, 7, true}});
  EXPECT_EQ(choose_node_set(choices, amount(8), with_margin(190'000'000)).nodes, (Nodes{0}));
  const NodeSet stays = choose_node_set(choices, amount(8), with_margin(200'000'000));
  EXPECT_EQ(stays.nodes, (Nodes{1}));
  EXPECT_EQ(stays.score, 702'222'222);
}

// Equally good: it stays.
TEST(NodeSet, NODES10MovesNothingForAnEqual) {
  EXPECT_EQ(choose_node_set(choices_of({{8}, {8, 0, 0, true}}), amount(8), {}).nodes, (Nodes{1}));
}

TEST(NodeSet, NODES10DropsTheWorstOfMoreThanEnough) {
  const NodeChoices choices =
      choices_of({{8, 0, 8, true}, {8, 8, 0, true}, {8, 0, 0, true}, {8, 8, 0}});
  EXPECT_EQ(choose_node_set(choices, amount(8), with_margin(100'000'000)).nodes, (Nodes{1}));
  EXPECT_EQ(choose_node_set(choices, amount(16), with_margin(500'000'000)).nodes, (Nodes{0, 1}));
}

// 8 of {4 held, 4, 8}: the extension {0, 1} has 0.4 + 0.15 / 2 = 0.475; made anew, {2} has 0.55.
TEST(NodeSet, NODES10ExtendsWhatIsNotEnough) {
  const NodeChoices choices = choices_of({{4, 0, 0, true}, {4}, {8}});
  EXPECT_EQ(choose_node_set(choices, amount(8), with_margin(100'000'000)).nodes, (Nodes{0, 1}));
  EXPECT_EQ(choose_node_set(choices, amount(8), with_margin(50'000'000)).nodes, (Nodes{2}));
}

// 4 + 1 and 4 more are 9: the held node of 1 is not needed any more.
TEST(NodeSet, NODES10AnExtensionNeedsEachNode) {
  const NodeChoices choices = choices_of({{4, 0, 0, true}, {1, 0, 0, true}, {4}});
  EXPECT_EQ(choose_node_set(choices, amount(8), {}).nodes, (Nodes{0, 2}));
}

// Held: 16 for 8, 0.373333 + 0.15. Made anew, {1, 2} is the queue's: 0.825; both are new.
TEST(NodeSet, NODES11TakesASetMadeAnewOnlyWithinTheLimit) {
  const NodeChoices choices = choices_of({{16, 0, 0, true}, {4, 4}, {4, 4}});
  NodeSetTerms terms = with_margin(100'000'000);
  terms.new_most = 1;
  EXPECT_EQ(choose_node_set(choices, amount(8), terms).nodes, (Nodes{0}));
  terms.new_most = 2;
  EXPECT_EQ(choose_node_set(choices, amount(8), terms).nodes, (Nodes{1, 2}));
}

// 16 asked for, 4 held: of 2, 6 and 4, the largest is added first.
TEST(NodeSet, NODES11CutsAnExtensionToThoseThatAddMost) {
  const NodeChoices choices = choices_of({{4, 0, 0, true}, {2}, {6}, {4}});
  NodeSetTerms terms;
  for (const auto& [most, expected] :
       {std::pair(0U, Nodes{0}), std::pair(1U, Nodes{0, 2}), std::pair(2U, Nodes{0, 2, 3})}) {
    terms.new_most = most;
    const NodeSet set = choose_node_set(choices, amount(16), terms);
    EXPECT_EQ(set.nodes, expected);
    EXPECT_FALSE(set.is_enough);
    EXPECT_EQ(set.score, 0);
  }
  terms.new_most = 3;
  EXPECT_TRUE(choose_node_set(choices, amount(16), terms).is_enough);
}

// With few new nodes allowed, the extension takes the large one, which alone is enough.
TEST(NodeSet, NODES11PrefersAnExtensionWithinTheLimitThatIsEnough) {
  const NodeChoices choices = choices_of({{4, 4, 0, true}, {4, 4}, {4, 4}, {12}});
  NodeSetTerms terms = with_margin(1'000'000'000);
  EXPECT_EQ(choose_node_set(choices, amount(12), terms).nodes, (Nodes{0, 1, 2}));
  terms.new_most = 1;
  const NodeSet set = choose_node_set(choices, amount(12), terms);
  EXPECT_TRUE(set.is_enough);
  EXPECT_EQ(set.nodes, (Nodes{3}));
}

// Of the second dimension there is too little: 1 and 3 join for it. Of the first, the held node and
// those two have enough, so 2 adds nothing; 4 gives nothing at all.
TEST(NodeSet, NODES12TakesAllThatAddsIfNoSetIsEnough) {
  NodeChoices choices;
  choices.dimensions = 2;
  choices.gives = {8, 0, 4, 1, 8, 0, 4, 2, 0, 0};
  choices.own.assign(10, 0);
  choices.idle.assign(10, 0);
  choices.is_held = {1, 0, 0, 0, 0};
  NodeDemand demand;
  demand.target = {16, 10};
  demand.total = {100, 100};
  const NodeSet set = choose_node_set(choices, demand, {});
  EXPECT_EQ(set.nodes, (Nodes{0, 1, 3}));
  EXPECT_FALSE(set.is_enough);
  EXPECT_EQ(set.score, 0);
  // Of held nodes, one that is not needed leaves.
  choices.is_held = {1, 1, 1, 1, 0};
  EXPECT_EQ(choose_node_set(choices, demand, {}).nodes, (Nodes{0, 1, 3}));
}

TEST(NodeSet, NODES12TakesAllOfTooFewNodes) {
  const NodeSet set = choose_node_set(choices_of({{8}, {8}}), nodes(3), {});
  EXPECT_EQ(set.nodes, (Nodes{0, 1}));
  EXPECT_FALSE(set.is_enough);
}

// --- random -------------------------------------------------------------------------------------

NodeSetTerms at_random(std::vector<std::uint64_t> order) {
  NodeSetTerms terms;
  terms.strategy = NodeStrategy::random;
  terms.order = std::move(order);
  return terms;
}

TEST(NodeSet, NODES13RandomTakesTheLowest) {
  const NodeChoices choices = choices_of({{8, 8, 0, true}, {8}, {8}, {8}});
  const NodeSet set = choose_node_set(choices, nodes(2), at_random({9, 2, 5, 5}));
  EXPECT_EQ(set.nodes, (Nodes{1, 2}));
  EXPECT_TRUE(set.is_enough);
}

// 4, then 1, then 8 are enough for 8; without 1 and 4 it still is.
TEST(NodeSet, NODES13RandomDropsWhatAnAmountDoesNotNeed) {
  const NodeChoices choices = choices_of({{8}, {4}, {1}, {8}});
  EXPECT_EQ(choose_node_set(choices, amount(8), at_random({3, 1, 2, 4})).nodes, (Nodes{0}));
}

TEST(NodeSet, NODES11LimitsARandomSet) {
  const NodeChoices choices = choices_of({{8, 0, 0, true}, {8}, {8}, {8}});
  NodeSetTerms terms = at_random({9, 2, 5, 5});
  terms.new_most = 1;
  EXPECT_EQ(choose_node_set(choices, nodes(2), terms).nodes, (Nodes{0, 1}));
  terms.new_most = 2;
  EXPECT_EQ(choose_node_set(choices, nodes(2), terms).nodes, (Nodes{1, 2}));
}

}  // namespace
}  // namespace berth::plugins
