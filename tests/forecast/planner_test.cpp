#include "forecast/planner.h"

#include <gtest/gtest.h>

#include "forecast/states.h"

namespace berth::forecast {
namespace {

constexpr TimePoint kUnknown = TimePoint::max();

TEST(Planner, StartsWhatFitsNowAndTheRestWhenPodsAreExpectedToEnd) {  // PLANNER-1, PLANNER-4
  State state = state_with(2, 1);
  run(state, 0, at_hour(4), at_hour(1));
  wait(state, 1, 2 * kHour, kHour);      // on node 1, now
  wait(state, 1, 2 * kHour, kHour / 2);  // at 1, when both end
  wait(state, 2, kHour, kHour);          // needs both
  const Starts starts = plan_starts(state);
  EXPECT_EQ(starts.at, (std::vector{at_hour(0), at_hour(1), at_hour(1.5)}));
}

TEST(Planner, KnowsNoStartBehindPodsWithoutAnEnd) {
  State state = state_with(2, 1);
  run(state, 0, kUnknown, kUnknown);
  wait(state, 2, kHour, kHour);
  wait(state, 1, kForever, kForever);
  EXPECT_EQ(plan_starts(state).at, (std::vector{kUnknown, at_hour(0)}));
}

TEST(Planner, LeavesOutAJobThatIsTooLarge) {
  State state = state_with(2, 1);
  wait(state, 3, kHour, kHour);
  wait(state, 2, kHour, kHour);
  EXPECT_EQ(plan_starts(state).at, (std::vector{kUnknown, at_hour(0)}));
}

// PLANNER-2. Node 1 is idle; the first needs both. Without backfill nobody passes.
TEST(Planner, LetsNobodyPassTheFirstOfAFifoQueue) {
  State state = state_with(2, 1);
  state.queues[0].is_fifo = true;
  run(state, 0, at_hour(2), at_hour(2));
  wait(state, 2, kHour, kHour);
  wait(state, 1, kHour, kHour);
  EXPECT_EQ(plan_starts(state).at, (std::vector{at_hour(2), at_hour(3)}));
}

TEST(Planner, LetsJobsPassThatAreGoneInTimeByTheirLimits) {
  State state = state_with(2, 1);
  state.queues[0].is_fifo = true;
  state.rules.behind = Rules::Behind::easy;
  run(state, 0, at_hour(2), at_hour(2));
  wait(state, 2, kHour, kHour);
  wait(state, 1, 3 * kHour, kHour);      // its limit is beyond the start of the first
  wait(state, 1, 2 * kHour, kHour / 2);  // in time
  EXPECT_EQ(plan_starts(state).at, (std::vector{at_hour(2), at_hour(3), at_hour(0)}));
}

TEST(Planner, LetsJobsPassOnWhatIsLeftOver) {
  State state = state_with(3, 1);
  state.queues[0].is_fifo = true;
  state.rules.behind = Rules::Behind::easy;
  run(state, 0, at_hour(2), at_hour(2));
  run(state, 1, at_hour(2), at_hour(2));
  wait(state, 2, kHour, kHour);         // two of three nodes at 2
  wait(state, 1, kForever, 9 * kHour);  // the third
  wait(state, 1, kForever, 9 * kHour);  // nothing is left
  EXPECT_EQ(plan_starts(state).at, (std::vector{at_hour(2), at_hour(0), at_hour(3)}));
}

TEST(Planner, KeepsRoomForEachOfAQueueIfConservative) {
  State state = state_with(2, 1);
  state.queues[0].is_fifo = true;
  run(state, 0, at_hour(2), at_hour(2));
  wait(state, 2, kHour, kHour);      // at 2
  wait(state, 2, kHour, kHour);      // at 3
  wait(state, 1, 2 * kHour, kHour);  // in time on node 1
  state.rules.behind = Rules::Behind::conservative;
  EXPECT_EQ(plan_starts(state).at, (std::vector{at_hour(2), at_hour(3), at_hour(0)}));
}

// Every time a node is free, the small ones take it.
TEST(Planner, ElectsAJobThatHasWaitedForLongEnough) {  // PLANNER-3
  State state = state_with(2, 1);
  run(state, 0, at_hour(1), at_hour(1));
  run(state, 1, at_hour(2), at_hour(2));
  wait(state, 2, kHour, kHour);
  for (int i = 0; i < 4; ++i) wait(state, 1, 2 * kHour, 2 * kHour);
  EXPECT_EQ(plan_starts(state).at.front(), at_hour(6));
  state.rules.target_after = kHour;
  EXPECT_EQ(plan_starts(state).at.front(), at_hour(2));
  state.rules.most_nodes = 0.5;
  EXPECT_EQ(plan_starts(state).at.front(), at_hour(6));
  state.rules.unbounded_after = kHour;
  EXPECT_EQ(plan_starts(state).at.front(), at_hour(2));
}

TEST(Planner, StartsATargetOnItsNodes) {
  State state = state_with(3, 1);
  run(state, 0, at_hour(1), at_hour(1));
  run(state, 1, at_hour(3), at_hour(2));
  wait(state, 2, kHour, kHour).target_since = at_hour(-1);
  state.kept_for = {0, 0, kNone};
  EXPECT_EQ(plan_starts(state).at.front(), at_hour(2));  // as expected
  EXPECT_EQ(latest_starts(state).front(), at_hour(3));   // PROMISE-1: by limits
  state.rules.give_up = 2 * kHour;                       // at 1
  EXPECT_EQ(latest_starts(state).front(), kUnknown);
}

TEST(Planner, PromisesNothingWithoutNodesOrEnds) {
  State state = state_with(2, 1);
  run(state, 0, at_hour(1), at_hour(1));
  run(state, 1, kUnknown, at_hour(1));
  wait(state, 2, kHour, kHour).target_since = at_hour(0);
  EXPECT_EQ(latest_starts(state).front(), kUnknown);
  state.kept_for = {0, 0};
  EXPECT_EQ(latest_starts(state).front(), kUnknown);
  EXPECT_EQ(plan_starts(state).at.front(), at_hour(1));
}

TEST(Planner, KeepsTheBoundsOfQueues) {  // PLANNER-6
  State state = state_with(4, 1);
  state.queues[0].most = {2};
  run(state, 0, at_hour(1), at_hour(1));
  wait(state, 1, kHour, 2 * kHour);
  wait(state, 1, kHour, kHour);
  EXPECT_EQ(plan_starts(state).at, (std::vector{at_hour(0), at_hour(1)}));
  state.queues.push_back({kNone, false, {1}, {1}});
  state.queues[0].above = 1;
  EXPECT_EQ(plan_starts(state).at, (std::vector{at_hour(1), at_hour(3)}));
}

TEST(Planner, PlacesUnlikePodsTogether) {
  State state = state_with(2, 4);
  run(state, 0, at_hour(1), at_hour(1), 2);
  WaitingJob& job = wait(state, 1, kHour, kHour, 3);  // a whole node
  job.parts.push_back({1, 2});                        // and two halves
  EXPECT_EQ(plan_starts(state).at.front(), at_hour(1));
}

TEST(Planner, EndsWhenItIsCancelled) {
  State state = state_with(1, 1);
  run(state, 0, at_hour(1), at_hour(1));
  wait(state, 1, kHour, kHour);
  const Starts starts = plan_starts(state, [] { return true; });
  EXPECT_EQ(starts.at.front(), kUnknown);
  EXPECT_EQ(starts.instants, 1U);
}

// PLANNER-5. Ends far away are looked at together, never too early.
TEST(Planner, RoundsManyEndsUp) {
  constexpr std::size_t kNodes = 5000;
  State state = state_with(kNodes, 1);
  for (std::uint32_t n = 0; n < kNodes; ++n) {
    const TimePoint end = at_hour(0) + std::chrono::seconds(10 * (n + 1));
    run(state, n, end, end);
  }
  wait(state, kNodes, kHour, kHour);
  const Starts starts = plan_starts(state);
  const Duration exact = std::chrono::seconds(10 * kNodes);
  const Duration planned = starts.at.front() - state.now;
  EXPECT_GE(planned, exact);
  EXPECT_LE(planned, exact + exact / 16);
  EXPECT_LT(starts.instants, 400U);
}

}  // namespace
}  // namespace berth::forecast
