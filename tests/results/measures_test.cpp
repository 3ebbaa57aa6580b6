#include "results/measures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "results/sample.h"

namespace berth::results {
namespace {

TEST(Measures, RESULT2CountsEachJobOnce) {
  RunResult run = three_jobs();
  run.jobs.push_back({.id = "runs", .submit = 900, .start = 950, .run = 100});
  run.jobs.push_back({.id = "waits", .submit = 900});
  run.jobs.push_back({.id = "gone", .submit = 900, .was_cancelled = true});
  const Measures measures = measure(run);
  EXPECT_EQ(measures.jobs, 6U);
  EXPECT_EQ(measures.started, 4U);
  EXPECT_EQ(measures.ended, 3U);
  EXPECT_EQ(measures.never_started, 1U);
  EXPECT_EQ(measures.cancelled, 1U);
}

TEST(Measures, RESULT3WaitTurnaroundAndBoundedSlowdown) {
  const Measures measures = measure(three_jobs());
  EXPECT_DOUBLE_EQ(measures.wait.mean, (0.0 + 150 + 90) / 3);
  EXPECT_DOUBLE_EQ(measures.wait.median, 90);
  EXPECT_DOUBLE_EQ(measures.wait.max, 150);
  EXPECT_DOUBLE_EQ(measures.turnaround.mean, (100.0 + 250 + 140) / 3);
  EXPECT_DOUBLE_EQ(measures.bounded_slowdown.mean, (1 + 2.5 + 140.0 / 50) / 3);
}

TEST(Measures, RESULT3ShortJobsCountAsTenSeconds) {
  const Measures measures = measure(run_of({ended("short", 0, 95, 100)}, 1));
  EXPECT_DOUBLE_EQ(measures.bounded_slowdown.max, 10);  // 100 / 10, not 100 / 5
  EXPECT_DOUBLE_EQ(measure(run_of({ended("shortest", 0, 1, 1)}, 1)).bounded_slowdown.max, 1);
}

TEST(Measures, RESULT3AJobThatStillRunsHasAWaitAndNoTurnaround) {
  const Measures measures =
      measure(run_of({{.id = "a", .submit = 10, .start = 30, .run = 500}}, 1, 130));
  EXPECT_DOUBLE_EQ(measures.wait.mean, 20);
  EXPECT_EQ(measures.turnaround.count, 0U);
  EXPECT_DOUBLE_EQ(measures.makespan, 120);
  EXPECT_DOUBLE_EQ(measures.utilisation, 100.0 / 120);
}

TEST(Measures, RESULT4PercentilesAreOfTheNearestRank) {
  std::vector<double> values;
  for (int i = 100; i >= 1; --i) values.push_back(i);
  const Distribution hundred = distribution_of(values);
  EXPECT_EQ(hundred.median, 50);
  EXPECT_EQ(hundred.p90, 90);
  EXPECT_EQ(hundred.p99, 99);
  EXPECT_EQ(hundred.max, 100);
  const Distribution ten = distribution_of({10, 9, 8, 7, 6, 5, 4, 3, 2, 1});
  EXPECT_EQ(ten.median, 5);
  EXPECT_EQ(ten.p90, 9);
  EXPECT_EQ(ten.p99, 10);
  const Distribution one = distribution_of({7});
  EXPECT_EQ(one.median, 7);
  EXPECT_EQ(one.p99, 7);
  EXPECT_EQ(distribution_of({}).count, 0U);
}

TEST(Measures, RESULT5UtilisationIsUsedNodeSecondsOfAll) {
  const Measures measures = measure(three_jobs());
  EXPECT_DOUBLE_EQ(measures.makespan, 250);
  EXPECT_DOUBLE_EQ(measures.utilisation, (400.0 + 400 + 50) / (4 * 250));
  // From 25 to 225: a 75 s, c 50 s, b 75 s.
  EXPECT_DOUBLE_EQ(measures.utilisation_of_middle, (300.0 + 50 + 300) / (4 * 200));
}

TEST(Measures, RESULT5NoMoreIsUsedThanTheMachineHas) {
  const Measures measures = measure(run_of({ended("a", 0, 0, 10, 3), ended("b", 0, 0, 10, 3)}, 4));
  EXPECT_DOUBLE_EQ(measures.utilisation, 1);
}

TEST(Measures, RESULT5TheMeanNumberOfWaitingJobsFollowsFromTheWaits) {
  const Measures measures = measure(three_jobs());
  EXPECT_DOUBLE_EQ(measures.mean_waiting_jobs, (150.0 + 90) / 250);
  EXPECT_EQ(measures.most_waiting_jobs, 2);
}

TEST(Measures, RESULT6RoomIsLostWhereJobsWaitForIt) {
  // From 100 to 150, c runs and b waits for 4 of 3 idle nodes: 150. Nothing is lost before or
  // after.
  EXPECT_DOUBLE_EQ(measure(three_jobs()).loss_of_capacity, 150.0 / (4 * 250));
  // Of 4 idle nodes, no more is lost than the job wants.
  const Measures measures = measure(run_of({ended("a", 0, 10, 20, 1)}, 4));
  EXPECT_DOUBLE_EQ(measures.loss_of_capacity, 10.0 / (4 * 20));
}

TEST(Measures, RESULT6KnownRunsInVainUseTheirRoomAndDoNotWait) {
  JobResult job = ended("a", 0, 60, 100, 2);
  job.evictions = 1;
  job.lost = 2 * 50;
  job.earlier_runs = {{0, 50}};
  const Measures measures = measure(run_of({job}, 2));
  EXPECT_DOUBLE_EQ(measures.utilisation, 0.9);
  EXPECT_DOUBLE_EQ(measures.loss_of_capacity, 0.1);
  EXPECT_DOUBLE_EQ(measures.wait.mean, 60);
  EXPECT_DOUBLE_EQ(measures.mean_waiting_jobs, 0.1);
  EXPECT_DOUBLE_EQ(measures.work, 2 * 90);
  EXPECT_DOUBLE_EQ(measures.lost_share, 100.0 / 180);
}

TEST(Measures, RESULT7LostWorkIsAShareOfAllWork) {
  JobResult job = ended("a", 0, 60, 100, 2);
  job.evictions = 3;
  job.lost = 20;
  const Measures measures = measure(run_of({job, ended("b", 0, 0, 100)}, 2));
  EXPECT_DOUBLE_EQ(measures.work, 80.0 + 20 + 100);
  EXPECT_DOUBLE_EQ(measures.lost_work, 20);
  EXPECT_DOUBLE_EQ(measures.lost_share, 0.1);
  EXPECT_EQ(measures.evictions, 3);
  EXPECT_EQ(measures.evicted_jobs, 1U);
}

TEST(Measures, RESULT8PassedJobsAreThoseThatALaterJobStartsBefore) {
  const Measures measures = measure(three_jobs());
  EXPECT_EQ(measures.passed, 1U);  // b, by c
  EXPECT_DOUBLE_EQ(measures.passed_share, 1.0 / 3);
  // Jobs of one moment do not pass each other; a job that never starts is passed.
  const Measures same = measure(run_of({ended("a", 0, 9, 10), ended("b", 0, 0, 1)}, 4));
  EXPECT_EQ(same.passed, 0U);
  EXPECT_EQ(measure(run_of({{.id = "a"}, ended("b", 1, 2, 3)}, 4)).passed, 1U);
  EXPECT_EQ(measure(run_of({{.id = "a", .was_cancelled = true}, ended("b", 1, 2, 3)}, 4)).passed,
            0U);
}

TEST(Measures, RESULT8AgreesWithACountOfAllPairs) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RunResult run = run_by_chance(seed, 200);
    std::size_t passed = 0;
    for (const JobResult& job : run.jobs) {
      if (job.was_cancelled) continue;
      const bool is_passed =
          std::any_of(run.jobs.begin(), run.jobs.end(), [&](const JobResult& later) {
            return later.submit > job.submit && later.start &&
                   (!job.start || *later.start < *job.start);
          });
      if (is_passed) ++passed;
    }
    EXPECT_EQ(measure(run).passed, passed) << "seed " << seed;
  }
}

