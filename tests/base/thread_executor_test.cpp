#include "berth/base/thread_executor.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace berth {
namespace {

using std::chrono::seconds;

TimePoint test_start() { return TimePoint(seconds(1'790'000'000)); }

TEST(ThreadExecutor, CarriesTasksOutByTimeAndThenByOrder) {
  const ScaledClock clock(test_start(), 1'000);
  ThreadExecutor executor(clock, "test");
  std::string order;
  executor.run([&] {
    executor.after(seconds(20), [&] { order += "c"; });
    executor.post([&] { order += "a"; });
    executor.post([&] { order += "b"; });
    executor.after(seconds(20), [&] { order += "d"; });
  });
  while (clock.now() < test_start() + seconds(60)) executor.run([] {});
  executor.run([&] { EXPECT_EQ(order, "abcd"); });
}

TEST(ThreadExecutor, AnyThreadMayGiveItTasks) {
  const ScaledClock clock(test_start());
  ThreadExecutor executor(clock, "test");
  int sum = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int task = 0; task < 500; ++task) executor.post([&sum] { ++sum; });
    });
  }
  for (std::thread& each : threads) each.join();
  executor.run([&] { EXPECT_EQ(sum, 2'000); });
}

TEST(ThreadExecutor, AfterItsStopNothingIsCarriedOutAndNobodyWaits) {
  const ScaledClock clock(test_start());
  ThreadExecutor executor(clock, "test");
  bool has_run = false;
  executor.after(std::chrono::hours(1), [&] { has_run = true; });
  executor.stop();
  executor.post([&] { has_run = true; });
  executor.run([&] { has_run = true; });
  EXPECT_FALSE(has_run);
}

TEST(ScaledClockTest, RunsFasterThanTheSteadyClockAndKnowsWhenToWake) {
  const ScaledClock clock(test_start(), 3'600);
  const TimePoint hour = test_start() + std::chrono::hours(1);
  EXPECT_LE(clock.steady(hour), std::chrono::steady_clock::now() + seconds(1));
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  never.wait_until(lock, clock.steady(test_start() + seconds(60)), [] { return false; });
  EXPECT_GE(clock.now(), test_start() + seconds(60));
  EXPECT_LT(clock.steady(TimePoint::max()),
            std::chrono::steady_clock::now() + std::chrono::hours(25));
}

}  // namespace
}  // namespace berth
