#include "daemon/reservation_reporter.h"

#include <gtest/gtest.h>

#include <optional>

#include "berth/base/text.h"
#include "daemon/objects.h"
#include "daemon/recording_ports.h"

namespace berth::daemon {
namespace {

using std::chrono::seconds;

// A mirror that sessions move, and objects as the API has them.
class ReservationReporterTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"n1", "n2", "n3"}) see(make_node(name, 4));
    see(make_group("g", 2));
    for (int i = 0; i < 2; ++i) see(make_member("g", i, 4));
    mirror_.settle(now_);
  }
  void see(const ClusterEvent& event) {
    mirror_.apply(event);
    reporter_->observe(event);
    if (const auto* node = std::get_if<NodeObject>(&event)) nodes_[node->name] = *node;
    if (const auto* group = std::get_if<PodGroupObject>(&event)) group_ = *group;
  }
  JobId job() const { return mirror_.find_group("ml/g"); }
  // What a session decided, and what is written then.
  RecordingPorts::Told session(const Plan& plan) {
    mirror_.assume_reservations(plan, now_);
    return round();
  }
  RecordingPorts::Told round() {
    mirror_.settle(now_);
    reporter_->report(mirror_.take_changes(), mirror_.cluster(), now_);
    return ports_.take();
  }
  RecordingPorts::Told round_after(Duration pause) {
    now_ += pause;
    return round();
  }
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
  // The API takes it.
  void take(const RecordingPorts::Told& told) {
    for (const ports::NodeLock& lock : told.locks) {
      NodeObject node = nodes_.at(lock.node);
      node.locked_for = lock.locked_for;
      node.locked_since.reset();
      if (!lock.locked_for.empty()) node.locked_since = lock.since;
      node.has_lock_taint = lock.has_taint;
      see(node);
    }
    for (const ports::JobMarks& job : told.marks) {
      PodGroupObject group = group_;
      group.marks = job.marks;
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
    reporter_.emplace(ports_);
    const auto nodes = nodes_;
    for (const auto& [name, node] : nodes) see(node);
    see(PodGroupObject(group_));
    for (int i = 0; i < 2; ++i) see(make_member("g", i, 4));
    mirror_.follow_api_phases(false);
    mirror_.settle(now_);
  }

  TimePoint now_{std::chrono::hours(1)};
  TimePoint elected_at_ = now_;
  mirror::Mirror mirror_;
  std::map<std::string, NodeObject> nodes_;
  PodGroupObject group_;
  RecordingPorts ports_;
  std::optional<ReservationReporter> reporter_{std::in_place, ports_};
};

// Most room is vacated in less: one write when it takes longer, and one when the claim has ended.
TEST_F(ReservationReporterTest, CLAIM8ClaimsAreWrittenWhenTheyAreTenSecondsOld) {
  const auto claim = [&](std::vector<Placement> placements) {
    Plan plan;
    plan.pipelined = std::move(placements);
    mirror_.assume(plan, now_);
  };
  const std::vector<Placement> both{{mirror_.find_task("g-0"), mirror_.cluster().find_node("n1")},
                                    {mirror_.find_task("g-1"), mirror_.cluster().find_node("n2")}};
  const TimePoint since = now_;
  claim(both);
  EXPECT_TRUE(round().marks.empty());
  EXPECT_TRUE(round_after(seconds(9)).marks.empty());
  claim(both);
  const auto told = round_after(seconds(1));
  ASSERT_EQ(told.marks.size(), 1U);
  EXPECT_EQ(told.marks[0].marks.claims, format_time(since) + " n1 n2");
  take(told);
  claim(both);
  EXPECT_TRUE(round_after(seconds(60)).marks.empty());
  claim({});
  const auto ended = round();
  ASSERT_EQ(ended.marks.size(), 1U);
  EXPECT_EQ(ended.marks[0].marks.claims, "");
}

