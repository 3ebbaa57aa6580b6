#include "mirror/composite_groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <string>
#include <variant>
#include <vector>

namespace berth::mirror {
namespace {

PodGroupObject child(const std::string& name, std::int32_t minimum, const std::string& parent) {
  PodGroupObject object;
  object.name_space = "ml";
  object.name = object.uid = name;
  object.api = GroupApi::kubernetes;
  object.min_member = minimum;
  object.parent = parent;
  return object;
}

CompositeGroupObject composite(const std::string& name, std::int32_t groups,
                               const std::string& parent = "") {
  CompositeGroupObject object{child(name, 1, parent), groups};
  object.group.api = GroupApi::composite;
  return object;
}

PodObject of(const std::string& name, const std::string& group, const std::string& node = "") {
  PodObject object;
  object.name_space = "ml";
  object.name = object.uid = name;
  object.group = group;
  object.is_in_kube_group = true;
  object.node_name = node;
  return object;
}

// Has the last that was given of each group and pod.
class CompositeGroupsTest : public ::testing::Test {
 protected:
  void take(const ClusterEvent& event) { take_all({event}); }
  void take_all(const std::vector<ClusterEvent>& events) {
    given_ = 0;
    const auto give = [this](const ClusterEvent& each) { note(each); };
    for (const ClusterEvent& each : events) composites_.take(each, give);
    composites_.settle(give);
  }
  void note(const ClusterEvent& given) {
    ++given_;
    if (const auto* its = std::get_if<PodGroupObject>(&given)) groups_[its->name] = *its;
    if (const auto* its = std::get_if<PodObject>(&given)) pods_[its->name] = *its;
    if (const auto* gone = std::get_if<PodGroupDeleted>(&given)) {
      groups_.erase(split_name(gone->full_name).second);
    }
  }
  using Roles = std::map<std::string, std::int32_t>;
  std::string place_of(const std::string& pod) {
    return pods_[pod].group + (pods_[pod].role.empty() ? "" : "/" + pods_[pod].role);
  }

