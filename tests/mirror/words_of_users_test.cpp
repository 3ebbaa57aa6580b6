#include "mirror/permissions_fixture.h"

// MAY-12 to MAY-15: a group's class, and protection from evictions.

namespace berth::mirror {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

class ClassOfGroupTest : public MirrorPermissionsTest {
 protected:
  void begin_with(const std::string& name, std::int32_t value, bool checks = true) {
    begin(Options{.checks_classes = checks});
    see(PriorityClassObject{.name = name, .value = value});
    pod_.priority = 5;
    see(pod_);
    group_.priority_class = name;
    see(group_);
    settle();
  }
  const RightQuestion question_{"ml", "trainer", "high", Verb::name};
};

TEST_F(ClassOfGroupTest, MAY12ItCountsOnceTheAccountOfThePodsMayNameIt) {
  begin_with("high", 1000);
  EXPECT_EQ(job().priority, 5);
  EXPECT_TRUE(job().not_honoured.empty()) << "nothing is known yet";
  EXPECT_EQ(asked(), Questions{question_});
  see(RightAnswer{question_, true});
  settle();
  EXPECT_EQ(job().priority, 1000);
  EXPECT_TRUE(job().not_honoured.empty());
}

TEST_F(ClassOfGroupTest, MAY12WithoutTheVerbThePodsCountAndTheUserReadsWhy) {
  begin_with("high", 1000);
  see(RightAnswer{question_, false});
  settle();
  EXPECT_EQ(job().priority, 5);
  EXPECT_EQ(not_honoured_text(job()),
            "spec.priorityClassName high (the job counts with 5, the highest priority of its pods: "
            "service account ml/trainer of its pods needs the verb \"name\" on "
            "priorityclasses.scheduling.k8s.io \"high\") is not honoured; the job is placed "
            "without it");
  pod_.priority = 1000;
  see(pod_);
  settle();
  EXPECT_EQ(job().priority, 1000) << "admission has let the pod have it";
  EXPECT_TRUE(job().not_honoured.empty());
}

TEST_F(ClassOfGroupTest, MAY12AClassBelowThePodsNeedsNoRight) {
  begin_with("low", 1);
  EXPECT_EQ(job().priority, 1);
  EXPECT_TRUE(asked().empty());
}

TEST_F(ClassOfGroupTest, MAY12WithoutPodsTheDefaultAccountOfTheNamespaceCounts) {
  begin_with("high", 1000);
  see(PodDeleted{pod_.uid});
  settle();
  const RightQuestion question{"ml", "default", "high", Verb::name};
  EXPECT_EQ(job().priority, 0);
  EXPECT_EQ(asked(), Questions{question});
  see(RightAnswer{question, true});
  settle();
  EXPECT_EQ(job().priority, 1000);
}

TEST_F(ClassOfGroupTest, MAY12WithoutPodsTheClassCountsForAdmission) {
  begin_with("high", 1000);
  see(RightAnswer{question_, false});
  settle();
  EXPECT_EQ(job().admission_priority, 5);
  see(PodDeleted{pod_.uid});
  settle();
  EXPECT_EQ(job().priority, 0);
  EXPECT_EQ(job().admission_priority, 1000);
}

TEST_F(ClassOfGroupTest, MAY13WithoutPodsAClassOfTheSystemDoesNotCountForAdmission) {
  begin_with("system-cluster-critical", 2'000'000'000);
  see(PodDeleted{pod_.uid});
  settle();
  EXPECT_EQ(job().admission_priority, 0);
}

TEST_F(ClassOfGroupTest, MAY13ClassesOfTheSystemCountOnPodsOnly) {
  begin_with("system-cluster-critical", 2'000'000'000);
  EXPECT_EQ(job().priority, 5);
  EXPECT_TRUE(asked().empty());
  ASSERT_EQ(job().not_honoured.size(), 1u);
  EXPECT_NE(job().not_honoured[0].find("a class of the system counts on pods only"),
            std::string::npos);
}

TEST_F(ClassOfGroupTest, MAY13AClassAboveThoseOfUsersIsOneOfTheSystem) {
  begin_with("mine", 1'000'000'001);
  EXPECT_EQ(job().priority, 5);
}

TEST_F(ClassOfGroupTest, NothingIsCheckedUnlessConfigured) {
  begin_with("high", 1000, false);
  EXPECT_EQ(job().priority, 1000);
  EXPECT_TRUE(asked().empty());
}

class ProtectionTest : public MirrorPermissionsTest {
 protected:
  void begin_protected(bool checks) {
    begin(Options{.checks_protection = checks});
    pod_.eviction.preemptable = false;
    pod_.eviction.cooldown = hours(1);
    pod_.node_name = "n";
    pod_.phase = PodPhase::running;
    see(pod_);
    settle();
  }
  const Task& task() const { return mirror_->cluster().task(job().tasks.front()); }
  const RightQuestion question_{"ml", "trainer", "vision", Verb::protect};
};

TEST_F(ProtectionTest, MAY14AnybodyMayUnlessConfigured) {
  begin_protected(false);
  EXPECT_FALSE(task().is_preemptable);
  EXPECT_TRUE(asked().empty());
}

TEST_F(ProtectionTest, MAY14WithoutTheVerbItDoesNotCount) {
  begin_protected(true);
  EXPECT_FALSE(task().is_preemptable) << "nothing is known yet";
  EXPECT_EQ(asked(), Questions{question_});
  see(RightAnswer{question_, false});
  settle();
  EXPECT_TRUE(task().is_preemptable);
  EXPECT_EQ(task().cooldown_until, TimePoint::min());
  EXPECT_NE(not_honoured_text(job()).find("needs the verb \"protect\" on "
                                          "queues.scheduling.volcano.sh \"vision\""),
            std::string::npos);
  settle_after(minutes(1));
  asked();
  see(RightAnswer{question_, true});
  settle();
  EXPECT_FALSE(task().is_preemptable);
  EXPECT_TRUE(job().not_honoured.empty());
}

}  // namespace
}  // namespace berth::mirror
