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

TEST(Reason, ReasonsOfQueuesSayWhatIsShort) {
  EXPECT_EQ(sentence(Reason::queue_faulty, 0, 0, "it has no parent"),
            "its queue is set up wrongly: it has no parent");
  EXPECT_EQ(sentence(Reason::queue_has_children, 0, 0, "ml"),
            "queue \"ml\" has queues below it; jobs belong in one of those");
  EXPECT_EQ(sentence(Reason::queue_capability, 500, 2'000, "cpu"),
            "it would need 2 cpu, and its queue may get 500m more");
  EXPECT_EQ(sentence(Reason::queue_share_used, 4'000, 3'000, "cpu"),
            "its queue has 4 cpu, and its share is 3");
  EXPECT_EQ(sentence(Reason::guarantees_kept, 1, 2, "nvidia.com/gpu"),
            "it would need 2 nvidia.com/gpu, and 1 are not kept for other queues' guarantees");
  EXPECT_EQ(sentence(Reason::gave_way, 0, 0, ""),
            "it was let in, found no place for long, and gave way to jobs that wait");
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
