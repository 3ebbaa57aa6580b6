#include "berth/model/usage.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace berth::usage_test {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr Duration kDay = hours(24);
constexpr double kDaySeconds = 86'400;
const Resources kTotal{{kCpu, 10'000}, {kMemory, 1'000}};

TimePoint at(Duration time) { return TimePoint(hours(1000)) + time; }

UsageTable table() {
  UsageTable usage;
  usage.set_half_life(kDay);
  usage.pass(kTotal, at({}));
  return usage;
}

double used(const UsageTable& usage, Duration when, const char* queue, const char* user = "") {
  return usage.used(usage.find(queue, user), at(when));
}

// USAGE-1. Of cpu it has a tenth, of memory a fifth.
TEST(Usage, is_the_dominant_share_times_seconds) {
  UsageTable usage;
  usage.set_half_life(hours(24 * 365 * 100));
  usage.count(JobId(3), "ml", "team", {{kCpu, 1000}, {kMemory, 200}});
  usage.pass(kTotal, at({}));
  EXPECT_NEAR(used(usage, seconds(100), "ml"), 20, 1e-3);
  EXPECT_NEAR(used(usage, seconds(100), "ml", "team"), 20, 1e-3);
  EXPECT_EQ(used(usage, seconds(100), "other"), 0);
}

// USAGE-2. In steps of a second, each moment's share is halved in each half-life.
TEST(Usage, decays_as_the_sum_over_small_steps_does) {
  UsageTable usage = table();
  const std::vector<std::pair<int, std::int64_t>> changes{
      {0, 1000}, {7, 5000}, {30, 0}, {60, 2500}};
  double sum = 0;
  std::size_t next = 0;
  std::int64_t has = 0;
  constexpr int kStep = 60;
  for (int second = 0; second < 100 * 3600; second += kStep) {
    if (next < changes.size() && second == changes[next].first * 3600) {
      has = changes[next++].second;
      usage.count(JobId(1), "ml", "team", {{kCpu, has}});
      usage.pass(kTotal, at(seconds(second)));
    }
    const double decay = std::exp2(-kStep / kDaySeconds);
    sum = sum * decay + static_cast<double>(has) / 10'000 * kStep * std::sqrt(decay);
  }
  EXPECT_NEAR(used(usage, hours(100), "ml") / sum, 1, 1e-6);
}

// USAGE-2. A queue that has all of the cluster for ever approaches the half-life / ln 2.
TEST(Usage, has_a_bound) {
  UsageTable usage = table();
  usage.count(JobId(1), "ml", "team", kTotal);
  usage.pass(kTotal, at({}));
  EXPECT_NEAR(used(usage, 50 * kDay, "ml"), kDaySeconds / std::numbers::ln2, 1e-3);
  usage.count(JobId(1), "ml", "team", {});
  usage.pass(kTotal, at(50 * kDay));
  EXPECT_NEAR(used(usage, 51 * kDay, "ml"), kDaySeconds / std::numbers::ln2 / 2, 1e-3);
}

