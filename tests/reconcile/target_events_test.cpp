#include "reconcile/target_events.h"

#include <gtest/gtest.h>

#include "reconcile/reconcile_fixture.h"
#include "reconcile/target_condition.h"

namespace berth::reconcile {
namespace {

using Lines = std::vector<std::string>;
using How = EndedReservation::How;

class TargetEventsTest : public ReconcileTest {
 protected:
  void SetUp() override {
    for (int i = 1; i <= 12; ++i) mirror_.apply(make_node("n" + std::to_string(i), 4));
    add_gang(mirror_, make_group("g", 2), 2);
    mirror_.settle(TimePoint());
  }
  const Job& job() const { return mirror_.cluster().job(mirror_.find_group("ml/g")); }
  Reservation reservation(const std::vector<std::string>& nodes) const {
    Reservation reservation;
    reservation.job = mirror_.find_group("ml/g");
    reservation.election = {at_, "waits longest"};
    reservation.is_covered = true;
    for (const std::string& name : nodes) {
      reservation.nodes.push_back(mirror_.cluster().find_node(name));
    }
    return reservation;
  }
  EndedReservation ended(How how) const {
    EndedReservation ended;
    ended.job = mirror_.find_group("ml/g");
    ended.how = how;
    ended.nodes = {mirror_.cluster().find_node("n1")};
    return ended;
  }
  // The events of a session with this outcome: "Reason: message".
  Lines published(const std::vector<Reservation>& reservations,
                  const std::vector<EndedReservation>& ended = {}) {
    Plan plan;
    plan.reservations = reservations;
    plan.ended = ended;
    events_.publish(plan, mirror_.cluster(), now_);
    Lines lines;
    for (const auto& event : writer_.take().events) {
      EXPECT_EQ(event.object, (ports::ObjectRef{ports::ObjectKind::pod_group, "ml", "g", "g"}));
      lines.push_back((event.is_warning ? "! " : "") + event.reason + ": " + event.message);
    }
    return lines;
  }

  TimePoint at_{std::chrono::hours(1)};
  TargetEvents events_{side_->observed, side_->announcer.events()};
};

TEST_F(TargetEventsTest, PublishesAnElectionEachLockAndTheEnd) {
  EXPECT_EQ(published({reservation({})}),
            Lines{"Targeted: elected as a target: waits longest; lock: multi-node"});
  EXPECT_EQ(published({reservation({"n1"})}),
            Lines{"NodeLocked: locked for it: n1; 1 node in all"});
  EXPECT_EQ(published({reservation({"n1", "n2"})}),
            Lines{"NodeLocked: locked for it: n2; 2 nodes in all"});
  EXPECT_EQ(published({reservation({"n1", "n2"})}), Lines{});
  EXPECT_EQ(published({reservation({"n1", "n2", "n3"})}),
            Lines{"NodeLocked: locked for it: n3; 3 nodes in all"});
  EXPECT_EQ(published({}, {ended(How::started)}),
            Lines{"Released: a target no longer: it has its minimum; open again: n1"});
  EXPECT_EQ(published({}), Lines{});
}

TEST_F(TargetEventsTest, WarnsOfWhatDidNotHelp) {
  EXPECT_EQ(published({}, {ended(How::given_up)}),
            Lines{"! Released: a target no longer: it was a target for too long without being able "
                  "to start; open again: n1"});
  EndedReservation impossible = ended(How::impossible);
  impossible.reason = Reason::queue_capability;
  impossible.what = "cpu";
  impossible.have = 4000;
  impossible.need = 8000;
  EXPECT_NE(
      published({}, {impossible}).at(0).find(sentence(Reason::queue_capability, 4000, 8000, "cpu")),
      std::string::npos);
}

TEST_F(TargetEventsTest, PublishesNothingAgainThatTheApiShows) {
  PodGroupObject group = make_group("g", 2);
  group.marks.elected_at = at_;
  side_->observe(group);
  NodeObject node = make_node("n1", 4);
  node.locked_for = "job.g";
  side_->observe(node);
  EXPECT_EQ(published({reservation({"n1", "n2"})}),
            Lines{"NodeLocked: locked for it: n2; 2 nodes in all"});
}

TEST_F(TargetEventsTest, SaysItOfThePodWhereThereIsNoGroup) {
  PodObject pod = make_member("", 7);
  pod.group.clear();
  mirror_.apply(pod);
  mirror_.settle(TimePoint());
  Plan plan;
  plan.reservations = {reservation({})};
  plan.reservations[0].job = mirror_.cluster().task(mirror_.find_task(pod.uid)).job;
  events_.publish(plan, mirror_.cluster(), now_);
  const auto events = writer_.take().events;
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].object.kind, ports::ObjectKind::pod);
  EXPECT_EQ(events[0].object.uid, pod.uid);
}

