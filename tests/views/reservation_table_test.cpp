#include "views/reservation_table.h"

#include <gtest/gtest.h>

#include "mirror/mirror.h"

namespace berth::views::reservation_table_test {
namespace {

constexpr std::int64_t kGi = std::int64_t{1} << 30;

TimePoint second(int s) { return TimePoint(std::chrono::seconds(s)); }

// Nodes a, b and c of 8 cpu; 6 of b are used; ml/big waits for 12.
class ReservationTableTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"a", "b", "c"}) {
      NodeObject node;
      node.name = node.uid = name;
      node.allocatable = {{"cpu", 8000}, {"memory", 16 * kGi}, {"pods", 110}};
      mirror_.apply(node);
    }
    PodGroupObject group;
    group.name_space = "ml";
    group.name = "big";
    group.uid = "big-uid";
    group.queue = "research";
    mirror_.apply(group);
    PodObject member = pod("big-0", 12000);
    member.group = "big";
    member.priority = 7;
    mirror_.apply(member);
    PodObject small = pod("small", 6000);
    small.node_name = "b";
    small.phase = PodPhase::running;
    mirror_.apply(small);
    mirror_.settle(second(10));
  }
  static PodObject pod(const std::string& name, std::int64_t cpu) {
    PodObject pod;
    pod.name_space = "ml";
    pod.name = pod.uid = name;
    pod.scheduler_name = "berth";
    pod.request = {{"cpu", cpu}, {"pods", 1}};
    return pod;
  }
  Reservation reservation() const {
    Reservation each;
    each.job = mirror_.find_group("ml/big");
    each.election = {second(20), "it has waited longest"};
    each.scheme = LockScheme::single_node;
    each.nodes = {NodeId(0), NodeId(1)};
    each.locked_since = second(21);
    each.times_out_at = second(600);
    each.is_covered = true;
    each.missing = {{kCpu, 10000, 12000}};
    return each;
  }
  ReservationTable table(std::vector<Reservation> reservations) {
    Plan plan;
    plan.reservations = std::move(reservations);
    mirror_.assume_reservations(plan, second(30));
    return make_reservation_table(plan, mirror_.cluster(), second(30));
  }

  mirror::Mirror mirror_{mirror::Options{}};
};

TEST_F(ReservationTableTest, ATargetIsShown) {
  const ReservationTable made = table({reservation()});
  EXPECT_EQ(made.at, second(30));
  ASSERT_EQ(made.rows.size(), 1U);
  const ReservationTable::Row& row = made.rows[0];
  EXPECT_EQ(row.job, "ml/big");
  EXPECT_EQ(row.uid, "big-uid");
  EXPECT_EQ(row.queue, "research");
  EXPECT_EQ(row.priority, 7);
  EXPECT_EQ(row.waits_since, second(10));
  EXPECT_EQ(row.elected_since, second(20));
  EXPECT_EQ(row.why, "it has waited longest");
  EXPECT_EQ(row.scheme, LockScheme::single_node);
  EXPECT_EQ(row.nodes, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(row.locked_since, second(21));
  EXPECT_EQ(row.times_out_at, second(600));
  EXPECT_EQ(row.gives_up_at, std::nullopt);
  EXPECT_TRUE(row.is_covered);
  EXPECT_EQ(row.missing, (std::vector<ReservationTable::Missing>{{"cpu", 10000, 12000}}));
}

TEST_F(ReservationTableTest, LockedRoomIsWhatItsNodesHaveAndIdleWhatNobodyUsesOfIt) {
  const ReservationTable made = table({reservation()});
  EXPECT_EQ(made.rows[0].locked,
            (NamedAmounts{{"cpu", 16000}, {"memory", 32 * kGi}, {"pods", 220}}));
  EXPECT_EQ(made.rows[0].idle, (NamedAmounts{{"cpu", 10000}, {"memory", 32 * kGi}, {"pods", 219}}));
  EXPECT_EQ(made.node_count, 3U);
  EXPECT_EQ(made.total.at("cpu"), 24000);
}

TEST_F(ReservationTableTest, ANodeThatIsFullerThanFullHasNoRoomToHold) {
  PodObject more = pod("more", 5000);
  more.node_name = "b";
  more.phase = PodPhase::running;
  mirror_.apply(more);
  mirror_.settle(second(11));
  EXPECT_EQ(table({reservation()}).rows[0].idle.at("cpu"), 8000) << "all of a, none of b";
}

TEST_F(ReservationTableTest, SeveralTargetsAreSummed) {
  PodObject lone = pod("lone", 8000);
  mirror_.apply(lone);
  mirror_.settle(second(11));
  Reservation other;
  for (std::size_t j = 0; j < mirror_.cluster().job_slots(); ++j) {
    if (mirror_.cluster().job(JobId(j)).name == "ml/lone") other.job = JobId(j);
  }
  other.nodes = {NodeId(2)};
  const ReservationTable made = table({reservation(), other});
  EXPECT_EQ(made.rows[1].job, "ml/lone");
  EXPECT_EQ(made.locked_node_count(), 3U);
  EXPECT_EQ(made.locked().at("cpu"), 24000);
  EXPECT_EQ(made.idle().at("cpu"), 18000);
}

TEST_F(ReservationTableTest, WithoutTargetsNothingIsLocked) {
  const ReservationTable made = table({});
  EXPECT_TRUE(made.rows.empty());
  EXPECT_EQ(made.locked_node_count(), 0U);
  EXPECT_EQ(made.locked(), NamedAmounts());
}

}  // namespace
}  // namespace berth::views::reservation_table_test
