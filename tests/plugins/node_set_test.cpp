#include "plugins/node_reservation/node_set.h"

#include <gtest/gtest.h>

#include <cstdint>
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

}  // namespace
}  // namespace berth::plugins
