#include <gtest/gtest.h>

#include "steering/steering_fixture.h"

namespace berth::steering {
namespace {

TEST_F(SteeringTest, T11PinSaysTheNodeAndNominatesNothing) {
  Steering pinning{{api_, api_, [] {}, [](const std::string&) {}}, {.mode = Mode::pin}};
  post_gang(1, 2);
  PodObject picky = member(1);
  picky.constraints.has_required_terms = true;
  for (const PodObject& pod : {member(0), picky}) pinning.observe(pod);
  pinning.lead(1, mirror_.cluster(), find_);
  plan({{"g-0", "n1"}, {"g-1", "n2"}});
  for (int i = 0; i < 3; ++i) pinning.round(mirror_.cluster(), find_, now_);
  ASSERT_EQ(api_.writes.size(), 2u);
  EXPECT_EQ(api_.writes[0].write.kind, Kind::commit);
  EXPECT_EQ(api_.writes[0].write.only_nodes, Texts{"n1"});
  EXPECT_TRUE(api_.writes[1].write.only_nodes.empty());
  EXPECT_EQ(api_.writes[1].write.only_hostname, "n2");
}

TEST_F(SteeringTest, T11CandidatesAreTheGangsNodes) {
  Steering steering{{api_, api_, [] {}, [](const std::string&) {}}, {.mode = Mode::candidates}};
  post_gang(2, 2);
  for (int i = 0; i < 2; ++i) steering.observe(member(i));
  steering.lead(1, mirror_.cluster(), find_);
  plan({{"g-0", "n1"}, {"g-1", "n2"}});
  for (int i = 0; i < 3; ++i) steering.round(mirror_.cluster(), find_, now_);
  ASSERT_EQ(api_.writes.size(), 2u);
  for (const Api::Write& each : api_.writes) {
    EXPECT_EQ(each.write.only_nodes, (Texts{"n1", "n2"}));
  }
}

TEST_F(SteeringTest, T12APodThatKubeSchedulerCannotPlaceIsDroppedAsVetoed) {
  lead();
  post_gang(1, 1);
  plan({{"g-0", "n1"}});
  rounds();
  PodObject pod = member(0, false);
  pod.unschedulable = "0/2 nodes are available: 2 berth has not planned this pod yet.";
  post(pod);
  EXPECT_TRUE(round().empty()) << "that was us";
  pod.unschedulable = "0/2 nodes are available: 2 node(s) had volume node affinity conflict.";
  post(pod);
  const auto drops = round();
  ASSERT_EQ(drops.size(), 1u);
  EXPECT_TRUE(drops[0].is_vetoed);
  EXPECT_NE(drops[0].reason.find("volume node affinity"), std::string::npos);
}

TEST_F(SteeringTest, T12APodMovedWithinAFilterCallGoesOn) {
  lead();
  post_last_of_two();
  plan({{"g-0", "n1"}});
  rounds();
  post(PlacementMoved{"g-0", "n1", "n2"});
  EXPECT_EQ(rounds(), (Texts{"nominate g-0 on n2", "commit g-0 on n2"}))
      << "so that a second veto, or a restart, finds the new node";
  EXPECT_EQ(steering_.under_way(), 1u);
}

}  // namespace
}  // namespace berth::steering
