#include "reconcile/owned_groups.h"

#include <gtest/gtest.h>

#include "reconcile/reconcile_fixture.h"

namespace berth::reconcile {
namespace {

using std::chrono::seconds;
using Verb = ports::GroupSpec::Verb;
using WriteResult = ports::WriteOutcome::Result;

const OwnerReference kJob{"batch/v1", "Job", "train", "uid-job"};

class OwnedGroupsTest : public ReconcileTest {
 protected:
  OwnedGroup& want(const std::string& name, std::int32_t min_member) {
    OwnedGroup& group = wanted_["ml/" + name];
    group.name_space = "ml";
    group.name = name;
    group.owner = kJob;
    group.min_member = min_member;
    group.queue = "default";
    group.is_live = true;
    groups_.look_at({"ml/" + name});
    return group;
  }
  // The watch shows what Berth made.
  void show(const std::string& name, std::int32_t min_member,
            const std::string& queue = "default") {
    PodGroupObject group = make_group(name, min_member);
    group.queue = queue;
    group.is_made_by_berth = true;
    see_group(group);
  }
  void see_group(const ClusterEvent& event) {
    side_->observe(event);
    groups_.observe(event);
  }
  RecordingWriter::Written reconcile_after(Duration time = {}) {
    now_ += time;
    groups_.reconcile(wanted_, now_);
    for (const ports::WriteAnswer& answer : std::exchange(side_->answers, {})) {
      if (const auto ended = side_->writes.take(answer, now_)) groups_.take(*ended, now_);
    }
    return writer_.take();
  }

