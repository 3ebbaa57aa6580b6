#include "steering/veto_reason.h"

#include <gtest/gtest.h>

namespace berth::steering {
namespace {

TEST(VetoReasonTest, STEER12IsWhatKubeSchedulerSaysOfThePlannedNode) {
  EXPECT_EQ(
      veto_reason("kube-scheduler: 0/3 nodes are available: 1 node(s) didn't satisfy existing "
                  "pods anti-affinity rules, 2 node(s) didn't satisfy plugin(s) "
                  "[NodeAffinity]. preemption: 0/3 nodes are available: 3 Preemption is not "
                  "helpful for scheduling."),
      "node(s) didn't satisfy existing pods anti-affinity rules");
  EXPECT_EQ(veto_reason("0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had volume node "
                        "conflict."),
            "Insufficient cpu, node(s) had volume node conflict");
}

TEST(VetoReasonTest, STEER12AffinityAloneIsTheReason) {
  EXPECT_EQ(veto_reason("0/2 nodes are available: 2 node(s) didn't satisfy plugin(s) "
                        "[NodeAffinity]."),
            "node(s) didn't satisfy plugin(s) [NodeAffinity]");
}

TEST(VetoReasonTest, STEER12OtherTextsAreNotQuoted) {
  EXPECT_EQ(veto_reason(""), "it was not offered");
  EXPECT_EQ(veto_reason("kube-scheduler does not offer node \"n1\""), "it was not offered");
  EXPECT_EQ(veto_reason("0/1 nodes are available: "), "it was not offered");
  EXPECT_EQ(veto_reason("0/1 nodes are available: 1 " + std::string(500, 'x')).size(), 200u);
}

constexpr const char* kOfAHint =
    "kube-scheduler: 0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, "
    "2 node(s) didn't match pod anti-affinity rules. preemption: 0/3 nodes are available: 3 No "
    "preemption victims found for incoming pod.";

TEST(VetoReasonTest, HINT6UsersReadTheNumbersOfNodes) {
  EXPECT_EQ(refusal_text(kOfAHint, true),
            "1 node(s) didn't match Pod's node affinity/selector, "
            "2 node(s) didn't match pod anti-affinity rules");
  EXPECT_EQ(refusal_text(kOfAHint, false), "2 node(s) didn't match pod anti-affinity rules")
      << "the others are left out by the affinity of the copy";
  EXPECT_EQ(refusal_text("0/2 nodes are available: 2 node(s) didn't satisfy plugin(s) "
                         "[NodeAffinity].",
                         false),
            "2 node(s) didn't satisfy plugin(s) [NodeAffinity]");
}

TEST(VetoReasonTest, HINT6OtherTextsAreQuotedWhole) {
  EXPECT_EQ(refusal_text("3 of 4 members arrived", true), "3 of 4 members arrived");
  EXPECT_EQ(refusal_text("", true), "a node was not offered");
  EXPECT_EQ(refusal_text("0/1 nodes are available: 1 " + std::string(500, 'x'), true).size(), 200u);
}

TEST(VetoReasonTest, HINT3AHintIsRefusedEverywhereIfWeLeaveNoNodeOut) {
  EXPECT_TRUE(is_refused_everywhere(kOfAHint));
  EXPECT_FALSE(is_refused_everywhere(
      "0/3 nodes are available: 1 berth has planned the room on this node, 2 Insufficient cpu."));
  EXPECT_FALSE(is_refused_everywhere("kube-scheduler does not offer node \"n1\" to pod \"ml/g\""));
}

}  // namespace
}  // namespace berth::steering