  CompositeGroups composites_;
  std::map<std::string, PodGroupObject> groups_;
  std::map<std::string, PodObject> pods_;
  int given_ = 0;
};

TEST_F(CompositeGroupsTest, KUBEGROUP8_itsGroupsAreTheRolesOfOneJob) {
  take_all({composite("train", 2), child("leader", 1, "train"), child("workers", 4, "train"),
            of("l-0", "leader"), of("w-0", "workers")});
  ASSERT_EQ(groups_.size(), 1U);
  const PodGroupObject& job = groups_["train"];
  EXPECT_EQ(job.api, GroupApi::composite);
  EXPECT_EQ(job.min_member, 5);
  EXPECT_EQ(job.min_task_member, (Roles{{"leader", 1}, {"workers", 4}}));
  EXPECT_EQ(job.waits_for, "");
  EXPECT_EQ(place_of("l-0"), "train/leader");
  EXPECT_EQ(place_of("w-0"), "train/workers");

  take(CompositeGroupDeleted{"ml/train"});
  EXPECT_EQ(groups_.count("train"), 0U);
  EXPECT_EQ(groups_["leader"].waits_for, "CompositePodGroup ml/train does not exist");
  EXPECT_EQ(place_of("w-0"), "workers");
}

TEST_F(CompositeGroupsTest, KUBEGROUP8_groupsAndPodsOfOthersAreLeftAlone) {
  const PodGroupObject other = child("other", 3, "");
  PodObject alone = of("p", "other");
  alone.is_in_kube_group = false;
  take_all({other, alone});
  EXPECT_EQ(groups_["other"], other);
  EXPECT_EQ(pods_["p"], alone);
  take(PodGroupDeleted{"ml/other"});
  EXPECT_TRUE(groups_.empty());
}

TEST_F(CompositeGroupsTest, KUBEGROUP8_aGroupThatIsMadeAnewWithoutOneStays) {
  take_all({child("a", 1, "gone"), composite("whole", 0)});
  take_all({PodGroupDeleted{"ml/a"}, child("a", 2, "")});
  ASSERT_EQ(groups_.count("a"), 1U);
  EXPECT_EQ(groups_["a"].min_member, 2);
}

TEST_F(CompositeGroupsTest, KUBEGROUP10_itWaitsForItsGroups) {
  take_all({composite("train", 2), child("a", 1, "train")});
  EXPECT_EQ(groups_["train"].waits_for, "CompositePodGroup ml/train has 1 of at least 2 groups");
  take(child("b", 1, "train"));
  EXPECT_EQ(groups_["train"].waits_for, "");
  take(PodGroupDeleted{"ml/b"});
  EXPECT_EQ(groups_["train"].waits_for, "CompositePodGroup ml/train has 1 of at least 2 groups");
}

TEST_F(CompositeGroupsTest, KUBEGROUP9_groupsBeyondThoseStartAfterIt) {
  PodGroupObject third = child("a-third", 2, "train");
  third.created += std::chrono::seconds(1);  // by creation, then by name
  take_all({third, child("b", 1, "train"), child("c", 2, "train"), composite("train", 2),
            of("b-0", "b"), of("c-0", "c"), of("c-1", "c"), of("a-0", "a-third")});
  EXPECT_EQ(groups_["train"].min_task_member, (Roles{{"b", 1}, {"c", 2}}));
  EXPECT_EQ(groups_["a-third"].min_member, 2);
  EXPECT_EQ(groups_["a-third"].waits_for, "CompositePodGroup ml/train has not started yet");
  EXPECT_EQ(place_of("a-0"), "a-third");
  take_all({of("b-0", "b", "n1"), of("c-0", "c", "n1")});
  EXPECT_EQ(groups_["a-third"].waits_for, "CompositePodGroup ml/train has not started yet");
  take(of("c-1", "c", "n1"));
  EXPECT_EQ(groups_["a-third"].waits_for, "");

  // After that, its condition says so, whatever becomes of its pods.
  CompositeGroupObject scheduled = composite("train", 2);
  scheduled.group.written.is_scheduled = true;
  take_all({scheduled, PodDeleted{"b-0"}, child("b", 1, "train")});
  EXPECT_EQ(groups_["a-third"].waits_for, "");
}

TEST_F(CompositeGroupsTest, KUBEGROUP9_withoutAGangPolicyEachStartsByItself) {
  take_all({composite("loose", 0), child("a", 2, "loose"), child("b", 1, "loose"), of("a-0", "a")});
  EXPECT_EQ(groups_.size(), 2U);
  EXPECT_EQ(groups_["a"].waits_for, "");
  EXPECT_EQ(place_of("a-0"), "a");
}

TEST_F(CompositeGroupsTest, KUBEGROUP11_compositesLieWithinEachOther) {
  CompositeGroupObject replica = composite("replica-1", 2, "serve");
  replica.group.topology.rules = {
      {.written = "spec.schedulingConstraints", .required = {.name = "rack"}}};
  PodGroupObject decode = child("decode-1", 4, "replica-1");
  decode.topology.rules = {{.written = "spec.schedulingConstraints", .required = {.name = "host"}}};
  take_all({composite("serve", 2), replica, composite("replica-2", 2, "serve"),
            child("prefill-1", 1, "replica-1"), decode, child("prefill-2", 1, "replica-2"),
            child("decode-2", 4, "replica-2"), of("d-0", "decode-1"), of("p-0", "prefill-2")});
  ASSERT_EQ(groups_.size(), 1U);
  EXPECT_EQ(groups_["serve"].min_member, 10);
  EXPECT_EQ(place_of("p-0"), "serve/prefill-2");
  EXPECT_TRUE(pods_["p-0"].topology.is_none());
  std::map<std::string, std::string> sets;  // by level
  for (const NearRule& rule : pods_["d-0"].topology.rules) {
    EXPECT_TRUE(rule.pods.say_so);
    sets[rule.required.name] = rule.pods.set;
  }
  EXPECT_EQ(sets,
            (std::map<std::string, std::string>{{"rack", "replica-1"}, {"host", "decode-1"}}));
}

TEST_F(CompositeGroupsTest, KUBEGROUP11_circlesAndDepthsAreNamed) {
  take_all({composite("a", 1, "b"), composite("b", 1, "a"), child("g", 1, "a")});
  EXPECT_EQ(groups_["g"].waits_for, "its CompositePodGroups are too many, or each below the other");
  take_all({composite("1", 1), composite("2", 1, "1"), composite("3", 1, "2"),
            composite("4", 1, "3"), composite("5", 1, "4"), child("deep", 1, "5")});
  EXPECT_FALSE(groups_["deep"].waits_for.empty());
}

TEST_F(CompositeGroupsTest, KUBEGROUP6_itLeavesWholeIfItOrAGroupOfItDoes) {
  PodGroupObject whole = child("a", 1, "train");
  whole.leaves_whole = true;
  take_all({composite("train", 1), whole});
  EXPECT_TRUE(groups_["train"].leaves_whole);
  CompositeGroupObject all = composite("train", 1);
  all.group.leaves_whole = true;
  take_all({all, child("b", 1, "train")});
  EXPECT_EQ(groups_["train"].not_honoured.size(), 1U) << "b leaves by itself";
}

TEST_F(CompositeGroupsTest, BOUND2_aJobHasABoundedNumberOfGroups) {
  std::vector<ClusterEvent> events{composite("train", 300)};
  for (int i = 0; i < 300; ++i) events.push_back(child("g" + std::to_string(i), 1, "train"));
  take_all(events);
  EXPECT_EQ(groups_["train"].waits_for,
            "CompositePodGroup ml/train starts more than 256 groups together");
  EXPECT_LE(given_, 300) << "each of a list is given once";
}

TEST_F(CompositeGroupsTest, TheOrderOfEventsDoesNotMatterAndNothingIsGivenTwice) {
  std::vector<ClusterEvent> events{composite("serve", 2),
                                   composite("r1", 1, "serve"),
                                   composite("r2", 1, "serve"),
                                   child("a", 2, "r1"),
                                   child("b", 2, "r2"),
                                   child("c", 2, "r2"),
                                   of("a-0", "a", "n1"),
                                   of("a-1", "a", "n1"),
                                   of("b-0", "b", "n1"),
                                   of("b-1", "b", "n1"),
                                   of("c-0", "c")};
  take_all(events);
  const auto groups = groups_;
  const auto pods = pods_;
  EXPECT_EQ(groups.size(), 2U);
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    composites_ = {};
    groups_.clear();
    pods_.clear();
    std::shuffle(events.begin(), events.end(), random);
    for (std::size_t i = 0; i < events.size();) {  // settled now and then
      const std::size_t end = std::min(events.size(), i + 1 + random() % 4);
      take_all({events.begin() + static_cast<std::ptrdiff_t>(i),
                events.begin() + static_cast<std::ptrdiff_t>(end)});
      i = end;
    }
    EXPECT_EQ(groups_, groups);
    EXPECT_EQ(pods_, pods);
  }
  take(composite("serve", 2));
  EXPECT_EQ(given_, 0);
}

}  // namespace
}  // namespace berth::mirror