TEST_F(TargetEventsTest, KeepsTheConditionAfterTheEnd) {
  EXPECT_FALSE(events_.condition_of(job()));
  published({reservation({"n1"})});
  EXPECT_TRUE(events_.condition_of(job())->holds);
  published({}, {ended(How::displaced)});
  published({});
  EXPECT_FALSE(events_.condition_of(job())->holds);
  EXPECT_EQ(events_.condition_of(job())->reason, "Displaced");
}

// Issue 9, row 9.
TEST_F(TargetEventsTest, SaysThatANameWasTakenBack) {
  published({reservation({"n1"})});
  published({}, {ended(How::withdrawn)});
  EXPECT_EQ(events_.condition_of(job())->reason, "Withdrawn");
  EXPECT_EQ(events_.condition_of(job())->message, "its user does not want it to be one any more");
}

TEST_F(TargetEventsTest, SaysThatFewerTargetsAreAllowed) {
  published({reservation({"n1"})});
  EXPECT_EQ(published({}, {ended(How::too_many)}),
            Lines{"Released: a target no longer: the configuration allows fewer targets now; open "
                  "again: n1"});
  EXPECT_EQ(events_.condition_of(job())->reason, "TooMany");
}

TEST_F(TargetEventsTest, ConditionOfOneNodeIsInTheSingular) {
  Reservation wanted = reservation({"n1"});
  wanted.is_covered = false;
  EXPECT_EQ(target_condition(wanted, mirror_.cluster()).message,
            "target since 1970-01-01T01:00:00Z (waits longest); lock: multi-node; 1 node is kept "
            "for it: n1; it does not suffice, however much finishes there");
}

TEST_F(TargetEventsTest, ConditionSaysWhatIsMissingAndUntilWhen) {
  Reservation wanted = reservation({});
  EXPECT_EQ(target_condition(wanted, mirror_.cluster()).reason, "Elected");
  std::vector<std::string> names;
  for (int i = 1; i <= 11; ++i) names.push_back("n" + std::to_string(i));
  wanted = reservation(names);
  wanted.scheme = LockScheme::closest_fit;
  wanted.locked_since = at_ + std::chrono::seconds(1);
  wanted.times_out_at = at_ + std::chrono::minutes(10);
  wanted.gives_up_at = at_ + std::chrono::hours(2);
  wanted.is_covered = false;
  wanted.missing = {{Dimension(0), 1500, 64'000}};
  const WrittenCondition condition = target_condition(wanted, mirror_.cluster());
  EXPECT_TRUE(condition.holds);
  EXPECT_EQ(condition.reason, "Locked");
  EXPECT_EQ(mirror_.cluster().dimensions().name(Dimension(0)), "cpu");
  EXPECT_EQ(condition.message,
            "target since 1970-01-01T01:00:00Z (waits longest); lock: closest-fit; 11 nodes are "
            "kept for it: n1, n2, n3, n4, n5, n6, n7, n8 and 3 more, since 1970-01-01T01:00:01Z; "
            "they do not suffice, however much finishes there; idle there: cpu 1500m of 64; every "
            "usable node is locked from 1970-01-01T01:10:00Z; given up at 1970-01-01T03:00:00Z");
}

}  // namespace
}  // namespace berth::reconcile
