#include "engine/crowds.h"

#include <gtest/gtest.h>

#include <string>

#include "berth/model/bounds.h"
#include "support/objects.h"
#include "support/stage.h"

namespace berth::engine {
namespace {

using support::stage;
using support::World;

// A job of one pod, of a kind of its own.
PodObject single(int number, const std::string& name_space = "ml") {
  PodObject object = pod("", number, 1);
  object.name_space = name_space;
  object.uid = name_space + "/" + object.name;
  object.created = second(number);
  object.request["cpu"] = 1000 + number;
  return object;
}

class CrowdsTest : public testing::Test {
 protected:
  void bring(const PodObject& object) { world_->apply(object); }
  std::string crowd_of(const PodObject& object) {
    world_->mirror().settle(TimePoint());
    const Cluster& cluster = world_->cluster();
    return Crowds(cluster).of(cluster.task(world_->mirror().find_task(object.uid)).job);
  }

  std::unique_ptr<World> world_ = stage("node n1 cpu=8\n");
};

TEST_F(CrowdsTest, BOUND4TheOldestJobsAreLookedAt) {
  for (int i = 1001; i >= 0; --i) bring(single(i));
  bring(single(2000, "other"));
  EXPECT_EQ(crowd_of(single(0)), "");
  EXPECT_EQ(crowd_of(single(999)), "");
  EXPECT_EQ(crowd_of(single(1000)), "1002 kinds of waiting pods, at most 1000");
  EXPECT_EQ(crowd_of(single(1001)), "1002 kinds of waiting pods, at most 1000");
  EXPECT_EQ(crowd_of(single(2000, "other")), "");
  world_->apply(PodDeleted{single(3).uid});
  world_->apply(PodDeleted{single(4).uid});
  EXPECT_EQ(crowd_of(single(1001)), "");
}

TEST_F(CrowdsTest, BOUND4AHigherPriorityComesFirst) {
  for (int i = 0; i < 1000; ++i) bring(single(i));
  PodObject urgent = single(1000);
  urgent.priority = 1;
  bring(urgent);
  EXPECT_EQ(crowd_of(urgent), "");
  EXPECT_EQ(crowd_of(single(998)), "");
  EXPECT_EQ(crowd_of(single(999)), "1001 kinds of waiting pods, at most 1000");
}

TEST_F(CrowdsTest, BOUND4LabelsMakeNoKind) {
  for (int i = 0; i < 1200; ++i) {
    PodObject object = single(i);
    object.request["cpu"] = 1000;
    object.labels = {{"number", std::to_string(i)}};
    bring(object);
  }
  EXPECT_EQ(crowd_of(single(1199)), "");
}

TEST_F(CrowdsTest, BOUND4ConstraintsCountToo) {
  for (int i = 0; i < 50; ++i) {
    PodObject object = single(i);
    object.constraints.tolerations.resize(bounds::kTolerationsOfPod);
    bring(object);
  }
  EXPECT_EQ(crowd_of(single(39)), "");
  EXPECT_EQ(crowd_of(single(40)), "25000 constraints of its kinds of waiting pods, at most 20000");
}

TEST_F(CrowdsTest, BOUND4AJobBeyondWaitsWithItsReasonAndOthersStart) {
  for (int i = 0; i < 1001; ++i) {
    PodObject object = single(i);
    object.request["cpu"] = 9000 + i;  // no node has so much
    bring(object);
  }
  PodObject other = single(5000, "other");
  other.request["cpu"] = 1000;
  bring(other);
  world_->mirror().settle(TimePoint());
  const Cluster& cluster = world_->cluster();
  const Job& late = cluster.job(cluster.task(world_->mirror().find_task(single(1000).uid)).job);
  const auto& refusals = world_->plan().refusals;
  ASSERT_TRUE(refusals.contains(late.name)) << late.name;
  EXPECT_EQ(refusals.at(late.name).reason, Reason::namespace_too_large);
  EXPECT_TRUE(world_->is_planned("other/5000"));
}

}  // namespace
}  // namespace berth::engine
