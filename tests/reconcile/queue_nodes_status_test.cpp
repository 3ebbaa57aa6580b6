#include "reconcile/queue_status_fixture.h"

// The status, the condition, the event and the log of nodes that a queue has of its own.

namespace berth::reconcile {
namespace {

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

TEST(NodesReserved, IsBlockedWhereTheRoomWillNotComeByItself) {
  views::ReservedNodes its;
  its.nodes = {"n1"};
  its.amounts = {{"cpu", 4000, 0, 0, 1000, 4000}};
  its.in_the_way = "it may not be evicted";
  EXPECT_EQ(reserving_of(its).reason, "Waiting") << "Best-Effort evicts nobody in any case";
  its.is_guaranteed = true;
  EXPECT_EQ(reserving_of(its).reason, "Blocked") << "no action evicts";
  its.evicts = true;
  EXPECT_EQ(reserving_of(its), nodes_reserved(false, "Blocked",
                                              "0 of 4 cpu idle or used by it on n1; the rest is "
                                              "used by other pods, of which some are not evicted: "
                                              "it may not be evicted"));
  its.in_the_way.clear();
  EXPECT_EQ(reserving_of(its).reason, "Waiting");
  its.evicts = false;
  its.amounts[0].leaving = 4000;
  EXPECT_EQ(reserving_of(its).reason, "Waiting") << "all of them terminate";
  its.amounts[0].leaving = 0;
  its.lacks = "no more nodes can give it what is missing";
  EXPECT_EQ(reserving_of(its).reason, "NotEnoughNodes");
  its.lacks.clear();
  its.nodes.clear();
  EXPECT_EQ(reserving_of(its).reason, "Waiting") << "its nodes are not chosen yet";
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

QueueId queue_named(const Cluster& cluster, const std::string& name) {
  for (std::size_t q = 0; q < cluster.queue_slots(); ++q) {
    if (cluster.queue(QueueId(q)).name == name) return QueueId(q);
  }
  return {};
}

TEST_F(QueueStatusTest, WritesItsNodesAtOnceAndWhatIsIdleThereWithTheRest) {
  see(queue("a", 4));
  round();
  QueueReservation& reservation = plan_.queue_reservations.emplace_back();
  reservation.queue = queue_named(mirror_.cluster(), "a");
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

TEST_F(QueueStatusTest, OtherNodesOfAQueueAreALineInTheLogEachTime) {
  for (int i = 2; i < 14; ++i) mirror_.apply(make_node("n" + std::to_string(10 + i), 10));
  see(queue("a", 4));
  EXPECT_TRUE(round().lines.empty());
  const Cluster& cluster = mirror_.cluster();
  QueueReservation& reservation = plan_.queue_reservations.emplace_back();
  reservation.queue = queue_named(cluster, "a");
  reservation.choice.score_millionths = 510'000;
  reservation.nodes = {cluster.find_node("n12"), cluster.find_node("n13")};
  EXPECT_EQ(round().lines, Lines{"queue a has nodes n12, n13 (score 0.510)"});
  reservation.choice.score_millionths = 511'000;
  EXPECT_TRUE(round().lines.empty()) << "the same nodes";
  reservation.nodes.clear();
  reservation.choice.score_millionths = 0;
  for (std::size_t n = 0; n < 12; ++n) reservation.nodes.emplace_back(n);
  EXPECT_EQ(round().lines, Lines{"queue a has nodes n1, n12, n13, n14, n15, n16, n17, n18 and 4 "
                                 "more; before n12, n13"});
  reservation.nodes = {cluster.find_node("n1")};
  EXPECT_EQ(round().lines, Lines{"queue a has nodes n1; before n1, n12, n13, n14, n15, n16, n17, "
                                 "n18 and 4 more"});
  reservation.nodes.clear();
  EXPECT_EQ(round().lines, Lines{"queue a has no nodes any more; before n1"});
  reservation.nodes = {cluster.find_node("n1")};
  round();
  see(QueueDeleted{"a"});
  plan_.queue_reservations.clear();
  EXPECT_EQ(round().lines, Lines{"queue a is gone; before n1"});
  EXPECT_TRUE(round().lines.empty());
}

TEST_F(QueueStatusTest, AnEventSaysThatNodesReservedIsAnother) {
  see(queue("a", 4));
  EXPECT_TRUE(round().events.empty());
  QueueReservation& reservation = plan_.queue_reservations.emplace_back();
  reservation.queue = queue_named(mirror_.cluster(), "a");
  reservation.nodes = {mirror_.cluster().find_node("n1")};
  reservation.amounts = {{kCpu, 4000, 3000, 0, 0}};
  const auto unmet = round_after(seconds(1));
  ASSERT_EQ(unmet.events.size(), 1U);
  EXPECT_EQ(unmet.events[0].object, (ports::ObjectRef{ports::ObjectKind::queue, "", "a", "a"}));
  EXPECT_EQ(ports::Event(unmet.events[0]),
            (ports::Event{true, "NodesNotReserved",
                          "3 of 4 cpu idle or used by it on n1; the rest is used by other pods, "
                          "which finish (Best-Effort)"}));
  reservation.choice.lacks = "1 take no pods";
  EXPECT_TRUE(round_after(seconds(1)).events.empty()) << "it is False as before";
  reservation.amounts[0].idle = 4000;
  reservation.is_met = true;
  writer_.outcome = {ports::WriteOutcome::Result::failed, "503"};
  const auto met = round_after(seconds(1));
  ASSERT_EQ(met.events.size(), 1U);
  EXPECT_EQ(ports::Event(met.events[0]),
            (ports::Event{false, "NodesReserved", "4 cpu idle or used by it on n1"}));
  writer_.outcome = {};
  const auto again = round_after(seconds(1));
  EXPECT_EQ(again.queues.size(), 1U);
  plan_.queue_reservations.clear();
  EXPECT_TRUE(round_after(seconds(1)).events.empty()) << "it asks for nothing";
}

}  // namespace
}  // namespace berth::reconcile