// Rows 0.43 and 0.44: the target that was chosen is annotated, locked nodes are labelled.
TEST_F(ReservationReporterTest, WritesLocksAndMarksOnce) {
  const auto told = session(target_with({"n1", "n3"}));
  ASSERT_EQ(told.locks.size(), 2U);
  EXPECT_EQ(told.locks[0], (ports::NodeLock{"n1", "n1", "job.g", now_, false}));
  EXPECT_EQ(told.locks[1].node, "n3");
  ASSERT_EQ(told.marks.size(), 1U);
  EXPECT_EQ(told.marks[0].name_space + "/" + told.marks[0].name, "ml/g");
  EXPECT_EQ(told.marks[0].uid, "g");
  EXPECT_EQ(told.marks[0].marks.elected_at, elected_at_);
  EXPECT_EQ(told.marks[0].marks.why, "waits longest");
  // Neither before it is seen, nor after.
  for (const auto& again : {round(), (take(told), round()), round_after(seconds(60))}) {
    EXPECT_TRUE(again.locks.empty());
    EXPECT_TRUE(again.marks.empty());
  }
}

TEST_F(ReservationReporterTest, WritesAgainWhatDoesNotComeToBe) {
  session(target_with({"n1"}));
  EXPECT_TRUE(round_after(seconds(9)).locks.empty());
  const auto again = round_after(seconds(1));
  EXPECT_EQ(again.locks.size(), 1U);
  EXPECT_EQ(again.marks.size(), 1U);
}

// Row 0.45: labels go once the target runs.
TEST_F(ReservationReporterTest, TakesAwayWhatIsOver) {
  take(session(target_with({"n1", "n2"})));
  const auto told = session(end(EndedReservation::How::started));
  ASSERT_EQ(told.locks.size(), 2U);
  EXPECT_EQ(told.locks[0], (ports::NodeLock{"n1", "n1", "", {}, false}));
  ASSERT_EQ(told.marks.size(), 1U);
  EXPECT_EQ(told.marks[0].marks, TargetMarks());
  take(told);
  EXPECT_TRUE(round_after(seconds(60)).locks.empty());
}

TEST_F(ReservationReporterTest, RemembersThatATargetWasGivenUpUntilItIsOneAgain) {
  take(session(target_with({"n1"})));
  now_ += seconds(5);
  auto told = session(end(EndedReservation::How::given_up));
  ASSERT_EQ(told.marks.size(), 1U);
  EXPECT_EQ(told.marks[0].marks.given_up_at, now_);
  EXPECT_FALSE(told.marks[0].marks.elected_at);
  take(told);
  told = session(target_with({}));
  ASSERT_EQ(told.marks.size(), 1U);
  EXPECT_FALSE(told.marks[0].marks.given_up_at);
  EXPECT_TRUE(told.marks[0].marks.elected_at);
}

TEST_F(ReservationReporterTest, ForgetsThatATargetWasGivenUpOnceItStarts) {
  take(session(target_with({})));
  take(session(end(EndedReservation::How::given_up)));
  for (int i = 0; i < 2; ++i) {
    see(running_on(make_member("g", i, 4), i == 0 ? "n1" : "n2"));
  }
  const auto told = round();
  ASSERT_EQ(told.marks.size(), 1U);
  EXPECT_EQ(told.marks[0].marks, TargetMarks());
}

TEST_F(ReservationReporterTest, PutsBackALabelThatSomebodyTookAway) {
  take(session(target_with({"n1", "n2"})));
  take_back_label("n1");
  const auto told = round();
  ASSERT_EQ(told.locks.size(), 1U);
  EXPECT_EQ(told.locks[0].locked_for, "job.g");
}

TEST_F(ReservationReporterTest, PutsBackAWordThatSomebodyTookAway) {
  take(session(target_with({"n1"})));
  PodGroupObject group = group_;
  for (const bool is_named : {false, true}) {
    group.marks.is_named = is_named;
    group.marks.is_elected = false;
    see(group);
    const auto told = round();
    if (is_named) {
      EXPECT_TRUE(told.marks.empty()) << "a user's word stands";
    } else {
      ASSERT_EQ(told.marks.size(), 1U);
      EXPECT_TRUE(told.marks[0].marks.is_elected);
      EXPECT_EQ(told.marks[0].marks.elected_at, elected_at_);
    }
  }
}

// As in a copied manifest, of which nothing else is believed.
TEST_F(ReservationReporterTest, TakesAwayAWordThatIsNotTrue) {
  PodGroupObject group = group_;
  group.marks.is_elected = true;
  see(group);
  const auto told = round();
  ASSERT_EQ(told.marks.size(), 1U);
  EXPECT_EQ(told.marks[0].marks, TargetMarks());
}

