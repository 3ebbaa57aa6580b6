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

}  // namespace
}  // namespace berth::steering
