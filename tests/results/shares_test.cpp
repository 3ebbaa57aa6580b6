#include "results/shares.h"

#include <gtest/gtest.h>

#include "results/sample.h"

namespace berth::results {
namespace {

JobResult of_user(JobResult job, std::string user) {
  job.user = std::move(user);
  return job;
}

Shares users_of(const RunResult& run) { return measure(run).users; }

TEST(Shares, RESULT9DeviationIsFromAnEqualShare) {
  // Both users always have jobs. anna has three of the four nodes that are used.
  const RunResult run = run_of(
      {of_user(ended("a", 0, 0, 100, 3), "anna"), of_user(ended("b", 0, 0, 100, 1), "ben")}, 8);
  const Shares shares = users_of(run);
  EXPECT_EQ(shares.owners, 2U);
  EXPECT_NEAR(shares.largest_deviation, 0.25, 1e-9);
  EXPECT_EQ(shares.largest_shortfall, 0);  // nobody waits
}

TEST(Shares, RESULT9ShortfallIsOfOnesWhoseJobsWait) {
  // anna has all four nodes up to 50; ben waits for one of his two, then for all.
  const RunResult one = run_of(
      {of_user(ended("a", 0, 0, 50, 4), "anna"), of_user(ended("b", 0, 50, 100, 1), "ben")}, 4);
  Shares shares = users_of(one);
  EXPECT_NEAR(shares.largest_shortfall, 0.25, 1e-9);
  EXPECT_EQ(shares.short_of, "ben");
  EXPECT_NEAR(shares.largest_deviation, 0.5, 1e-9);
  const RunResult all = run_of(
      {of_user(ended("a", 0, 0, 50, 4), "anna"), of_user(ended("b", 0, 50, 100, 4), "ben")}, 4);
  shares = users_of(all);
  EXPECT_NEAR(shares.largest_shortfall, 0.5, 1e-9);
}

TEST(Shares, RESULT9OneOwnerHasNoDeviation) {
  const Shares shares = users_of(three_jobs());
  EXPECT_EQ(shares.owners, 1U);
  EXPECT_EQ(shares.largest_deviation, 0);
  EXPECT_EQ(shares.largest_shortfall, 0);
}

}  // namespace
}  // namespace berth::results
