#include "kubeapi/group_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace berth::kubeapi {
namespace {

PodGroupObject group(GroupApi api, const std::string& name = "g") {
  PodGroupObject object;
  object.name_space = "ml";
  object.name = name;
  object.uid = "uid-" + std::to_string(static_cast<int>(api));
  object.api = api;
  return object;
}

class GroupNamesTest : public ::testing::Test {
 protected:
  // The uid of the group that counts; "none".
  std::string counts() const { return shown_; }

  std::string shown_ = "none";
  GroupNames names_{[this](const ClusterEvent& event) {
    const auto* const object = std::get_if<PodGroupObject>(&event);
    shown_ = object == nullptr ? "none" : object->uid;
  }};
};

TEST_F(GroupNamesTest, KUBEGROUP4OfOneNameTheFirstApiCountsInEachOrder) {
  std::array<GroupApi, 3> order{GroupApi::volcano, GroupApi::sig, GroupApi::kubernetes};
  do {
    for (const GroupApi api : order) names_.changed(group(api));
    EXPECT_EQ(counts(), "uid-0");
    names_.gone(order[0], "ml/g");
    EXPECT_EQ(counts(), order[0] == GroupApi::volcano ? "uid-1" : "uid-0");
    names_.gone(order[1], "ml/g");
    EXPECT_EQ(counts(), "uid-" + std::to_string(static_cast<int>(order[2])));
    names_.gone(order[2], "ml/g");
    EXPECT_EQ(counts(), "none");
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_F(GroupNamesTest, AGroupThatDoesNotCountChangesNothing) {
  names_.changed(group(GroupApi::volcano));
  shown_ = "no event";
  names_.changed(group(GroupApi::kubernetes));
  names_.changed(group(GroupApi::sig));
  names_.gone(GroupApi::sig, "ml/g");
  names_.gone(GroupApi::kubernetes, "ml/g");
  names_.gone(GroupApi::kubernetes, "ml/unknown");
  EXPECT_EQ(counts(), "no event");
}

TEST_F(GroupNamesTest, OtherNamesAreOtherGroups) {
  names_.changed(group(GroupApi::volcano));
  names_.changed(group(GroupApi::kubernetes, "h"));
  EXPECT_EQ(counts(), "uid-2");
}

}  // namespace
}  // namespace berth::kubeapi