TEST(Measures, RESULT10ClassesArePowersOfTwoAndLengths) {
  RunResult run = run_of({ended("a", 0, 10, 20, 0.5), ended("b", 0, 30, 40, 1),
                          ended("c", 0, 50, 650, 2), ended("d", 0, 70, 100'000, 3)},
                         4);
  const Measures measures = measure(run);
  ASSERT_EQ(measures.by_size.size(), 3U);
  EXPECT_EQ(measures.by_size[0].above, 0);
  EXPECT_EQ(measures.by_size[0].up_to, 1.0);
  EXPECT_EQ(measures.by_size[0].wait.count, 2U);
  EXPECT_EQ(measures.by_size[0].wait.mean, 20);
  EXPECT_EQ(measures.by_size[2].above, 2);
  EXPECT_EQ(measures.by_size[2].up_to, 4.0);
  ASSERT_EQ(measures.by_run_time.size(), 3U);
  EXPECT_EQ(measures.by_run_time[0].wait.count, 2U);
  EXPECT_EQ(measures.by_run_time[1].up_to, 600.0);
  EXPECT_EQ(measures.by_run_time[2].above, 86'400);
  EXPECT_FALSE(measures.by_run_time[2].up_to.has_value());
}

// Every number of the measures.
std::vector<double> numbers_of(const Measures& its) {
  std::vector<double> numbers{its.makespan,
                              its.utilisation,
                              its.utilisation_of_middle,
                              its.work,
                              its.mean_waiting_jobs,
                              its.loss_of_capacity,
                              its.lost_work,
                              its.lost_share,
                              its.idle_reserved,
                              its.passed_share,
                              its.users.largest_deviation,
                              its.users.largest_shortfall,
                              its.queues.largest_deviation,
                              its.queues.largest_shortfall};
  const auto add = [&](const Distribution& distribution) {
    numbers.insert(numbers.end(),
                   {static_cast<double>(distribution.count), distribution.mean, distribution.median,
                    distribution.p90, distribution.p99, distribution.max});
  };
  for (const Distribution* each : {&its.wait, &its.turnaround, &its.bounded_slowdown}) add(*each);
  for (const auto* classes : {&its.by_size, &its.by_run_time}) {
    for (const ClassMeasures& each : *classes) {
      numbers.push_back(each.above);
      add(each.wait);
      add(each.bounded_slowdown);
    }
  }
  return numbers;
}

TEST(Measures, RESULT1OddInputsGiveFiniteNumbers) {
  for (const RunResult& run : odd_runs()) {
    const Measures measures = measure(run);
    for (const double number : numbers_of(measures)) {
      EXPECT_TRUE(std::isfinite(number) && number >= 0)
          << (run.jobs.empty() ? "" : run.jobs[0].id) << ": " << number;
    }
    EXPECT_EQ(measures.jobs, measures.started + measures.never_started + measures.cancelled);
  }
  for (const double number : numbers_of(measure({}))) EXPECT_EQ(number, 0);
}

TEST(Measures, RESULT1TheOrderOfJobsChangesNothing) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RunResult run = run_by_chance(seed, 300);
    const std::vector<double> before = numbers_of(measure(run));
    std::mt19937_64 random(seed);
    std::shuffle(run.jobs.begin(), run.jobs.end(), random);
    EXPECT_EQ(numbers_of(measure(run)), before) << "seed " << seed;
  }
}

std::size_t count_of(const std::vector<ClassMeasures>& classes) {
  std::size_t count = 0;
  for (const ClassMeasures& each : classes) count += each.wait.count;
  return count;
}

TEST(Measures, LawsHoldForTracesByChance) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const double nodes = seed % 2 == 0 ? 2'000 : 16;  // enough for all at once, or too few
    const RunResult run = run_by_chance(seed, 400, nodes);
    const Measures its = measure(run);
    EXPECT_EQ(its.jobs, its.started + its.never_started + its.cancelled);
    EXPECT_EQ(count_of(its.by_size), its.started);
    EXPECT_EQ(count_of(its.by_run_time), its.started);
    for (const double share :
         {its.utilisation, its.utilisation_of_middle, its.loss_of_capacity, its.lost_share,
          its.passed_share, its.users.largest_deviation, its.users.largest_shortfall}) {
      EXPECT_GE(share, 0);
      EXPECT_LE(share, 1);
    }
    EXPECT_LE(its.utilisation + its.loss_of_capacity, 1 + 1e-9);
    EXPECT_GE(its.bounded_slowdown.mean, 1);
    EXPECT_LE(its.wait.median, its.wait.p90);
    EXPECT_LE(its.wait.p90, its.wait.p99);
    EXPECT_LE(its.wait.p99, its.wait.max);
    double mean = 0;
    for (const ClassMeasures& each : its.by_size) {
      mean += each.wait.mean * static_cast<double>(each.wait.count);
    }
    EXPECT_NEAR(mean / static_cast<double>(its.started), its.wait.mean, 1e-6);
    if (nodes > 1'000) {
      EXPECT_NEAR(its.utilisation * nodes * its.makespan, its.work, its.work * 1e-9);
    }
  }
}

TEST(Measures, LittlesLawJoinsWaitsAndWaitingJobs) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RunResult run = run_by_chance(seed, 300);
    std::erase_if(run.jobs, [](const JobResult& job) { return !job.start; });
    const Measures its = measure(run);
    EXPECT_NEAR(its.mean_waiting_jobs * its.makespan,
                its.wait.mean * static_cast<double>(its.started), 1e-3)
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace berth::results
