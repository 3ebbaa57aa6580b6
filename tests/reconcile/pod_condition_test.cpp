#include "reconcile/pod_condition.h"

#include <gtest/gtest.h>

#include <set>

#include "ports/plan_table.h"

namespace berth::reconcile {
namespace {

const TimePoint kNow{std::chrono::hours(1)};

TEST(PodCondition, AUTOSCALE1NodesHelpAJobThatWaitsForRoomOnly) {
  std::set<std::string_view> helped;
  for (std::size_t i = 0; i < kReasonCount; ++i) {
    const auto reason = static_cast<Reason>(i);
    if (nodes_would_help(reason)) helped.insert(code(reason));
  }
  const std::set<std::string_view> expected{"cluster_overcommitted",
                                            "gave_way",
                                            "gang_incomplete",
                                            "role_incomplete",
                                            "surplus_waits",
                                            "larger_than_cluster",
                                            "no_nodes",
                                            "fits_no_node",
                                            "unknown_resource",
                                            "pod_too_large",
                                            "not_packable",
                                            "refused_by_scheduler",
                                            "no_domain_has_room",
                                            "domains_too_small",
                                            "insufficient_resource",
                                            "node_unschedulable",
                                            "taint_not_tolerated",
                                            "node_selector_mismatch",
                                            "node_affinity_mismatch",
                                            "host_port_taken",
                                            "vetoed",
                                            "node_locked",
                                            "node_of_queue",
                                            "pod_affinity_mismatch",
                                            "pod_anti_affinity_mismatch",
                                            "existing_pod_anti_affinity",
                                            "topology_spread",
                                            "topology_label_missing",
                                            "volume_node_affinity",
                                            "no_volume_to_bind",
                                            "not_enough_storage",
                                            "volume_zone",
                                            "disk_conflict",
                                            "too_many_volumes"};
  EXPECT_EQ(helped, expected);
}

TEST(PodCondition, AUTOSCALE2APodThatWaitsForNodesBecomesUnschedulableOnce) {
  const auto first = desired_pod_condition(true, "", kNow);
  ASSERT_TRUE(first);
  EXPECT_FALSE(first->scheduled.holds);
  EXPECT_EQ(first->scheduled.reason, "Unschedulable");
  EXPECT_EQ(first->scheduled.since, kNow);
  EXPECT_FALSE(desired_pod_condition(true, "Unschedulable", kNow));
}

TEST(PodCondition, AUTOSCALE2OnlyAnUnschedulablePodIsTakenBackAndItsTimeStays) {
  const auto back = desired_pod_condition(false, "Unschedulable", kNow);
  ASSERT_TRUE(back);
  EXPECT_FALSE(back->scheduled.holds);
  EXPECT_EQ(back->scheduled.reason, "Waiting");
  EXPECT_EQ(back->scheduled.since, TimePoint());
  EXPECT_FALSE(desired_pod_condition(false, "", kNow));
  EXPECT_FALSE(desired_pod_condition(false, "Waiting", kNow));
  EXPECT_FALSE(desired_pod_condition(false, "SchedulingGated", kNow));
  const auto again = desired_pod_condition(true, "Waiting", kNow);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->scheduled.since, TimePoint());
}

TEST(PodCondition, AUTOSCALE2TheMessageIsOursAndHasNoAmounts) {
  const auto nodes = desired_pod_condition(true, "", kNow);
  const auto other = desired_pod_condition(false, "Unschedulable", kNow);
  for (const auto& each : {*nodes, *other}) {
    const std::string& message = each.scheduled.message;
    EXPECT_NE(message.find(ports::kOurRefusals), std::string::npos) << message;
    EXPECT_EQ(message.find_first_of("0123456789"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace berth::reconcile
