#include <gtest/gtest.h>

#include "mirror/mirror.h"

namespace berth::mirror {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

class MirrorTargetsTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"n1", "n2"}) {
      NodeObject node;
      node.name = node.uid = name;
      node.allocatable = {{"cpu", 4000}, {"pods", 110}};
      see(node);
    }
    group_.name_space = "ml";
    group_.name = "g";
    group_.uid = "u-1";
    see(group_);
    see(member());
    mirror_.settle(now_);
  }
  template <class Object>
  void see(const Object& object) {
    mirror_.apply(object);
  }
  static PodObject member() {
    PodObject pod = single("g-0");
    pod.group = "g";
    return pod;
  }
  static PodObject single(const std::string& name) {
    PodObject pod;
    pod.name_space = "ml";
    pod.name = pod.uid = name;
    pod.scheduler_name = "berth";
    pod.priority = 0;
    pod.request = {{"cpu", 1000}, {"pods", 1}};
    return pod;
  }
  void settle_after(Duration time) {
    now_ += time;
    mirror_.settle(now_);
  }
  JobId group_id() const { return mirror_.find_group("ml/g"); }
  JobId job_of(const std::string& pod) const {
    return mirror_.cluster().task(mirror_.find_task(pod)).job;
  }
  const Job& group_job() const { return mirror_.cluster().job(group_id()); }
  const Node& node(const std::string& name) const {
    return mirror_.cluster().node(mirror_.cluster().find_node(name));
  }
  void elect(JobId id, const std::string& locked) {
    Plan plan;
    Reservation& reservation = plan.reservations.emplace_back();
    reservation.job = id;
    reservation.election = {now_, "waits longest"};
    reservation.nodes = {mirror_.cluster().find_node(locked)};
    mirror_.assume_reservations(plan, now_);
    mirror_.settle(now_);
  }
  void give_up(JobId id) {
    Plan plan;
    plan.ended.emplace_back().job = id;
    plan.ended[0].how = EndedReservation::How::given_up;
    mirror_.assume_reservations(plan, now_);
    mirror_.settle(now_);
  }
  void stop_leading() {
    mirror_.follow_api_phases(true);
    mirror_.settle(now_);
  }

  TimePoint now_{hours(1)};
  Mirror mirror_;
  PodGroupObject group_;
};

TEST_F(MirrorTargetsTest, WhatWasOursAloneIsForgottenOnceAnotherLeads) {
  elect(group_id(), "n1");
  ASSERT_TRUE(node("n1").lock.job.is_valid());
  stop_leading();
  EXPECT_FALSE(group_job().election);
  EXPECT_EQ(node("n1").lock, Lock());
  give_up(group_id());
  mirror_.follow_api_phases(false);
  give_up(group_id());
  ASSERT_TRUE(group_job().given_up_at);
  stop_leading();
  EXPECT_FALSE(group_job().given_up_at);
}

TEST_F(MirrorTargetsTest, WhatTheApiSaysCountsOnceAnotherLeads) {
  elect(group_id(), "n1");
  const Election old = *group_job().election;
  group_.marks.elected_at = old.since;
  group_.marks.why = old.why;
  group_.marks.is_elected = true;
  see(group_);
  NodeObject locked;
  locked.name = locked.uid = "n1";
  locked.allocatable = {{"cpu", 4000}, {"pods", 110}};
  locked.locked_for = "job.u-1";
  locked.locked_since = now_;
  see(locked);
  // Decided, and not written any more.
  give_up(group_id());
  ASSERT_FALSE(group_job().election);
  ASSERT_EQ(node("n1").lock, Lock());
  stop_leading();
  EXPECT_EQ(group_job().election, old);
  EXPECT_FALSE(group_job().given_up_at);
  EXPECT_EQ(node("n1").lock, (Lock{group_id(), false, now_}));
}