  OwnedGroups::Groups wanted_;
  OwnedGroups groups_{side_->observed, side_->writes, side_->announcer.events()};
};

TEST_F(OwnedGroupsTest, OWNED11_AGroupIsMadeOnceAndChangedWhenItsGangChanges) {
  want("train-abcde", 8);
  auto written = reconcile_after();
  ASSERT_EQ(written.groups.size(), 1U);
  EXPECT_EQ(written.groups[0], (ports::GroupSpec{Verb::make, kJob, 8, "default"}));
  EXPECT_EQ(written.groups[0].object.full_name(), "ml/train-abcde");
  EXPECT_TRUE(reconcile_after(seconds(1)).groups.empty()) << "the watch is a moment behind";
  show("train-abcde", 8);
  EXPECT_TRUE(reconcile_after(seconds(60)).groups.empty());
  want("train-abcde", 6);
  written = reconcile_after();
  ASSERT_EQ(written.groups.size(), 1U);
  EXPECT_EQ(written.groups[0], (ports::GroupSpec{Verb::change, {}, 6, "default"}));
  EXPECT_EQ(written.groups[0].object.uid, make_group("train-abcde", 1).uid);
}

TEST_F(OwnedGroupsTest, OWNED11_AfterARestartNothingIsWrittenAgain) {
  show("train-abcde", 8);
  want("train-abcde", 8);
  EXPECT_TRUE(reconcile_after().groups.empty());
}

TEST_F(OwnedGroupsTest, OWNED11_AWriteThatTheWatchDoesNotShowIsRepeated) {
  want("train-abcde", 8);
  EXPECT_EQ(reconcile_after().groups.size(), 1U);
  EXPECT_EQ(reconcile_after(seconds(11)).groups.size(), 1U);
}

TEST_F(OwnedGroupsTest, OWNED11_TheQueueFollowsThatOfTheOwner) {
  show("train-abcde", 8, "old");
  want("train-abcde", 8).queue = "new";
  const auto written = reconcile_after();
  ASSERT_EQ(written.groups.size(), 1U);
  EXPECT_EQ(written.groups[0].queue, "new");
}

TEST_F(OwnedGroupsTest, OWNED12_NoGroupIsMadeForPodsThatHaveFinished) {
  want("train-abcde", 8).is_live = false;
  EXPECT_TRUE(reconcile_after().groups.empty());
}

TEST_F(OwnedGroupsTest, OWNED13_AGroupThatAllPodsHaveLeftIsRemovedIfBerthMadeIt) {
  show("train-abcde", 8);
  see_group(make_group("mine", 8));
  want("train-abcde", 8).is_left = true;
  want("mine", 8).is_left = true;
  const auto written = reconcile_after();
  ASSERT_EQ(written.groups.size(), 1U);
  EXPECT_EQ(written.groups[0].verb, Verb::remove);
  EXPECT_EQ(written.groups[0].object.name, "train-abcde");
  see_group(PodGroupDeleted{"ml/train-abcde"});
  EXPECT_TRUE(reconcile_after(seconds(60)).groups.empty());
}

TEST_F(OwnedGroupsTest, OWNED13_AGroupOfAUserIsNeverChanged) {
  see_group(make_group("train-abcde", 2));
  want("train-abcde", 8);
  EXPECT_TRUE(reconcile_after().groups.empty());
}

TEST_F(OwnedGroupsTest, OWNED14_AForbiddenWriteIsReportedOnceOnTheOwnerAndOnSomePods) {
  for (int i = 0; i < 8; ++i) side_->observe(make_member("train-abcde", i));
  writer_.outcome = {WriteResult::forbidden, "make podgroup ml/train-abcde: status 403: no"};
  want("train-abcde", 8);
  auto written = reconcile_after();
  ASSERT_EQ(written.groups.size(), 1U);
  ASSERT_EQ(written.events.size(), 6U) << "the owner and five pods";
  EXPECT_EQ(written.events[0].object.kind, ports::ObjectKind::owner);
  EXPECT_EQ(written.events[0].object.type, "Job");
  EXPECT_EQ(written.events[0].reason, "PodGroupNotMade");
  EXPECT_EQ(written.events[0].message,
            "its pods are a gang of 8 and wait, because Berth cannot make their PodGroup: make "
            "podgroup ml/train-abcde: status 403: no");
  EXPECT_EQ(written.events[5].object.kind, ports::ObjectKind::pod);
  EXPECT_FALSE(written.lines.empty());
  written = reconcile_after(seconds(40));
  EXPECT_EQ(written.groups.size(), 1U) << "tried again";
  EXPECT_TRUE(written.events.empty()) << "reported once";
}

TEST_F(OwnedGroupsTest, OWNED14_AFailureIsForgottenWithItsGang) {
  writer_.outcome = {WriteResult::forbidden, "no"};
  want("train-abcde", 8);
  EXPECT_EQ(reconcile_after().events.size(), 1U);
  wanted_.clear();
  groups_.look_at({"ml/train-abcde"});
  reconcile_after(seconds(1));
  want("train-abcde", 8);
  EXPECT_EQ(reconcile_after(seconds(40)).events.size(), 1U) << "reported anew";
}

TEST_F(OwnedGroupsTest, OWNED9_AnOwnerIsAdvisedOnce) {
  Job job;
  job.name = "ml/train-0";
  job.gang_advice = "words";
  groups_.advise(kJob, job, now_);
  groups_.advise(kJob, job, now_);
  auto written = writer_.take();
  ASSERT_EQ(written.events.size(), 1U);
  EXPECT_EQ(written.events[0].object, (ports::ObjectRef{ports::ObjectKind::owner, "ml", "train",
                                                        "uid-job", "batch/v1", "Job"}));
  EXPECT_EQ(written.events[0].reason, "PlannedOneByOne");
  EXPECT_EQ(written.events[0].message, "words");
  groups_.forget_advice("ml", kJob.uid, kJob.name);
  groups_.advise(kJob, job, now_);
  EXPECT_EQ(writer_.take().events.size(), 1U) << "its last pod had gone";
}

// Pods name owners that do not exist.
TEST_F(OwnedGroupsTest, OWNED9_ANamespaceOfManyOwnersTakesNobodyElsesAdvice) {
  Job job;
  job.gang_advice = "words";
  const auto events_of = [&](const std::string& name_space, const OwnerReference& owner) {
    job.name = name_space + "/pod";
    groups_.advise(owner, job, now_);
    return writer_.take().events.size();
  };
  OwnerReference forged = kJob;
  std::size_t events = 0;
  for (int i = 0; i < 10'500; ++i) {
    forged.uid = "forged-" + std::to_string(i);
    events += events_of("evil", forged);
  }
  EXPECT_EQ(events, 1000U);
  EXPECT_EQ(events_of("ml", kJob), 1U);
  forged.uid = "forged-0";
  EXPECT_EQ(events_of("ml", forged), 1U) << "an uid of another namespace is another owner";
  EXPECT_EQ(events_of("evil", kJob), 0U);
  groups_.forget_advice("evil", "forged-7", forged.name);
  EXPECT_EQ(events_of("evil", kJob), 1U);
}

}  // namespace
}  // namespace berth::reconcile
