#include "policies/workload.h"

#include <gtest/gtest.h>

#include <bit>

#include "policies/chance.h"

namespace berth::policies::workload_test {
namespace {

std::uint64_t fingerprint(const Trace& trace) {
  std::uint64_t sum = static_cast<std::uint64_t>(trace.nodes);
  for (const RefJob& job : trace.jobs) {
    for (const std::int64_t part : {job.submit, job.run, job.limit, job.nodes}) {
      sum = (sum ^ static_cast<std::uint64_t>(part)) * 0x100000001b3u;
    }
  }
  return sum;
}

TEST(Workload, ASeedGivesTheSameTraceOnEveryPlatform) {
  EXPECT_EQ(fingerprint(random_trace(1, TraceKind::tiny)), 3031060457878218174u);
  EXPECT_EQ(fingerprint(random_trace(1, TraceKind::medium)), 16740854156479850151u);
  EXPECT_EQ(fingerprint(random_trace(1, TraceKind::early)), 3722634887200691437u);
  EXPECT_EQ(fingerprint(random_trace(1, TraceKind::exact)), 16960895304051712378u);
  EXPECT_EQ(fingerprint(lublin_trace(1, 2000, 128)), 18202685743445917446u);
  EXPECT_EQ(fingerprint(lublin_trace(2, 2000, 100, 60)), 6050881600788972670u);
}

TEST(Workload, PoliciesDifferOnEachKind) {
  for (const TraceKind kind : kTraceKinds) {
    int by_easy = 0;
    int by_conservative = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      const Trace trace = random_trace(seed, kind);
      const Starts starts = easy(trace.jobs, trace.nodes);
      if (starts != fcfs(trace.jobs, trace.nodes)) ++by_easy;
      if (starts != conservative(trace.jobs, trace.nodes)) ++by_conservative;
    }
    const bool is_tiny = kind == TraceKind::tiny;
    EXPECT_GE(by_easy, is_tiny ? 60 : 160) << static_cast<int>(kind);
    EXPECT_GE(by_conservative, is_tiny ? 15 : 100) << static_cast<int>(kind);
  }
}

TEST(Workload, KindsAreAsDescribed) {
  int zero = 0;
  int too_large = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    for (const RefJob& job : random_trace(seed, TraceKind::early).jobs) {
      ASSERT_LE(job.run, job.limit);
    }
    for (const RefJob& job : random_trace(seed, TraceKind::exact).jobs) {
      ASSERT_EQ(job.run, job.limit);
    }
    const Trace tiny = random_trace(seed, TraceKind::tiny);
    for (const RefJob& job : tiny.jobs) {
      if (job.run == 0 || job.limit == 0) ++zero;
      if (job.nodes > tiny.nodes) ++too_large;
    }
  }
  EXPECT_GE(zero, 100);
  EXPECT_GE(too_large, 20);
}

TEST(Workload, ChanceHasTheMomentsOfAGamma) {
  EXPECT_DOUBLE_EQ(exp2_of(10), 1024);
  EXPECT_NEAR(exp2_of(-0.5), 0.70710678118654752, 1e-14);
  EXPECT_NEAR(log2_of(10), 3.32192809488736235, 1e-13);
  Chance chance(1);
  double sum = 0;
  double squares = 0;
  constexpr int kCount = 50000;
  for (int i = 0; i < kCount; ++i) {
    const double value = chance.gamma(4.2, 0.94);
    sum += value;
    squares += value * value;
  }
  const double mean = sum / kCount;
  EXPECT_NEAR(mean, 4.2 * 0.94, 0.05);
  EXPECT_NEAR(squares / kCount - mean * mean, 4.2 * 0.94 * 0.94, 0.15);
}

TEST(Workload, LublinHasTheSharesOfThePaper) {
  constexpr std::int64_t kJobs = 20000;
  const Trace trace = lublin_trace(1, kJobs, 128);
  std::int64_t serial = 0;
  std::int64_t powers = 0;    // of two, without serial jobs
  std::int64_t by_night = 0;  // from one to seven o'clock
  std::int64_t by_day = 0;    // from eleven to seventeen
  std::int64_t too_short = 0;
  for (const RefJob& job : trace.jobs) {
    ASSERT_TRUE(1 <= job.nodes && job.nodes <= 128);
    if (job.nodes == 1) ++serial;
    if (job.nodes > 1 && std::has_single_bit(static_cast<std::uint64_t>(job.nodes))) ++powers;
    const std::int64_t hour = job.submit / 3600 % 24;
    if (1 <= hour && hour < 7) ++by_night;
    if (11 <= hour && hour < 17) ++by_day;
    ASSERT_EQ(job.limit % 300, 0);
    if (job.limit < job.run) ++too_short;
  }
  EXPECT_NEAR(static_cast<double>(serial) / kJobs, 0.244, 0.02);
  EXPECT_NEAR(static_cast<double>(powers) / kJobs, 0.60, 0.05);  // by chance a few more
  EXPECT_GE(by_day, 4 * by_night);
  EXPECT_NEAR(static_cast<double>(too_short) / kJobs, 0.03, 0.02);
  EXPECT_NEAR(static_cast<double>(offered_load(trace)), 75, 20);
}

}  // namespace
}  // namespace berth::policies::workload_test
