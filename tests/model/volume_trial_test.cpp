#include "berth/model/volume_trial.h"

#include <string>

#include "model/volume_fixture.h"

namespace berth {
namespace {

class VolumeTrialTest : public Volumes {
 protected:
  void limit(const std::string& node, std::int64_t volumes) {
    table_.put({CsiNodeObject{node, {{"d", volumes}}}});
  }
  void claim_of_driver(const std::string& name) {
    table_.put({of_driver(volume("pv-" + name), "d")});
    table_.put({bound(name, "pv-" + name)});
  }
  std::int32_t most(VolumeTrial& trial, const VolumeNeeds& needs, const std::string& node) const {
    return trial.most(needs, node, labels_of(node), 9);
  }
  std::string n1_ = "n1";
  std::string n2_ = "n2";
};

TEST_F(VolumeTrialTest, VOLUME14AttachedVolumesCountForThoseAfterThem) {
  limit("n1", 5);
  claim_of_driver("there");
  claim_of_driver("own");
  claim_of_driver("shared");
  const TaskId there = add_pod({"there"});
  const TaskId pod = add_pod({"own", "shared"});
  const TaskId other = add_pod({"shared"});
  place(there, "n1");
  const VolumeNeeds needs = needs_of(pod);
  const VolumeNeeds of_other = needs_of(other);
  VolumeTrial now(table_, false);
  EXPECT_EQ(most(now, needs, n1_), 3) << "one is there, and the shared one counts once";
  EXPECT_EQ(most(now, needs, n2_), 9) << "no limit";
  now.put(needs, n1_, labels_of("n1"), 3);
  EXPECT_EQ(most(now, needs, n1_), 0);
  EXPECT_EQ(most(now, of_other, n1_), 9) << "its volume is there";
  now.take_back_to(0);
  const std::size_t before = now.mark();
  now.put(of_other, n1_, labels_of("n1"), 2);
  EXPECT_EQ(most(now, needs, n1_), 3);
  now.take_back_to(before);
  VolumeTrial alone(table_, true);
  EXPECT_EQ(most(alone, needs, n1_), 4);
}

TEST_F(VolumeTrialTest, VOLUME14FreeVolumesAreTakenOnce) {
  add_class("local", "");
  table_.put({on_node(volume("v1"), "n1")});
  table_.put({on_node(volume("v2"), "n1")});
  table_.put({volume("v3", 20 * kGi)});
  table_.put({claim("a")});
  table_.put({claim("b")});
  const TaskId planned = add_pod({"a"});
  const VolumeNeeds needs = needs_of(add_pod({"b"}));
  VolumeTrial trial(table_, false);
  EXPECT_EQ(most(trial, needs, n1_), 3);
  EXPECT_EQ(most(trial, needs, n2_), 1);
  trial.put(needs, n1_, labels_of("n1"), 2);
  EXPECT_EQ(most(trial, needs, n2_), 1);
  trial.put(needs, n2_, labels_of("n2"), 1);
  EXPECT_EQ(most(trial, needs, n1_), 0);
  trial.take_back_to(1);
  EXPECT_EQ(most(trial, needs, n1_), 2) << "v2 and v3";
  trial.take_back_to(0);
  place(planned, "n1");
  EXPECT_EQ(most(trial, needs, n1_), 2) << "the pod that has a node took one";
  VolumeTrial alone(table_, true);
  EXPECT_EQ(most(alone, needs, n1_), 3);
}

TEST_F(VolumeTrialTest, VOLUME14ALateClaimThatAllMountFollowsTheFirst) {
  add_class("local", "d");
  zones_ = {{"n1", "a"}, {"n2", "a"}, {"n3", "b"}};
  table_.put({claim("data")});
  add_pod({"data"});
  const VolumeNeeds needs = needs_of(add_pod({"data"}));
  VolumeTrial trial(table_, false);
  const std::string n3 = "n3";
  EXPECT_EQ(most(trial, needs, n3), 9);
  trial.put(needs, n1_, labels_of("n1"), 1);
  EXPECT_EQ(most(trial, needs, n3), 0);
  EXPECT_EQ(most(trial, needs, n2_), 9);
  trial.take_back_to(0);
  EXPECT_EQ(most(trial, needs, n3), 9);
}

TEST_F(VolumeTrialTest, VOLUME9OnePodAtATime) {
  ClaimObject only = bound("only", "v1");
  only.modes = kReadWriteOncePod;
  table_.put({volume("v1")});
  table_.put({only});
  add_pod({"only"});
  const VolumeNeeds needs = needs_of(add_pod({"only"}));
  VolumeTrial trial(table_, false);
  EXPECT_EQ(most(trial, needs, n1_), 1);
  trial.put(needs, n1_, labels_of("n1"), 1);
  EXPECT_EQ(most(trial, needs, n2_), 0);
  trial.take_back_to(0);
  EXPECT_EQ(most(trial, needs, n2_), 1);
}

}  // namespace
}  // namespace berth
