#include "views/reserved_nodes_text.h"

#include <gtest/gtest.h>

#include "views/queues_text.h"

namespace berth::views::reserved_nodes_text_test {
namespace {

constexpr std::int64_t kGi = std::int64_t{1} << 30;

// 40 cpu asked for: 28 are idle on its nodes, 8 are its own, others use 4.
ReservedNodes waiting() {
  ReservedNodes nodes;
  nodes.nodes = {"n1", "n2", "n3"};
  nodes.amounts = {{"cpu", 40000, 28000, 8000, 0, 4000}};
  nodes.score_millionths = 701'754;
  return nodes;
}

TEST(ReservedNodesText, SaysWhatIsAskedForWhatThereIsAndWhatIsMissing) {
  ReservedNodes nodes = waiting();
  EXPECT_EQ(reserved_nodes_text(nodes),
            "3 nodes of its own (n1, n2, n3; score 0.702) for 40 cpu: 28 idle, 8 its own, 4 "
            "missing: used by others, which finish");
  EXPECT_EQ(missing_text(nodes), "4 cpu");
  nodes.evicts = true;
  nodes.amounts[0].leaving = 2500;
  EXPECT_EQ(reserved_nodes_text(nodes),
            "3 nodes of its own (n1, n2, n3; score 0.702) for 40 cpu: 28 idle, 8 its own, 2.5 "
            "leaving, 4 missing: used by others, which are evicted");
}

TEST(ReservedNodesText, NamesTheReasonForWhichPodsOfOthersStay) {
  ReservedNodes nodes = waiting();
  nodes.evicts = true;
  nodes.in_the_way = why_spared(Reason::not_managed);
  EXPECT_EQ(reserved_nodes_text(nodes),
            "3 nodes of its own (n1, n2, n3; score 0.702) for 40 cpu: 28 idle, 8 its own, 4 "
            "missing: used by others, of which some stay: other schedulers manage them");
}

TEST(ReservedNodesText, OfADemandThatIsMetHasNothingMissing) {
  ReservedNodes nodes = waiting();
  nodes.is_met = true;
  nodes.amounts = {{"cpu", 4000, 2500, 1500, 0, 0}, {"memory", kGi, 3 * kGi, 0, 0, 0}};
  nodes.nodes = {"n1"};
  EXPECT_EQ(reserved_nodes_text(nodes),
            "1 node of its own (n1; score 0.702) for 4 cpu, 1Gi memory: cpu 2.5 idle, 1.5 its "
            "own; memory 3Gi idle, 0 its own");
  EXPECT_EQ(missing_text(nodes), "");
}

TEST(ReservedNodesText, OfADemandForNodesNamesTheirNumber) {
  ReservedNodes nodes = waiting();
  nodes.asked_nodes = 4;
  nodes.score_millionths = 0;
  nodes.lacks = "no more nodes can give it what is missing; 1 take no pods";
  nodes.amounts = {{"cpu", 12000, 12000, 0, 0, 0}};
  EXPECT_EQ(reserved_nodes_text(nodes),
            "3 nodes of its own (n1, n2, n3) for 4 nodes: cpu 12 idle, 0 its own; not enough: no "
            "more nodes can give it what is missing; 1 take no pods");
  EXPECT_EQ(missing_text(nodes), "nodes");
}

TEST(ReservedNodesText, OfManyNodesNamesTheFirst) {
  ReservedNodes nodes;
  for (int i = 10; i < 40; ++i) nodes.nodes.push_back("n" + std::to_string(i));
  EXPECT_EQ(reserved_nodes_text(nodes),
            "30 nodes of its own (n10, n11, n12, n13, n14, n15, n16, n17 and 22 more)");
  EXPECT_EQ(reserved_nodes_text({}), "no node of its own");
}

TEST(ReservedNodesText, AScoreHasThreeDecimals) {
  ReservedNodes nodes;
  const auto score = [&](std::int32_t millionths) {
    nodes.score_millionths = millionths;
    return score_text(nodes);
  };
  EXPECT_EQ(score(0), "");
  EXPECT_EQ(score(256'512), "0.257");
  EXPECT_EQ(score(50'000), "0.050");
  EXPECT_EQ(score(1'000'000), "1.000");
}

TEST(ReservedNodesText, StandsBelowTheQueues) {
  QueueTable table;
  table.rows.resize(2);
  table.rows[0].name = "a";
  table.rows[1].name = "vision";
  table.rows[1].reservation = waiting();
  table.rows[1].reservation->clipped = "no node has example.com/gpu";
  table.clear_amounts();
  const std::string text = queues_text(table, {});
  EXPECT_NE(text.find("\nvision: 3 nodes of its own (n1, n2, n3; score 0.702) for 40 cpu: 28 idle, "
                      "8 its own, 4 missing: used by others, which finish\n"
                      "vision: no node has example.com/gpu\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("\na: "), std::string::npos) << "a asks for none\n" << text;
}

}  // namespace
}  // namespace berth::views::reserved_nodes_text_test
