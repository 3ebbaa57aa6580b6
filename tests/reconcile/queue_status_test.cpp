#include "reconcile/queue_status.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "plugins/proportion/queue_division.h"
#include "reconcile/reconcile_fixture.h"

namespace berth::reconcile {
namespace {

using Lines = std::vector<std::string>;
using std::chrono::seconds;

class QueueStatusTest : public ReconcileTest {
 protected:
  void SetUp() override { mirror_.apply(make_node("n1", 10)); }

  static QueueObject queue(const std::string& name, std::int64_t cpu = 0) {
    QueueObject object;
    object.name = object.uid = name;
    if (cpu > 0) object.guarantee = {{"cpu", cpu * 1000}};
    return object;
  }
  // A gang of one in this queue, on the node.
  void run(const std::string& name, const std::string& queue, std::int64_t cpu) {
    PodGroupObject group = make_group(name, 1);
    group.queue = queue;
    mirror_.apply(group);
    mirror_.apply(running_on(make_member(name, 0, cpu), "n1"));
  }
  // The writes of a session now.
  RecordingWriter::Written round() {
    mirror_.settle(now_);
    if (is_divided_) plan_.shares = share();
    auto table = views::make_queue_table(mirror_.cluster(), plan_, tree_);
    if (queues_ == nullptr || *queues_ != table) {
      queues_ = std::make_shared<const views::QueueTable>(std::move(table));
      side_->announcer.announce_queues(*queues_);
    }
    return session(plan_);
  }
  RecordingWriter::Written round_after(Duration pause) {
    now_ += pause;
    return round();
  }
  // The same pointer as long as nothing changed, as the plugin does it.
  std::shared_ptr<const QueueShares> share() {
    tree_.refresh(mirror_.cluster());
    auto shares = plugins::QueueDivision().divide(mirror_.cluster(), tree_, false);
    return plan_.shares != nullptr && *plan_.shares == *shares ? plan_.shares : shares;
  }
  static const support::On<ports::QueueStatus>& status_of(const RecordingWriter::Written& written,
                                                          const std::string& name) {
    static const support::On<ports::QueueStatus> none{};
    for (const auto& each : written.queues) {
      if (each.object.name == name) return each;
    }
    ADD_FAILURE() << "no status of " << name;
    return none;
  }

