#include "views/held_room.h"

#include <gtest/gtest.h>

namespace berth::views {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

class HeldRoomTest : public testing::Test {
 protected:
  // The table after a session: targets with idle cpu on their nodes.
  ReservationTable session(const std::vector<std::pair<std::string, std::int64_t>>& targets,
                           TimePoint elected = {}) {
    ReservationTable table;
    table.at = clock_.now();
    for (const auto& [uid, cpu] : targets) {
      ReservationTable::Row row;
      row.uid = uid;
      row.job = "ml/" + uid;
      row.elected_since = elected;
      row.idle = {{"cpu", cpu}, {"nvidia.com/gpu", 2}};
      table.rows.push_back(row);
    }
    held_.note(table);
    return table;
  }
  static Cluster cluster_of(const std::vector<std::string>& uids) {
    Cluster cluster;
    for (const std::string& uid : uids) {
      Job job;
      job.name = "ml/" + uid;
      cluster.add_job(std::move(job));
    }
    return cluster;
  }
  static std::string cpu(const RoomTimes& times) {
    const auto found = times.find("cpu");
    return found == times.end() ? "none" : format_room_time("cpu", found->second);
  }

  ManualClock clock_;
  HeldRoom held_;
};

TEST_F(HeldRoomTest, WhatASessionLeavesIdleCountsUntilTheNext) {
  EXPECT_EQ(cpu(session({{"big", 4000}}).held), "none");
  clock_.advance(seconds(10));
  EXPECT_EQ(cpu(session({{"big", 6500}}).held), "40");
  clock_.advance(milliseconds(1500));
  const ReservationTable last = session({{"big", 0}});
  EXPECT_EQ(cpu(last.held), "49.75");
  EXPECT_EQ(format_room_time("nvidia.com/gpu", last.held.at("nvidia.com/gpu")), "23");
}

TEST_F(HeldRoomTest, EachTargetHasItsOwnSinceItsElection) {
  session({{"one", 1000}, {"two", 2000}});
  clock_.advance(seconds(3));
  ReservationTable table = session({{"two", 2000}});
  EXPECT_EQ(cpu(table.rows[0].held), "6");
  EXPECT_EQ(cpu(table.held), "9");
  clock_.advance(seconds(1));
  table = session({{"one", 1000}, {"two", 2000}});
  EXPECT_EQ(cpu(table.rows[0].held), "none") << "it was none in between";
  EXPECT_EQ(cpu(table.rows[1].held), "8");
  clock_.advance(seconds(1));
  table = session({{"two", 2000}}, clock_.now());
  EXPECT_EQ(cpu(table.rows[0].held), "none") << "it was elected anew";
  EXPECT_EQ(cpu(table.held), "14");
}

TEST_F(HeldRoomTest, WhileAnotherLeadsNothingIsCounted) {
  session({{"big", 1000}});
  clock_.advance(seconds(2));
  held_.pause(clock_.now());
  clock_.advance(hours(5));
  session({{"big", 1000}});
  clock_.advance(seconds(3));
  const ReservationTable table = session({{"big", 1000}});
  EXPECT_EQ(cpu(table.held), "5");
  EXPECT_EQ(cpu(table.rows[0].held), "5");
}

TEST_F(HeldRoomTest, AClockThatStepsBackCostsNothing) {
  clock_.advance(seconds(100));
  session({{"big", 1000}});
  clock_.advance(-seconds(50));
  EXPECT_EQ(cpu(session({{"big", 1000}}).held), "none");
  clock_.advance(seconds(2));
  EXPECT_EQ(cpu(session({}).held), "2");
}

TEST_F(HeldRoomTest, AMillionSessionsAddUpExactly) {
  constexpr int kSessions = 1'000'000;
  ReservationTable table;
  table.rows.resize(1);
  table.rows[0].idle = {{"memory", (std::int64_t{1} << 53) - 1}};
  for (int i = 0; i <= kSessions; ++i) {
    table.at = TimePoint(milliseconds(100) * i);
    held_.note(table);
  }
  EXPECT_EQ(format_room_time("memory", table.held.at("memory")), "900719925474099100000");
}

TEST_F(HeldRoomTest, EndsAreCountedByHow) {
  const Cluster cluster = cluster_of({"one", "two", "three"});
  session({{"one", 0}, {"two", 0}, {"three", 0}});
  Plan plan;
  plan.ended.resize(3);
  for (std::size_t j = 0; j < plan.ended.size(); ++j) plan.ended[j].job = JobId(j);
  plan.ended[1].how = plan.ended[2].how = EndedReservation::How::given_up;
  held_.note_ends(plan, cluster);
  EXPECT_EQ(session({}).ended, (EndCounts{1, 2, 0, 0, 0, 0}));
}

TEST_F(HeldRoomTest, ATargetThatIsGoneWithoutAWordWasDeleted) {
  const Cluster cluster = cluster_of({"one"});
  session({{"one", 0}, {"two", 0}, {"three", 0}});
  Plan plan;
  plan.ended.resize(1);
  plan.ended[0].job = JobId(0);
  held_.note_ends(plan, cluster);
  EXPECT_EQ(session({{"three", 0}}).ended, (EndCounts{1, 0, 0, 0, 0, 1}));
  EXPECT_EQ(session({{"three", 0}}).ended, (EndCounts{1, 0, 0, 0, 0, 1})) << "counted once";
}

TEST_F(HeldRoomTest, WhatEndsWhileAnotherLeadsIsNotCounted) {
  session({{"one", 0}, {"two", 0}});
  held_.pause(clock_.now());
  EXPECT_EQ(session({{"two", 0}}).ended, EndCounts{});
  EXPECT_EQ(session({}).ended, (EndCounts{0, 0, 0, 0, 0, 1}));
}

}  // namespace
}  // namespace berth::views