TEST_F(ReservationReporterTest, GoesOnAfterACrashWhereverItCame) {
  const auto told = session(target_with({"n1", "n2"}));
  RecordingPorts::Told half;
  half.locks = {told.locks[0]};
  half.marks = told.marks;
  take(half);
  now_ += seconds(100);
  restart();
  EXPECT_TRUE(round().locks.empty()) << "what it can know is there";
  const auto rest = session(target_with({"n1", "n2"}));
  ASSERT_EQ(rest.locks.size(), 1U);
  EXPECT_EQ(rest.locks[0].node, "n2");
  EXPECT_TRUE(rest.marks.empty());
}

TEST_F(ReservationReporterTest, TakesAwayLocksWhoseJobIsNoTarget) {
  const auto told = session(target_with({"n1"}));
  RecordingPorts::Told half;
  half.locks = told.locks;  // it died before the marks were written
  take(half);
  restart();
  const auto rest = round();
  ASSERT_EQ(rest.locks.size(), 1U);
  EXPECT_EQ(rest.locks[0].locked_for, "");
}

TEST_F(ReservationReporterTest, LeavesOthersLocksAlone) {
  NodeObject node = nodes_.at("n1");
  node.locked_for = "queue.q";
  see(node);
  EXPECT_TRUE(round().locks.empty());
  node.has_lock_taint = true;  // ours, from a time before
  see(node);
  EXPECT_EQ(round().locks.size(), 1U);
}

TEST_F(ReservationReporterTest, EnforcesByTaintsAndTakesThemAwayAgain) {
  reporter_->set_options({true, false});
  auto told = session(target_with({"n1"}));
  ASSERT_EQ(told.locks.size(), 1U);
  EXPECT_TRUE(told.locks[0].has_taint);
  take(told);
  reporter_->set_options({false, false});
  told = round();
  ASSERT_EQ(told.locks.size(), 1U);
  EXPECT_FALSE(told.locks[0].has_taint);
  EXPECT_EQ(told.locks[0].locked_for, "job.g");
}

TEST_F(ReservationReporterTest, RemembersSinceWhenAJobWaitsOnceItHasWaitedAWhile) {
  const TimePoint seen = mirror_.cluster().job(job()).first_seen;
  ASSERT_NE(seen, TimePoint());
  EXPECT_TRUE(round_after(seconds(60)).marks.empty()) << "not without the plugin";
  reporter_->set_options({false, true});
  reporter_->owe(job());
  const auto told = round();
  ASSERT_EQ(told.marks.size(), 1U);
  EXPECT_EQ(told.marks[0].marks.first_seen, seen);
  take(told);
  reporter_->owe(job());
  EXPECT_TRUE(round_after(seconds(60)).marks.empty());
}

TEST_F(ReservationReporterTest, SaysAnewWhatAClockWroteThatWasAhead) {
  reporter_->set_options({false, true});
  take(round_after(seconds(60)));
  now_ -= std::chrono::minutes(30);
  restart();
  const TimePoint seen = now_;
  reporter_->set_options({false, true});
  const auto told = round_after(seconds(60));
  ASSERT_EQ(told.marks.size(), 1U);
  EXPECT_EQ(told.marks[0].marks.first_seen, seen);
}

TEST_F(ReservationReporterTest, WritesNothingOnJobsThatHardlyWait) {
  reporter_->set_options({false, true});
  EXPECT_TRUE(round_after(seconds(9)).marks.empty());
  for (int i = 0; i < 2; ++i) {
    see(running_on(make_member("g", i, 4), i == 0 ? "n1" : "n2"));
  }
  EXPECT_TRUE(round_after(seconds(60)).marks.empty());
}

TEST_F(ReservationReporterTest, KeepsTheMarksOfAPodThatIsInNoGroupOnIt) {
  PodObject pod = make_member("", 7, 4);
  pod.group.clear();
  see(pod);
  mirror_.settle(now_);
  Plan plan = target_with({"n1"});
  plan.reservations[0].job = mirror_.cluster().task(mirror_.find_task(pod.uid)).job;
  const auto told = session(plan);
  ASSERT_EQ(told.marks.size(), 1U);
  EXPECT_EQ(told.marks[0].about, ports::Event::About::pod);
  EXPECT_EQ(told.marks[0].uid, pod.uid);
  EXPECT_EQ(told.locks.at(0).locked_for, "job." + pod.uid);
}

}  // namespace
}  // namespace berth::daemon
