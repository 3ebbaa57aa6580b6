#include "simulation/summary.h"

#include <gtest/gtest.h>

#include "simulation/cluster_copy.h"
#include "support/objects.h"
#include "tools/report_text.h"

namespace berth::tools {
namespace {

using namespace simulation;

// Two nodes of 4 cpu, of which ml/1 runs on n1 with 2; ml/big waits for 8, ml/2 for 1.
class SummaryTest : public testing::Test {
 protected:
  struct Decision {
    bool has_target = false;
    std::vector<std::string> starts;  // jobs of one pod, on n2
    std::optional<EndedReservation::How> ends;
    bool evicts = false;  // ml/1
  };

  void cycle(const Decision& decision) {
    const TimePoint now = second(10 * ++cycles_);
    copy_.begin_cycle(now);
    Plan plan;
    const JobId big = copy_.find_job("ml/big");
    if (decision.has_target) {
      plan.reservations.resize(1);
      plan.reservations[0].job = big;
      plan.reservations[0].nodes = {NodeId(0)};
    }
    for (const std::string& job : decision.starts) {
      const JobId id = copy_.find_job(job);
      plan.admitted.push_back(id);
      plan.binds.push_back({copy_.cluster().job(id).tasks.front(), NodeId(1)});
    }
    if (decision.ends) {
      plan.ended.resize(1);
      plan.ended[0].job = big;
      plan.ended[0].how = *decision.ends;
    }
    if (decision.evicts) {
      const TaskId victim = copy_.cluster().job(copy_.find_job("ml/1")).tasks.front();
      plan.evictions.push_back({victim, NodeId(0), big, "preempt"});
    }
    copy_.carry_out(plan, now);
    CycleReport report =
        record_cycle(static_cast<std::size_t>(cycles_), now, plan, copy_.cluster());
    summary_.add(report, plan, copy_.cluster());
  }
  static const WaitRow& wait_of(const Summary& summary, const std::string& job) {
    static const WaitRow none;
    for (const WaitRow& row : summary.waits) {
      if (row.job == job) return row;
    }
    ADD_FAILURE() << "nothing of " << job;
    return none;
  }

  static std::string held_cpu(const Summary& summary) {
    return views::format_room_time("cpu", summary.held.at("cpu"));
  }

  int cycles_ = 0;
  ClusterCopy copy_{{node("n1", 4), node("n2", 4), running(pod("", 1, 2), "n1"), group("big", 1),
                     pod("big", 0, 4), pod("", 2, 1)},
                    {},
                    second(10)};
  SummaryBuilder summary_{std::chrono::seconds(10)};
};

TEST_F(SummaryTest, AJobWaitsFromItsFirstCycleToItsStart) {
  cycle({});
  cycle({.has_target = false, .starts = {"ml/2"}, .ends = {}});
  cycle({});
  const Summary summary = summary_.finish();
  EXPECT_EQ(summary.cycles, 3U);
  const WaitRow& small = wait_of(summary, "ml/2");
  EXPECT_EQ(small.started, 2U);
  EXPECT_EQ(small.cycles, 1U);
  EXPECT_EQ(small.time, std::chrono::seconds(10));
  const WaitRow& big = wait_of(summary, "ml/big");
  EXPECT_EQ(big.started, std::nullopt);
  EXPECT_EQ(big.cycles, 3U);
  EXPECT_EQ(big.time, std::chrono::seconds(30)) << "to the end of the last cycle";
  EXPECT_EQ(summary.waits.size(), 2U) << "ml/1 ran before";
}

TEST_F(SummaryTest, OfATargetItKnowsWhenItBecameOneAndHowThatEnded) {
  cycle({});
  cycle({.has_target = true, .starts = {}, .ends = {}});
  cycle({.has_target = true, .starts = {}, .ends = {}});
  cycle({.has_target = false, .starts = {"ml/big"}, .ends = EndedReservation::How::started});
  const Summary summary = summary_.finish();
  const WaitRow& big = wait_of(summary, "ml/big");
  EXPECT_EQ(big.elected, 2U);
  EXPECT_EQ(big.started, 4U);
  EXPECT_EQ(big.ended, "started");
  // 2 of 4 cpu of n1 for two cycles of 10 s.
  EXPECT_EQ(held_cpu(summary), "40");
}

TEST_F(SummaryTest, TheLastCycleCountsAsLongAsTheOthers) {
  cycle({.has_target = true, .starts = {}, .ends = {}});
  EXPECT_EQ(held_cpu(summary_.finish()), "20");
}

TEST_F(SummaryTest, WhatIsUsedCountsInEachCycle) {
  cycle({});                                                       // 2 of 8 cpu
  cycle({.has_target = false, .starts = {"ml/big"}, .ends = {}});  // 6 of 8
  EXPECT_EQ(summary_.finish().utilisation.at("cpu"), 5000);
}

// ml/1 had 2 cpu for 20 s, and ml/2 has one for the last 10 s.
TEST_F(SummaryTest, LostWorkIsAPartOfAllThatWasDone) {
  cycle({});
  EXPECT_EQ(SummaryBuilder(summary_).finish().lost_work.at("cpu"), 0);
  cycle({});
  cycle({.has_target = false, .starts = {"ml/2"}, .ends = {}, .evicts = true});
  const Summary summary = summary_.finish();
  EXPECT_EQ(summary.lost_work.at("cpu"), 8000);
  EXPECT_EQ(summary.evicted, (views::EvictedByAge{0, 1, 0, 0, 0, 0, 0, 0}));
}

// Of a pod that ran before the first cycle, the time before counts as work, too.
TEST(SummaryOfLostWork, IsNeverMoreThanAllWork) {
  PodObject old = running(pod("", 1, 2), "n1");
  old.scheduled = second(1000);
  ClusterCopy copy({node("n1", 4), old, running(pod("", 2, 2), "n1")}, {}, second(1090));
  SummaryBuilder builder(std::chrono::seconds(10));
  copy.begin_cycle(second(1090));
  Plan plan;
  const TaskId victim = copy.cluster().job(copy.find_job("ml/1")).tasks.front();
  plan.evictions.push_back({victim, NodeId(0), JobId(), "preempt"});
  copy.carry_out(plan, second(1090));
  CycleReport report = record_cycle(1, second(1090), plan, copy.cluster());
  builder.add(report, plan, copy.cluster());
  const Summary summary = builder.finish();
  EXPECT_EQ(summary.lost_work.at("cpu"), 9000) << "90 s of one pod; 10 s of the other are kept";
  EXPECT_EQ(summary.evicted, (views::EvictedByAge{0, 0, 1, 0, 0, 0, 0, 0}));
}

TEST_F(SummaryTest, ItsTableIsForSeveralCycles) {
  cycle({.has_target = true, .starts = {}, .ends = {}});
  EXPECT_EQ(summary_table(SummaryBuilder(summary_).finish(), {}), "");
  cycle({.has_target = false,
         .starts = {"ml/big"},
         .ends = EndedReservation::How::started,
         .evicts = true});
  EXPECT_EQ(summary_table(summary_.finish(), {}), R"(
all 2 cycles

TARGET  ELECTED  STARTED  WAITED   ENDED
ml/big  cycle 1  cycle 2  1 cycle  started

of the other 1 job, 0 started; waits in cycles: 2.0 on average, 2 at most

evicted pods by age: 1 of less than 1 min

RESOURCE  USED   LOST BY EVICTIONS  IDLE ON LOCKED NODES
cpu       50.0%  33.3%              20 cpu-seconds
memory    0.0%   0.0%               640Gi memory-seconds
)");
}

}  // namespace
}  // namespace berth::tools
