#include "reconcile/reservation_marks.h"

#include <gtest/gtest.h>

#include <map>

#include "berth/base/text.h"
#include "reconcile/reconcile_fixture.h"

namespace berth::reconcile {
namespace {

using std::chrono::seconds;
using Written = RecordingWriter::Written;

// Objects as the API has them.
class ReservationMarksTest : public ReconcileTest {
 protected:
  void SetUp() override {
    for (const char* name : {"n1", "n2", "n3"}) see(make_node(name, 4));
    see(make_group("g", 2));
    for (int i = 0; i < 2; ++i) see(make_member("g", i, 4));
    mirror_.settle(now_);
  }
  void see(const ClusterEvent& event) {
    ReconcileTest::see(event);
    if (const auto* node = std::get_if<NodeObject>(&event)) nodes_[node->name] = *node;
    if (const auto* group = std::get_if<PodGroupObject>(&event)) group_ = *group;
  }
  JobId job() const { return mirror_.find_group("ml/g"); }
  Written decide(const Plan& plan) {
    mirror_.assume_reservations(plan, now_);
    return session();
  }
  void look_at_job() { side_->reconciler.look_at({job()}); }
  Plan target_with(const std::vector<std::string>& nodes) {
    Plan plan;
    Reservation& reservation = plan.reservations.emplace_back();
    reservation.job = job();
    reservation.election = {elected_at_, "waits longest"};
    for (const std::string& name : nodes) {
      reservation.nodes.push_back(mirror_.cluster().find_node(name));
    }
    return plan;
  }
  Plan end(EndedReservation::How how) {
    Plan plan;
    EndedReservation& ended = plan.ended.emplace_back();
    ended.job = job();
    ended.how = how;
    return plan;
  }
  // The watch shows it.
  void show(const Written& written) {
    for (const auto& lock : written.locks) {
      NodeObject node = nodes_.at(lock.object.name);
      node.locked_for = lock.locked_for;
      node.locked_since.reset();
      if (!lock.locked_for.empty()) node.locked_since = lock.since;
      node.has_lock_taint = lock.has_taint;
      see(node);
    }
    for (const auto& marks : written.marks) {
      PodGroupObject group = group_;
      group.marks = marks;
      see(group);
    }
  }
  void take_back_label(const std::string& name) {
    NodeObject node = nodes_.at(name);
    node.locked_for.clear();
    see(node);
  }
  // Another process, which sees what is there.
  void restart() {
    mirror_ = mirror::Mirror();
    mirror_.follow_api_phases(true);
    start();
    const auto nodes = nodes_;
    for (const auto& [name, node] : nodes) see(node);
    see(PodGroupObject(group_));
    for (int i = 0; i < 2; ++i) see(make_member("g", i, 4));
    mirror_.follow_api_phases(false);
    mirror_.settle(now_);
  }