  bool is_divided_ = true;
  engine::QueueTree tree_;
  Plan plan_;
};

TEST_F(QueueStatusTest, WritesSharesCountsAndConditions) {
  see(queue("a", 4));
  see(queue("b"));
  run("g", "b", 3);
  const auto written = round();
  ASSERT_EQ(written.queues.size(), 2U) << "not of the default queue: it is no object";
  const auto& b = status_of(written, "b");
  EXPECT_EQ(b.object.uid, "b");
  EXPECT_EQ(b.state, QueueState::open);
  EXPECT_EQ(b.written.running, 1);
  EXPECT_EQ(b.written.allocated, (NamedAmounts{{"cpu", 3000}, {"pods", 1}}));
  EXPECT_EQ(b.written.deserved, (NamedAmounts{{"cpu", 3000}, {"pods", 1}}));
  EXPECT_EQ(b.written.guarantee, NamedAmounts());
  EXPECT_EQ(b.written.real_capability, (NamedAmounts{{"cpu", 6000}, {"pods", 110}}));
  EXPECT_EQ(b.written.ready, (WrittenCondition{true, "Open", "", now_}));
  EXPECT_EQ(b.written.scaled, (WrittenCondition{false, "InForce", "", now_}));
  EXPECT_EQ(status_of(written, "a").written.guarantee, (NamedAmounts{{"cpu", 4000}}));
  EXPECT_EQ(written.lines, Lines{"job ml/g is Running: 1 of 1 pods run, minimum 1"});
}

views::QueueTable::Row row_with(const views::ReservedNodes& reservation) {
  views::QueueTable::Row row;
  row.reservation = reservation;
  return row;
}

WrittenCondition reserving_of(const views::ReservedNodes& reservation) {
  return reconcile::reserving_of(row_with(reservation));
}

WrittenCondition nodes_reserved(bool holds, const char* reason, const char* message) {
  return {holds, reason, message, {}};
}

TEST(NodesReserved, IsMetWhereTheRoomIsIdleOrItsOwn) {
  EXPECT_EQ(reconcile::reserving_of(views::QueueTable::Row()), WrittenCondition());
  views::ReservedNodes its;
  its.nodes = {"n1", "n2"};
  its.amounts = {{"cpu", 16000, 10000, 6000, 0, 0},
                 {"memory", std::int64_t{4} << 30, std::int64_t{9} << 30, 0, 0, 0}};
  its.is_met = true;
  const auto met = nodes_reserved(true, "Met", "16 cpu, 4Gi memory idle or used by it on n1, n2");
  EXPECT_EQ(reserving_of(its), met);
  its.amounts[0].idle = 0;
  its.amounts[0].own = 16000;
  EXPECT_EQ(reserving_of(its), met) << "pods of its own change nothing";
  its.clipped = "20 cpu are cut to the cluster's 16";
  EXPECT_EQ(reserving_of(its).message, met.message + "; 20 cpu are cut to the cluster's 16");
  its.amounts.clear();
  its.asked_nodes = 4;
  its.nodes = {"n1", "n2", "n3", "n4"};
  its.clipped.clear();
  EXPECT_EQ(reserving_of(its).message, "it has its 4 nodes");
}

TEST(NodesReserved, WaitsForTheRoomOfOthers) {
  views::ReservedNodes its;
  its.nodes = {"n1", "n2"};
  its.amounts = {{"cpu", 16000, 2000, 10000, 1000, 4000}, {"memory", 5, 9, 0, 0, 0}};
  const std::string room = "12 of 16 cpu idle or used by it on n1, n2; ";
  EXPECT_EQ(reserving_of(its),
            nodes_reserved(
                false, "Waiting",
                (room + "the rest is used by other pods, which finish (Best-Effort)").c_str()));
  its.is_guaranteed = true;
  EXPECT_EQ(reserving_of(its).message,
            room + "the rest is used by other pods, which finish, and no action evicts them");
  its.evicts = true;
  EXPECT_EQ(reserving_of(its).message,
            room + "the rest is used by other pods, which are evicted (Guaranteed)");
  its.nodes.clear();
  EXPECT_EQ(reserving_of(its).message.substr(0, 63),
            "12 of 16 cpu idle or used by it on nodes of queues below it; th");
  its.amounts = {{"cpu", 16000, 0, 0, 0, 16000}};
  its.clipped = "no node has gpu";
  EXPECT_EQ(reserving_of(its),
            nodes_reserved(false, "Waiting", "its nodes are not chosen yet; no node has gpu"));
}

TEST(NodesReserved, SaysThatThereAreNotEnoughNodes) {
  views::ReservedNodes its;
  its.nodes = {"n1"};
  its.amounts = {{"cpu", 16000, 8000, 0, 0, 8000}};
  its.lacks = "no more nodes can give it what is missing; 2 take no pods";
  EXPECT_EQ(reserving_of(its),
            nodes_reserved(false, "NotEnoughNodes",
                           "8 of 16 cpu idle or used by it on n1; no more nodes can give it what "
                           "is missing; 2 take no pods"));
  its.asked_nodes = 3;
  its.clipped = "4 nodes are cut to 3 by its capability of cpu";
  EXPECT_EQ(reserving_of(its).message,
            "1 of 3 nodes; no more nodes can give it what is missing; 2 take no pods; 4 nodes are "
            "cut to 3 by its capability of cpu");
  views::ReservedNodes nothing;
  nothing.clipped = "no node has nvidia.com/gpu";
  EXPECT_EQ(reserving_of(nothing),
            nodes_reserved(false, "NotEnoughNodes", "no node has nvidia.com/gpu"));
}

TEST_F(QueueStatusTest, WritesItsNodesAtOnceAndWhatIsIdleThereWithTheRest) {
  see(queue("a", 4));
  round();
  QueueReservation& reservation = plan_.queue_reservations.emplace_back();
  for (std::size_t q = 0; q < mirror_.cluster().queue_slots(); ++q) {
    if (mirror_.cluster().queue(QueueId(q)).name == "a") reservation.queue = QueueId(q);
  }
  reservation.nodes = {mirror_.cluster().find_node("n1")};
  reservation.amounts = {{kCpu, 4000, 10000, 0, 0}};
  reservation.is_met = true;
  const auto first = round();
  ASSERT_EQ(first.queues.size(), 1U);
  EXPECT_EQ(first.queues[0].written.reserved_nodes, std::vector<std::string>{"n1"});
  EXPECT_EQ(first.queues[0].written.reserved_idle, (NamedAmounts{{"cpu", 10000}}));
  EXPECT_EQ(first.queues[0].written.reserved,
            (WrittenCondition{true, "Met", "4 cpu idle or used by it on n1", now_}));

  reservation.amounts[0].idle = 6000;
  reservation.amounts[0].own = 4000;
  EXPECT_TRUE(round_after(seconds(5)).queues.empty()) << "its own pods change it all the time";
  const auto later = round_after(seconds(6));
  ASSERT_EQ(later.queues.size(), 1U);
  EXPECT_EQ(later.queues[0].written.reserved_idle, (NamedAmounts{{"cpu", 6000}}));
  EXPECT_EQ(later.queues[0].written.reserved.since, now_ - seconds(11));

  reservation.amounts[0].own = 0;
  reservation.amounts[0].idle = 0;
  reservation.is_met = false;
  const auto unmet = round_after(seconds(1));
  ASSERT_EQ(unmet.queues.size(), 1U) << "a user must see that at once";
  EXPECT_EQ(unmet.queues[0].written.reserved.reason, "Waiting");
  EXPECT_EQ(unmet.queues[0].written.reserved_idle, NamedAmounts());
  EXPECT_EQ(unmet.queues[0].resources, (std::vector<std::string>{"cpu", "pods"}))
      << "what was written is taken out";

  plan_.queue_reservations.clear();
  const auto gone = round_after(seconds(1));
  ASSERT_EQ(gone.queues.size(), 1U);
  EXPECT_EQ(gone.queues[0].written.reserved, WrittenCondition());
  EXPECT_TRUE(gone.queues[0].written.reserved_nodes.empty());
}

TEST_F(QueueStatusTest, WritesNothingWhenNothingChanged) {
  see(queue("a"));
  round();
  EXPECT_TRUE(round_after(seconds(60)).queues.empty());
  mirror_.apply(make_group("elsewhere", 1));  // in the default queue
  EXPECT_TRUE(round_after(seconds(60)).queues.empty());
}

TEST_F(QueueStatusTest, STATUS4NumbersAreWrittenAtMostEveryTenSeconds) {
  see(queue("a"));
  round();
  run("g", "a", 3);
  EXPECT_TRUE(round_after(seconds(5)).queues.empty());
  const auto written = round_after(seconds(5));
  ASSERT_EQ(written.queues.size(), 1U);
  EXPECT_EQ(written.queues[0].written.allocated.at("cpu"), 3000);
  EXPECT_EQ(written.queues[0].state, std::nullopt) << "there is one in the API";
}

TEST_F(QueueStatusTest, AFaultIsWrittenAndLoggedAtOnceAndOnce) {
  see(queue("a"));
  round();
  QueueObject bad = queue("a");
  bad.fault = "odd";
  see(bad);
  const TimePoint since = now_ + seconds(2);
  const auto written = round_after(seconds(2));
  ASSERT_EQ(written.queues.size(), 1U);
  EXPECT_EQ(written.queues[0].written.ready, (WrittenCondition{false, "Faulty", "odd", since}));
  EXPECT_EQ(written.lines, Lines{"queue a is at fault, its jobs wait: odd"});
  const auto later = round_after(seconds(60));
  EXPECT_TRUE(later.queues.empty());
  EXPECT_TRUE(later.lines.empty());
  see(queue("a"));
  const auto well = round_after(seconds(2));
  ASSERT_EQ(well.queues.size(), 1U);
  EXPECT_TRUE(well.queues[0].written.ready.holds);
  EXPECT_EQ(well.lines, Lines{"queue a is set up correctly again"});
}

TEST_F(QueueStatusTest, AScaledGuaranteeIsInStatusConditionAndLog) {
  see(queue("a", 8));
  round();
  see(queue("b", 12));
  const auto written = round_after(seconds(2));
  const auto& a = status_of(written, "a");
  EXPECT_EQ(a.written.guarantee, (NamedAmounts{{"cpu", 4000}}));
  const std::string message =
      "its guarantee and its neighbours' are more than there is; in force: 4 of 8 cpu";
  EXPECT_EQ(a.written.scaled, (WrittenCondition{true, "Overcommitted", message, now_}));
  EXPECT_TRUE(a.written.ready.holds) << "its jobs are served";
  EXPECT_EQ(written.lines[0], "queue a: " + message);
  EXPECT_EQ(written.lines.size(), 2U);
  // Another node, and all is well again.
  mirror_.apply(make_node("n2", 10));
  const auto well = round_after(seconds(2));
  EXPECT_FALSE(status_of(well, "a").written.scaled.holds);
  EXPECT_EQ(well.lines[0], "queue a: its guarantee is in force in full again");
}

TEST_F(QueueStatusTest, OfManyChangesAtOnceTheFirstAreLogged) {
  for (int i = 0; i < 30; ++i) see(queue("q" + std::to_string(100 + i), 10));
  const auto written = round();
  ASSERT_EQ(written.lines.size(), 21U);
  EXPECT_EQ(written.lines.back(), "... and 10 more such lines on queues");
}

TEST_F(QueueStatusTest, AQueueThatIsClosedOrBelowOneIsNotReady) {
  QueueObject closed = queue("a");
  closed.state = QueueState::closed;
  see(closed);
  QueueObject below = queue("x");
  below.parent = "a";
  see(below);
  const auto written = round();
  EXPECT_EQ(status_of(written, "a").written.ready.reason, "Closed");
  EXPECT_EQ(status_of(written, "x").written.ready.reason, "ParentNotOpen");
  EXPECT_EQ(status_of(written, "x").written.ready.message, "the queue \"a\" above it is not open");
}

TEST_F(QueueStatusTest, WhatTheApiSaysAlreadyIsNotWritten) {
  see(queue("a", 4));
  const auto written = round();
  ASSERT_EQ(written.queues.size(), 1U);
  QueueObject again = queue("a", 4);
  again.written = written.queues[0].written;
  start();
  side_->observe(again);
  EXPECT_TRUE(round_after(seconds(60)).queues.empty());
}

TEST_F(QueueStatusTest, AConditionKeepsItsTimeOverARestart) {
  QueueObject known = queue("a");
  known.written.has_state = true;
  known.written.ready = {true, "Open", "", TimePoint(seconds(7))};
  see(known);
  const auto written = round();
  ASSERT_EQ(written.queues.size(), 1U);
  EXPECT_EQ(written.queues[0].written.ready.since, TimePoint(seconds(7)));
  EXPECT_EQ(written.queues[0].written.scaled.since, now_) << "there was none";
}

TEST_F(QueueStatusTest, NamesWhatAnEarlierStatusMayHaveNamed) {
  QueueObject known = queue("a");
  known.written.allocated = {{"nvidia.com/gpu", 4}};
  see(known);
  const auto written = round();
  ASSERT_EQ(written.queues.size(), 1U);
  const auto& resources = written.queues[0].resources;
  EXPECT_NE(std::find(resources.begin(), resources.end(), "nvidia.com/gpu"), resources.end());
  EXPECT_FALSE(written.queues[0].written.allocated.contains("nvidia.com/gpu"));
}

TEST_F(QueueStatusTest, AQueueMadeAnewIsWrittenAnew) {
  see(queue("a"));
  round();
  see(QueueDeleted{"a"});
  round_after(seconds(60));
  see(queue("a"));
  EXPECT_EQ(round_after(seconds(2)).queues.size(), 1U);
}

TEST_F(QueueStatusTest, WithoutSharesThereAreNone) {
  is_divided_ = false;
  see(queue("a", 20));
  const auto written = round();
  ASSERT_EQ(written.queues.size(), 1U);
  EXPECT_TRUE(written.queues[0].written.deserved.empty());
  EXPECT_TRUE(written.queues[0].written.guarantee.empty());
  EXPECT_EQ(written.queues[0].written.scaled.reason, "NotDivided");
  EXPECT_TRUE(written.lines.empty());
}

// Issue 9, row 12.
TEST_F(QueueStatusTest, WhatHasNoEffectIsAConditionAndALineOnceAndTakenBack) {
  see(queue("a"));
  round();
  QueueObject odd = queue("a");
  odd.not_honoured = {"spec.affinity"};
  odd.guarantees_hard = true;
  see(odd);
  const TimePoint since = now_ + seconds(2);
  const auto written = round_after(seconds(2));
  const std::string message =
      "spec.affinity is not honoured; "
      "guarantee.policy Guaranteed has no effect: no action evicts; add shuffle";
  EXPECT_EQ(written.lines, Lines{"queue a: " + message});
  EXPECT_EQ(status_of(written, "a").written.honoured,
            (WrittenCondition{false, "FieldsNotHonoured", message, since}));
  EXPECT_TRUE(round_after(seconds(60)).queues.empty());
  plan_.evicts = true;
  const auto less = round_after(seconds(60));
  EXPECT_EQ(status_of(less, "a").written.honoured,
            (WrittenCondition{false, "FieldsNotHonoured", "spec.affinity is not honoured", since}));
  see(queue("a"));
  const auto well = round_after(seconds(2));
  EXPECT_EQ(well.lines, Lines{"queue a: all that is set up for it has its effect again"});
  EXPECT_EQ(status_of(well, "a").written.honoured, WrittenCondition());
}

TEST_F(QueueStatusTest, STATUS4AFailedUrgentStatusIsWrittenAgainWhenItsBackOffIsOver) {
  see(queue("a"));
  round();
  QueueObject closed = queue("a");
  closed.state = QueueState::closed;
  see(closed);
  writer_.outcome = {ports::WriteOutcome::Result::failed, "503"};
  EXPECT_EQ(round_after(seconds(2)).queues.size(), 1U);
  writer_.outcome = {};
  EXPECT_EQ(round_after(seconds(1)).queues.size(), 1U) << "not after ten seconds";
  EXPECT_TRUE(round_after(seconds(1)).queues.empty());
}

}  // namespace
}  // namespace berth::reconcile