// USAGE-3
TEST(Usage, counts_a_change_from_the_time_at_which_it_was_seen) {
  UsageTable usage = table();
  usage.count(JobId(1), "ml", "team", {{kCpu, 5000}});
  usage.pass(kTotal, at(seconds(10)));
  usage.pass(kTotal, at(seconds(20)));
  usage.count(JobId(1), "ml", "team", {});
  usage.pass(kTotal, at(seconds(30)));
  EXPECT_NEAR(used(usage, seconds(30), "ml"), 10, 1e-2);
  usage.pass({{kCpu, 20'000}}, at(seconds(30)));
  usage.count(JobId(1), "ml", "team", {{kCpu, 5000}});
  usage.pass({{kCpu, 20'000}}, at(seconds(30)));
  EXPECT_NEAR(used(usage, seconds(50), "ml"), 15, 1e-2);  // a quarter now
  usage.pass(kTotal, at(seconds(50)));                    // nodes are lost
  EXPECT_NEAR(used(usage, seconds(60), "ml"), 20, 1e-2);
}

// USAGE-3. A clock that is set back counts nothing twice, and stops nothing.
TEST(Usage, does_not_mind_a_clock_that_is_set_back) {
  UsageTable usage = table();
  usage.count(JobId(1), "ml", "team", {{kCpu, 5000}});
  usage.pass(kTotal, at(seconds(1000)));
  usage.count(JobId(2), "ml", "team", {{kCpu, 5000}});
  usage.pass(kTotal, at(seconds(0)));
  EXPECT_NEAR(used(usage, seconds(0), "ml"), 0, 1e-9);
  EXPECT_NEAR(used(usage, seconds(10), "ml"), 10, 1e-2);
}

// USAGE-4
TEST(Usage, follows_a_job_to_another_queue) {
  UsageTable usage = table();
  usage.count(JobId(1), "a", "team", {{kCpu, 5000}});
  usage.count(JobId(2), "a", "other", {{kCpu, 1000}});
  usage.pass(kTotal, at({}));
  usage.count(JobId(1), "b", "team", {{kCpu, 5000}});
  usage.pass(kTotal, at(seconds(10)));
  usage.forget(JobId(2));
  usage.pass(kTotal, at(seconds(20)));
  EXPECT_NEAR(used(usage, seconds(20), "a"), 7, 1e-2);
  EXPECT_NEAR(used(usage, seconds(20), "a", "team"), 5, 1e-2);
  EXPECT_NEAR(used(usage, seconds(20), "a", "other"), 2, 1e-2);
  EXPECT_NEAR(used(usage, seconds(20), "b", "team"), 5, 1e-2);
  EXPECT_EQ(usage.user_of(JobId(1)), usage.find("b", "team"));
  EXPECT_EQ(usage.user_of(JobId(2)), UsageTable::kNone);
}

// USAGE-5. The count of another is no less after a day, and no more if it comes again.
TEST(Usage, is_no_less_than_what_another_counted) {
  UsageTable usage = table();
  usage.count(JobId(1), "a", "team", {{kCpu, 5000}});
  usage.pass(kTotal, at({}));
  for (int times = 0; times < 2; ++times) {
    usage.raise("a", "", 100, at(seconds(10)), at(seconds(10)));
    usage.raise("a", "team", 3, at(seconds(10)), at(seconds(10)));
    usage.raise("gone", "team", 50, at({}), at(kDay));
  }
  EXPECT_NEAR(used(usage, seconds(20), "a"), 105, 2e-2);
  EXPECT_NEAR(used(usage, seconds(20), "a", "team"), 10, 2e-2);
  EXPECT_NEAR(used(usage, kDay, "gone", "team"), 25, 2e-2);
  EXPECT_NEAR(used(usage, 2 * kDay, "gone", "team"), 12.5, 2e-2);
}

// USAGE-6
TEST(Usage, forgets_accounts_of_which_nothing_is_left) {
  UsageTable usage = table();
  usage.count(JobId(1), "a", "team", {{kCpu, 5000}});
  usage.count(JobId(2), "waits", "team", {});
  usage.pass(kTotal, at({}));
  usage.forget(JobId(1));
  usage.pass(kTotal, at(seconds(1)));
  usage.pass(kTotal, at(8 * kDay));
  EXPECT_NE(usage.find("a", "team"), UsageTable::kNone);
  usage.pass(kTotal, at(10 * kDay));
  EXPECT_EQ(usage.find("a", "team"), UsageTable::kNone);
  EXPECT_EQ(usage.find("a"), UsageTable::kNone);
  EXPECT_FALSE(usage.names().contains("a"));
  EXPECT_NE(usage.find("waits", "team"), UsageTable::kNone);
  const std::size_t slots = usage.slots();
  usage.count(JobId(1), "b", "team", {});
  EXPECT_EQ(usage.slots(), slots);  // they are used again
}

TEST(Usage, keeps_no_more_accounts_of_the_past_than_it_may) {
  UsageTable usage = table();
  for (int i = 0; i < 20'010; ++i) {
    usage.raise("q", "n" + std::to_string(i), 100 + i, at({}), at({}));
  }
  usage.pass(kTotal, at(hours(2)));
  EXPECT_EQ(usage.names().at("q").size(), 20'000U);
  EXPECT_EQ(usage.find("q", "n9"), UsageTable::kNone);
  EXPECT_NE(usage.find("q", "n10"), UsageTable::kNone);
}

}  // namespace
}  // namespace berth::usage_test