  TimePoint elected_at_ = now_;
  std::map<std::string, NodeObject> nodes_;
  PodGroupObject group_;
};

// Rows 0.43 and 0.44: the target that was chosen is annotated, locked nodes are labelled.
TEST_F(ReservationMarksTest, WritesLocksAndMarksOnce) {
  const auto written = decide(target_with({"n1", "n3"}));
  ASSERT_EQ(written.locks.size(), 2U);
  EXPECT_EQ(written.locks[0].object, (ports::ObjectRef{ports::ObjectKind::node, "", "n1", "n1"}));
  EXPECT_EQ(written.locks[0], (ports::NodeLock{"job.g", now_, false}));
  EXPECT_EQ(written.locks[1].object.name, "n3");
  ASSERT_EQ(written.marks.size(), 1U);
  EXPECT_EQ(written.marks[0].object,
            (ports::ObjectRef{ports::ObjectKind::pod_group, "ml", "g", "g"}));
  EXPECT_EQ(written.marks[0].elected_at, elected_at_);
  EXPECT_EQ(written.marks[0].why, "waits longest");
  // Neither before it is seen, nor after.
  for (const auto& again : {session(), (show(written), session()), session_after(seconds(60))}) {
    EXPECT_TRUE(again.locks.empty());
    EXPECT_TRUE(again.marks.empty());
  }
}

TEST_F(ReservationMarksTest, WritesAgainWhatDoesNotComeToBe) {
  decide(target_with({"n1"}));
  EXPECT_TRUE(session_after(seconds(9)).locks.empty());
  const auto again = session_after(seconds(1));
  EXPECT_EQ(again.locks.size(), 1U);
  EXPECT_EQ(again.marks.size(), 1U);
}

// Row 0.45: labels go once the target runs.
TEST_F(ReservationMarksTest, TakesAwayWhatIsOver) {
  show(decide(target_with({"n1", "n2"})));
  const auto written = decide(end(EndedReservation::How::started));
  ASSERT_EQ(written.locks.size(), 2U);
  EXPECT_EQ(written.locks[0], ports::NodeLock());
  ASSERT_EQ(written.marks.size(), 1U);
  EXPECT_EQ(written.marks[0], TargetMarks());
  show(written);
  EXPECT_TRUE(session_after(seconds(60)).locks.empty());
}

TEST_F(ReservationMarksTest, RemembersThatATargetWasGivenUpUntilItIsOneAgain) {
  show(decide(target_with({"n1"})));
  now_ += seconds(5);
  auto written = decide(end(EndedReservation::How::given_up));
  ASSERT_EQ(written.marks.size(), 1U);
  EXPECT_EQ(written.marks[0].given_up_at, now_);
  EXPECT_FALSE(written.marks[0].elected_at);
  show(written);
  written = decide(target_with({}));
  ASSERT_EQ(written.marks.size(), 1U);
  EXPECT_FALSE(written.marks[0].given_up_at);
  EXPECT_TRUE(written.marks[0].elected_at);
}

TEST_F(ReservationMarksTest, ForgetsThatATargetWasGivenUpOnceItStarts) {
  show(decide(target_with({})));
  show(decide(end(EndedReservation::How::given_up)));
  for (int i = 0; i < 2; ++i) {
    see(running_on(make_member("g", i, 4), i == 0 ? "n1" : "n2"));
  }
  const auto written = session();
  ASSERT_EQ(written.marks.size(), 1U);
  EXPECT_EQ(written.marks[0], TargetMarks());
}

TEST_F(ReservationMarksTest, PutsBackALabelThatSomebodyTookAway) {
  show(decide(target_with({"n1", "n2"})));
  take_back_label("n1");
  const auto written = session();
  ASSERT_EQ(written.locks.size(), 1U);
  EXPECT_EQ(written.locks[0].locked_for, "job.g");
}

TEST_F(ReservationMarksTest, PutsBackAWordThatSomebodyTookAway) {
  show(decide(target_with({"n1"})));
  PodGroupObject group = group_;
  for (const bool is_named : {false, true}) {
    group.marks.is_named = is_named;
    group.marks.is_elected = false;
    see(group);
    const auto written = session();
    if (is_named) {
      EXPECT_TRUE(written.marks.empty()) << "a user's word stands";
    } else {
      ASSERT_EQ(written.marks.size(), 1U);
      EXPECT_TRUE(written.marks[0].is_elected);
      EXPECT_EQ(written.marks[0].elected_at, elected_at_);
    }
  }
}

// As in a copied manifest, of which nothing else is believed.
TEST_F(ReservationMarksTest, TakesAwayAWordThatIsNotTrue) {
  PodGroupObject group = group_;
  group.marks.is_elected = true;
  see(group);
  const auto written = session();
  ASSERT_EQ(written.marks.size(), 1U);
  EXPECT_EQ(written.marks[0], TargetMarks());
}

TEST_F(ReservationMarksTest, GoesOnAfterACrashWhereverItCame) {
  const auto written = decide(target_with({"n1", "n2"}));
  Written half;
  half.locks = {written.locks[0]};
  half.marks = written.marks;
  show(half);
  now_ += seconds(100);
  restart();
  EXPECT_TRUE(session().locks.empty()) << "what it can know is there";
  const auto later = decide(target_with({"n1", "n2"}));
  ASSERT_EQ(later.locks.size(), 1U);
  EXPECT_EQ(later.locks[0].object.name, "n2");
  EXPECT_TRUE(later.marks.empty());
}

TEST_F(ReservationMarksTest, TakesAwayLocksWhoseJobIsNoTarget) {
  const auto written = decide(target_with({"n1"}));
  Written half;
  half.locks = written.locks;  // it died before the marks were written
  show(half);
  restart();
  const auto later = session();
  ASSERT_EQ(later.locks.size(), 1U);
  EXPECT_EQ(later.locks[0].locked_for, "");
}

TEST_F(ReservationMarksTest, LeavesOthersLocksAlone) {
  NodeObject node = nodes_.at("n1");
  node.locked_for = "queue.q";
  see(node);
  EXPECT_TRUE(session().locks.empty());
  node.has_lock_taint = true;  // ours, from a time before
  see(node);
  EXPECT_EQ(session().locks.size(), 1U);
}

TEST_F(ReservationMarksTest, EnforcesByTaintsAndTakesThemAwayAgain) {
  side_->reconciler.set_options({true, false});
  auto written = decide(target_with({"n1"}));
  ASSERT_EQ(written.locks.size(), 1U);
  EXPECT_TRUE(written.locks[0].has_taint);
  show(written);
  side_->reconciler.set_options({false, false});
  written = session();
  ASSERT_EQ(written.locks.size(), 1U);
  EXPECT_FALSE(written.locks[0].has_taint);
  EXPECT_EQ(written.locks[0].locked_for, "job.g");
}

TEST_F(ReservationMarksTest, RemembersSinceWhenAJobWaitsOnceItHasWaitedAWhile) {
  const TimePoint seen = mirror_.cluster().job(job()).first_seen;
  ASSERT_NE(seen, TimePoint());
  EXPECT_TRUE(session_after(seconds(60)).marks.empty()) << "not without the plugin";
  side_->reconciler.set_options({false, true});
  look_at_job();
  const auto written = session();
  ASSERT_EQ(written.marks.size(), 1U);
  EXPECT_EQ(written.marks[0].first_seen, seen);
  show(written);
  look_at_job();
  EXPECT_TRUE(session_after(seconds(60)).marks.empty());
}

TEST_F(ReservationMarksTest, SaysAnewWhatAClockWroteThatWasAhead) {
  side_->reconciler.set_options({false, true});
  show(session_after(seconds(60)));
  now_ -= std::chrono::minutes(30);
  restart();
  const TimePoint seen = now_;
  side_->reconciler.set_options({false, true});
  const auto written = session_after(seconds(60));
  ASSERT_EQ(written.marks.size(), 1U);
  EXPECT_EQ(written.marks[0].first_seen, seen);
}

TEST_F(ReservationMarksTest, WritesNothingOnJobsThatHardlyWait) {
  side_->reconciler.set_options({false, true});
  EXPECT_TRUE(session_after(seconds(9)).marks.empty());
  for (int i = 0; i < 2; ++i) {
    see(running_on(make_member("g", i, 4), i == 0 ? "n1" : "n2"));
  }
  EXPECT_TRUE(session_after(seconds(60)).marks.empty());
}

TEST_F(ReservationMarksTest, KeepsTheMarksOfAPodThatIsInNoGroupOnIt) {
  PodObject pod = make_member("", 7, 4);
  pod.group.clear();
  see(pod);
  mirror_.settle(now_);
  Plan plan = target_with({"n1"});
  plan.reservations[0].job = mirror_.cluster().task(mirror_.find_task(pod.uid)).job;
  const auto written = decide(plan);
  ASSERT_EQ(written.marks.size(), 1U);
  EXPECT_EQ(written.marks[0].object.kind, ports::ObjectKind::pod);
  EXPECT_EQ(written.marks[0].object.uid, pod.uid);
  EXPECT_EQ(written.locks.at(0).locked_for, "job." + pod.uid);
}

TEST_F(ReservationMarksTest, CLAIM8ClaimsThatOthersWereEvictedForAreWrittenAtOnce) {
  Plan plan;
  plan.pipelined = {{mirror_.find_task("g-0"), mirror_.cluster().find_node("n1")}};
  PlannedEviction eviction;
  eviction.task = mirror_.find_task("g-1");
  eviction.beneficiary = mirror_.cluster().task(mirror_.find_task("g-0")).job;
  plan.evictions = {eviction};
  mirror_.assume(plan, now_);
  const auto written = session();
  ASSERT_EQ(written.marks.size(), 1U);
  EXPECT_EQ(written.marks[0].claims, format_time(now_) + " n1 +evicted");
}

TEST_F(ReservationMarksTest, CLAIM8WhileItIsPlannedTheyStayWritten) {
  Plan plan;
  plan.pipelined = {{mirror_.find_task("g-0"), mirror_.cluster().find_node("n1")}};
  PlannedEviction eviction;
  eviction.task = mirror_.find_task("g-1");
  eviction.beneficiary = job();
  plan.evictions = {eviction};
  mirror_.assume(plan, now_);
  show(session());
  Plan start;
  start.binds = {{mirror_.find_task("g-0"), mirror_.cluster().find_node("n1")}};
  mirror_.assume(start, now_);
  EXPECT_TRUE(mirror_.cluster().job(job()).claims.empty());
  EXPECT_TRUE(session().marks.empty()) << "the leader may be killed now";
  mirror_.apply(PlacementDropped{"g-0", "n1", "refused"});
  const auto failed = session();
  ASSERT_EQ(failed.marks.size(), 1U);
  EXPECT_EQ(failed.marks[0].claims, "");
}

// Most room is vacated in less: one write when it takes longer, and one when the claim has ended.
TEST_F(ReservationMarksTest, CLAIM8ClaimsAreWrittenWhenTheyAreTenSecondsOld) {
  const auto claim = [&](std::vector<Placement> placements) {
    Plan plan;
    plan.pipelined = std::move(placements);
    mirror_.assume(plan, now_);
  };
  const std::vector<Placement> both{{mirror_.find_task("g-0"), mirror_.cluster().find_node("n1")},
                                    {mirror_.find_task("g-1"), mirror_.cluster().find_node("n2")}};
  const TimePoint since = now_;
  claim(both);
  EXPECT_TRUE(session().marks.empty());
  EXPECT_TRUE(session_after(seconds(9)).marks.empty());
  claim(both);
  const auto written = session_after(seconds(1));
  ASSERT_EQ(written.marks.size(), 1U);
  EXPECT_EQ(written.marks[0].claims, format_time(since) + " n1 n2");
  show(written);
  claim(both);
  EXPECT_TRUE(session_after(seconds(60)).marks.empty());
  claim({});
  const auto ended = session();
  ASSERT_EQ(ended.marks.size(), 1U);
  EXPECT_EQ(ended.marks[0].claims, "");
}

}  // namespace
}  // namespace berth::reconcile
