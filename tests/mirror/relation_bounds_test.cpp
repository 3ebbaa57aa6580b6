#include "mirror/relation_bounds.h"

#include <gtest/gtest.h>

#include <string>

#include "berth/model/reason.h"
#include "engine/consistency.h"
#include "support/objects.h"
#include "support/stage.h"

namespace berth::mirror {
namespace {

using support::stage;
using support::World;

// The pod "ml/<number>" keeps away from pods of a label of its own.
PodObject apart(int number, bool is_wide = false) {
  PodObject object = pod("", number, 1);
  object.created = second(number);
  PodTerm term;
  term.namespaces = {is_wide ? "others" : "ml"};
  term.pods.all = {{"l", Operator::in, {std::to_string(number)}}};
  term.topology_key = "kubernetes.io/hostname";
  object.constraints.relations.name_space = "ml";
  object.constraints.relations.anti_affinity = {term};
  return object;
}

class RelationBoundsTest : public testing::Test {
 protected:
  void bring(const PodObject& object) { world_->apply(object); }
  void settle() {
    world_->mirror().settle(TimePoint());
    ASSERT_EQ(engine::first_inconsistency(world_->cluster()), "");
  }
  const Constraints& constraints(const PodObject& object) {
    return world_->cluster().shape_of(world_->mirror().find_task(object.uid)).constraints;
  }
  bool is_whole(const PodObject& object) {
    return constraints(object).excess.reason == Reason::none &&
           constraints(object).relations == object.constraints.relations;
  }
  std::string excess(const PodObject& object) {
    const Excess& found = constraints(object).excess;
    if (found.reason == Reason::none) return "none";
    EXPECT_EQ(found.reason, Reason::namespace_too_large);
    EXPECT_TRUE(constraints(object).relations.are_empty());
    return found.what;
  }

  std::unique_ptr<World> world_ = stage("node n1 cpu=8\n");
};

TEST_F(RelationBoundsTest, BOUND3APodBeyondIsTakenInWithoutRelationsUntilThereIsRoom) {
  const int most = bounds::kTermsOfNamespace;
  for (int i = 0; i < most + 3; ++i) bring(apart(i));
  settle();
  EXPECT_TRUE(is_whole(apart(most - 1)));
  EXPECT_EQ(excess(apart(most)),
            "1001 different terms of pod affinity and topology spreads, at most 1000");
  world_->apply(PodDeleted{apart(5).uid});
  settle();
  EXPECT_TRUE(is_whole(apart(most)));  // the oldest
  EXPECT_NE(excess(apart(most + 1)), "none");
  world_->apply(PodDeleted{apart(6).uid});
  world_->apply(PodDeleted{apart(7).uid});
  settle();
  EXPECT_TRUE(is_whole(apart(most + 2)));
}

TEST_F(RelationBoundsTest, BOUND3PodsWithTheSameRelationsCountOnce) {
  for (int i = 0; i < 1100; ++i) {
    PodObject object = pod("", i, 1);
    object.constraints.relations = apart(0).constraints.relations;
    bring(object);
  }
  bring(apart(2000));
  settle();
  EXPECT_TRUE(is_whole(apart(2000)));
}

TEST_F(RelationBoundsTest, BOUND3OtherNamespacesHaveRoomOfTheirOwn) {
  for (int i = 0; i < 1001; ++i) bring(apart(i));
  PodObject other = apart(5000);
  other.name_space = other.constraints.relations.name_space = "other";
  bring(other);
  settle();
  EXPECT_NE(excess(apart(1000)), "none");
  EXPECT_TRUE(is_whole(other));
}

TEST_F(RelationBoundsTest, BOUND3TermsAboutOtherNamespacesAreFewer) {
  const int most = bounds::kWideTermsOfNamespace;
  for (int i = 0; i <= most; ++i) bring(apart(i, true));
  bring(apart(3000));
  settle();
  EXPECT_TRUE(is_whole(apart(most - 1, true)));
  EXPECT_EQ(excess(apart(most, true)),
            "101 different terms of pod affinity about other namespaces, at most 100");
  EXPECT_TRUE(is_whole(apart(3000)));
}

TEST_F(RelationBoundsTest, BOUND3ItsGroupSaysWhyItWaitsAndARunningPodKeepsItsRoom) {
  for (int i = 0; i < 1000; ++i) bring(apart(i));
  world_->apply(group("late", 1));
  PodObject late = apart(4000);
  late.group = "late";
  late.name = "late-4000";
  bring(late);
  bring(running(apart(4001), "n1"));
  settle();
  EXPECT_NE(excess(apart(4001)), "none");
  EXPECT_EQ(world_->cluster().idle().at(NodeId(0), kCpu), 7000);
  const auto& refusals = world_->plan().refusals;
  ASSERT_TRUE(refusals.contains("ml/late"));
  EXPECT_EQ(refusals.at("ml/late").reason, Reason::namespace_too_large);
  EXPECT_NE(refusals.at("ml/late").message.find("(ml/late-4000)"), std::string::npos);
}

TEST_F(RelationBoundsTest, BOUND8AFewPodsAreNamedInTheLog) {
  for (int i = 0; i < 1030; ++i) bring(apart(i));
  settle();
  const std::vector<std::string> lines = world_->mirror().take_left_out();
  ASSERT_EQ(lines.size(), 11U);
  EXPECT_EQ(lines.front().find("pod ml/1000 is taken in without its pod affinity"), 0U);
  EXPECT_EQ(lines.back(), "so are 20 other pods");
  EXPECT_TRUE(world_->mirror().take_left_out().empty());
}

}  // namespace
}  // namespace berth::mirror