TEST_F(MirrorTargetsTest, SoItIsWithPodsThatAreInNoGroup) {
  PodObject marked = single("p");
  marked.marks.elected_at = now_ - minutes(1);
  marked.marks.why = "longest wait";
  marked.marks.is_elected = true;
  see(marked);
  see(single("q"));
  mirror_.settle(now_);
  const Election old{now_ - minutes(1), "longest wait"};
  ASSERT_EQ(mirror_.cluster().job(job_of("p")).election, old);
  give_up(job_of("p"));
  elect(job_of("q"), "n1");
  stop_leading();
  EXPECT_EQ(mirror_.cluster().job(job_of("p")).election, old);
  EXPECT_FALSE(mirror_.cluster().job(job_of("p")).given_up_at);
  EXPECT_FALSE(mirror_.cluster().job(job_of("q")).election);
  see(single("p"));  // the leader takes it back
  EXPECT_FALSE(mirror_.cluster().job(job_of("p")).election);
}

TEST_F(MirrorTargetsTest, ARepeatedStartOfLeadingKeepsTheDecisions) {
  elect(group_id(), "n1");
  mirror_.follow_api_phases(false);
  see(group_);
  mirror_.settle(now_);
  EXPECT_TRUE(group_job().election);
  EXPECT_TRUE(node("n1").lock.job.is_valid());
}

TEST_F(MirrorTargetsTest, AGroupInAnothersPlaceInheritsNothing) {
  elect(group_id(), "n1");
  group_.uid = "u-2";
  see(group_);
  settle_after(minutes(5));
  EXPECT_FALSE(group_job().election);
  EXPECT_EQ(group_job().first_seen, now_);
  EXPECT_EQ(group_job().whole_since, now_);
  EXPECT_EQ(node("n1").lock, Lock());
  EXPECT_TRUE(mirror_.cluster().targets().empty());
  EXPECT_EQ(mirror_.cluster().locks().for_targets(), 0U);

  give_up(group_id());
  group_.uid = "u-3";
  group_.marks.elected_at = now_ + seconds(1);
  group_.marks.is_elected = true;
  see(group_);
  settle_after(minutes(5));
  EXPECT_FALSE(group_job().given_up_at);
  EXPECT_EQ(group_job().election, (Election{*group_.marks.elected_at, ""})) << "it says so itself";
}

TEST_F(MirrorTargetsTest, NorDoesItIfTheDeletionWasSeen) {
  const TimePoint seen = group_job().first_seen;
  see(group_);
  settle_after(minutes(5));
  EXPECT_EQ(group_job().first_seen, seen) << "the same";
  give_up(group_id());
  mirror_.apply(PodGroupDeleted{"ml/g"});
  group_.uid = "u-2";
  see(group_);
  settle_after(minutes(5));
  EXPECT_EQ(group_job().first_seen, now_);
  EXPECT_EQ(group_job().whole_since, now_);
  EXPECT_FALSE(group_job().given_up_at);
}

TEST_F(MirrorTargetsTest, AJobIsKnownSinceItsFirstMemberCame) {
  PodObject early = single("h-0");
  early.group = "h";
  see(early);
  mirror_.settle(now_);
  const TimePoint seen = now_;
  PodGroupObject late = group_;
  late.name = "h";
  late.uid = "u-9";
  see(late);
  settle_after(minutes(5));
  EXPECT_EQ(mirror_.cluster().job(mirror_.find_group("ml/h")).first_seen, seen);
}

// Issue 9, row 9.
TEST_F(MirrorTargetsTest, ATargetThatSaysNotThatItWasElectedWasNamed) {
  for (const bool is_elected : {false, true}) {
    PodObject marked = single(is_elected ? "p" : "q");
    marked.marks.elected_at = now_ - minutes(1);
    marked.marks.is_elected = is_elected;
    see(marked);
    mirror_.settle(now_);
    const Job& job = mirror_.cluster().job(job_of(marked.name));
    EXPECT_EQ(job.election->is_named, !is_elected);
    EXPECT_EQ(marks_of(mirror_.cluster(), job).is_elected, is_elected);
  }
}

}  // namespace
}  // namespace berth::mirror
