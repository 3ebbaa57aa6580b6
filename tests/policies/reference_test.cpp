#include "policies/reference.h"

#include <gtest/gtest.h>

#include <ostream>

// Traces worked by hand. A job is {submit, run, limit, nodes}.

namespace berth::policies {

void PrintTo(const Promise& promise, std::ostream* out) {
  *out << "at " << promise.now << ": " << promise.job << " at " << promise.start;
}

namespace {

using Jobs = std::vector<RefJob>;
constexpr auto kNever = std::nullopt;

TEST(Reference, EasyDelaysTheSecondInLineAndConservativeDoesNot) {
  const Jobs jobs{
      {0, 10, 10, 3},    // runs on three of four nodes
      {1, 10, 10, 3},    // the head: at 10, with one node extra
      {1, 10, 10, 4},    // at 20, if nothing else starts
      {2, 100, 100, 1},  // extra; holds a node until 102
      {3, 5, 5, 1},
  };
  EXPECT_EQ(fcfs(jobs, 4), (Starts{0, 10, 20, 30, 30}));
  EXPECT_EQ(easy(jobs, 4), (Starts{0, 10, 102, 2, 20}));
  EXPECT_EQ(conservative(jobs, 4), (Starts{0, 10, 20, 30, 3}));
}

TEST(Reference, NobodyPassesTheHeadInFcfs) {
  const Jobs jobs{{0, 8, 8, 1}, {1, 1, 1, 2}, {2, 1, 1, 1}};
  EXPECT_EQ(fcfs(jobs, 2), (Starts{0, 8, 9}));
  EXPECT_EQ(easy(jobs, 2), (Starts{0, 8, 2}));
}

TEST(Reference, ALongJobTakesExtraNodesAndAShortOneDoesNot) {
  const Jobs jobs{
      {0, 10, 10, 3},   // of six nodes
      {1, 10, 10, 5},   // the head: at 10, with one node extra
      {2, 8, 8, 1},     // ends at 10, by the shadow
      {2, 50, 50, 1},   // takes the extra node
      {2, 50, 50, 1},   // there is none left, though a node is free
      {2, 9, 9, 1},     // ends at 11
      {20, 50, 50, 1},  // the first of three at 20
  };
  EXPECT_EQ(easy(jobs, 6), (Starts{0, 10, 2, 2, 20, 20, 20}));
}

TEST(Reference, TheShadowIsThereWhenSeveralJobsEnd) {
  const Jobs jobs{
      {0, 6, 6, 1},  // of four nodes
      {0, 9, 9, 1},  // ends with the next
      {0, 9, 9, 1},  // three nodes are in use
      {1, 5, 5, 3},  // the head: at 9, when all nodes are free, with one extra
      {1, 8, 8, 1},  // ends at 9
      {6, 9, 9, 1},  // takes the extra node
  };
  EXPECT_EQ(easy(jobs, 4), (Starts{0, 0, 0, 9, 1, 6}));
}

TEST(Reference, AnEarlyEndBringsTheHeadForward) {
  const Jobs jobs{{0, 4, 10, 2}, {1, 5, 5, 2}, {2, 5, 5, 1}};
  EXPECT_EQ(fcfs(jobs, 2), (Starts{0, 4, 9}));
  EXPECT_EQ(easy(jobs, 2), (Starts{0, 4, 9}));
  EXPECT_EQ(conservative(jobs, 2), (Starts{0, 4, 9}));
}

TEST(Reference, AJobThatReachesItsLimitEndsThere) {
  const Jobs jobs{{0, 50, 10, 2}, {1, 5, 5, 2}};
  EXPECT_EQ(fcfs(jobs, 2), (Starts{0, 10}));
  EXPECT_EQ(easy(jobs, 2), (Starts{0, 10}));
  EXPECT_EQ(conservative(jobs, 2), (Starts{0, 10}));
}

TEST(Reference, AnEarlyEndMovesPromisesInTheOrderOfTheirStarts) {
  const Jobs jobs{
      {0, 10, 10, 1}, {0, 3, 5, 1}, {1, 5, 5, 2},  // promised 10
      {1, 6, 6, 1},                                // from 5 to 10 is too short, so 15
      {2, 4, 4, 1},                                // promised 5
  };
  // At 3 the last is moved first. By arrival the fourth would take its place, from 3 to 9.
  EXPECT_EQ(conservative(jobs, 2), (Starts{0, 0, 10, 15, 3}));
}

TEST(Reference, EndsComeBeforeArrivalsAndThoseBeforeStarts) {
  const Jobs jobs{
      {0, 5, 5, 2},
      {5, 5, 5, 2},  // finds both nodes free
      {5, 5, 5, 1},
      {5, 4, 4, 1},  // in the order of their numbers
  };
  const Starts starts{0, 5, 10, 10};
  EXPECT_EQ(fcfs(jobs, 2), starts);
  EXPECT_EQ(easy(jobs, 2), starts);
  EXPECT_EQ(conservative(jobs, 2), starts);
}

TEST(Reference, NumbersNeedNotBeInTheOrderOfSubmission) {
  const Jobs jobs{{2, 5, 5, 1}, {0, 5, 5, 1}, {2, 5, 5, 1}, {1, 5, 5, 1}};
  const Starts starts{10, 0, 15, 5};
  EXPECT_EQ(fcfs(jobs, 1), starts);
  EXPECT_EQ(easy(jobs, 1), starts);
  EXPECT_EQ(conservative(jobs, 1), starts);
}

TEST(Reference, AJobLargerThanTheMachineNeverStartsAndIsInNobodysWay) {
  const Jobs jobs{{0, 5, 5, 3}, {0, 5, 5, 2}, {1, 5, 5, 4}, {2, 5, 5, 1}};
  const Starts starts{kNever, 0, kNever, 5};
  EXPECT_EQ(fcfs(jobs, 2), starts);
  EXPECT_EQ(easy(jobs, 2), starts);
  EXPECT_EQ(conservative(jobs, 2), starts);
  EXPECT_EQ(easy({{0, 1, 1, 1}}, 0), (Starts{kNever}));
  EXPECT_EQ(conservative({}, 4), Starts{});
}

TEST(Reference, JobsOfNoLengthFollowEachOtherInOneInstant) {
  const Jobs jobs{
      {3, 0, 0, 2}, {3, 0, 7, 2}, {3, 7, 0, 1}, {3, 4, 4, 2}, {3, 0, 0, 1},
  };
  EXPECT_EQ(fcfs(jobs, 2), (Starts{3, 3, 3, 3, 7}));
  // The last starts beside the third, before the fourth could.
  EXPECT_EQ(easy(jobs, 2), (Starts{3, 3, 3, 3, 3}));
  EXPECT_EQ(conservative(jobs, 2), (Starts{3, 3, 3, 3, 3}));
}

TEST(Reference, AJobOfNoLengthNeedsItsNodes) {
  const Jobs jobs{{0, 5, 5, 1}, {1, 0, 0, 2}, {1, 0, 0, 1}};
  EXPECT_EQ(fcfs(jobs, 2), (Starts{0, 5, 5}));
  EXPECT_EQ(easy(jobs, 2), (Starts{0, 5, 1}));
  EXPECT_EQ(conservative(jobs, 2), (Starts{0, 5, 1}));
}

TEST(Reference, APlanCountsALimitOfZeroAsASecond) {
  // Between the first and the last there is no second, so the third waits.
  const Jobs jobs{{0, 5, 5, 2}, {1, 4, 4, 2}, {1, 0, 0, 1}};
  std::vector<Promise> promises;
  const auto keep = [&](const Promise& promise) { promises.push_back(promise); };
  EXPECT_EQ(conservative(jobs, 2, keep), (Starts{0, 5, 9}));
  EXPECT_EQ(promises, (std::vector<Promise>{{0, 0, 0}, {1, 1, 5}, {1, 2, 9}}));
}

TEST(Reference, PromisesOfEasyAreTheShadowsOfTheHead) {
  const Jobs jobs{{0, 4, 10, 1}, {0, 9, 12, 1}, {1, 5, 5, 2}, {2, 5, 5, 2}};
  std::vector<Promise> promises;
  const auto keep = [&](const Promise& promise) {
    if (promises.empty() || promises.back() != promise) promises.push_back(promise);
  };
  EXPECT_EQ(easy(jobs, 2, keep), (Starts{0, 0, 9, 14}));
  EXPECT_EQ(promises, (std::vector<Promise>{{1, 2, 12}, {2, 2, 12}, {4, 2, 12}, {9, 3, 14}}));
}

TEST(Reference, PromisesOfConservativeAreMadeAtArrivalAndAfterEarlyEnds) {
  const Jobs jobs{{0, 4, 10, 2}, {1, 5, 5, 2}, {2, 5, 5, 1}};
  std::vector<Promise> promises;
  const auto keep = [&](const Promise& promise) { promises.push_back(promise); };
  conservative(jobs, 2, keep);
  EXPECT_EQ(promises,
            (std::vector<Promise>{{0, 0, 0}, {1, 1, 10}, {2, 2, 15}, {4, 1, 4}, {4, 2, 9}}));
}

}  // namespace
}  // namespace berth::policies
