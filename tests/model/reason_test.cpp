#include "berth/model/reason.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace berth {
namespace {

TEST(Reason, NodeReasonsSayWhatIsWrongWithTheNode) {
  EXPECT_EQ(sentence(Reason::insufficient_resource, 1, 2, "cpu"), "insufficient cpu");
  EXPECT_EQ(sentence(Reason::node_unschedulable, 0, 0, ""), "unschedulable");
  EXPECT_EQ(sentence(Reason::taint_not_tolerated, 0, 0, "gpu"), "taint gpu not tolerated");
  EXPECT_EQ(sentence(Reason::node_selector_mismatch, 0, 0, ""), "node selector does not match");
  EXPECT_EQ(sentence(Reason::node_affinity_mismatch, 0, 0, ""), "node affinity does not match");
  EXPECT_EQ(sentence(Reason::host_port_taken, 0, 0, ""), "a host port is taken");
}

TEST(Reason, JobReasonsHaveTheirNumbersAndNames) {
  EXPECT_EQ(sentence(Reason::gang_incomplete, 2, 3, ""), "2 of 3 members could be placed");
  EXPECT_EQ(sentence(Reason::not_reached, 0, 0, ""), "no action came to it");
  EXPECT_EQ(sentence(Reason::cluster_overcommitted, 34'000, 40'500, "cpu"),
            "admitting it would need 40500m cpu, and 34 may still be admitted");
}

TEST(Reason, ANameThatLooksLikeAMarkStaysAsItIs) {
  EXPECT_EQ(sentence(Reason::queue_missing, 1, 2, "{have}"), "queue \"{have}\" does not exist");
}

TEST(Reason, CodesAreDistinct) {
  std::set<std::string_view> codes;
  for (std::size_t i = 0; i < kReasonCount; ++i) codes.insert(code(static_cast<Reason>(i)));
  EXPECT_EQ(codes.size(), kReasonCount);
}

}  // namespace
}  // namespace berth
