#include "mirror/group_owner.h"

#include <gtest/gtest.h>

namespace berth::mirror {
namespace {

GroupOwner owner(const GroupEvidence& evidence, std::vector<std::string> ours = {"berth"}) {
  return owner_of(evidence, ours);
}

// Issue 9, row 2.
TEST(GroupOwnerTest, W1_ItsPodsSayIt) {
  EXPECT_EQ(owner({.has_our_pods = true, .has_others_pods = true, .scheduler = "volcano"}),
            GroupOwner::ours);
  EXPECT_EQ(owner({.had_our_pods = true, .has_others_pods = true, .scheduler = "berth"}),
            GroupOwner::others);
  EXPECT_EQ(owner({.had_our_pods = true, .scheduler = "volcano"}), GroupOwner::ours);
}

TEST(GroupOwnerTest, W2_W3_ElseTheAnnotationOfTheGroupThenOfItsQueue) {
  EXPECT_EQ(owner({.scheduler = "berth", .queue_scheduler = "volcano"}), GroupOwner::ours);
  EXPECT_EQ(owner({.scheduler = "volcano", .queue_scheduler = "berth"}), GroupOwner::others);
  EXPECT_EQ(owner({.queue_scheduler = "berth"}), GroupOwner::ours);
  EXPECT_EQ(owner({.queue_scheduler = "volcano", .bears_our_marks = true}), GroupOwner::others);
}

TEST(GroupOwnerTest, W4_ElseWhatWeWroteOnIt) {
  EXPECT_EQ(owner({.bears_our_marks = true, .is_volcano = false}), GroupOwner::ours);
}

TEST(GroupOwnerTest, W5_ElseVolcanosAreOursWhereWeStandInItsPlace) {
  EXPECT_EQ(owner({}, {"berth", "volcano"}), GroupOwner::ours);
  EXPECT_EQ(owner({.is_volcano = false}, {"berth", "volcano"}), GroupOwner::unclaimed);
  EXPECT_EQ(owner({.has_others_pods = true}, {"berth", "volcano"}), GroupOwner::others);
}

TEST(GroupOwnerTest, W6_ElseItIsNobodysUntilItsFirstPod) {
  EXPECT_EQ(owner({}), GroupOwner::unclaimed);
}

}  // namespace
}  // namespace berth::mirror
