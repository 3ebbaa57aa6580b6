#include "daemon/usage_text.h"

#include <gtest/gtest.h>

#include <string>

namespace berth::daemon::usage_text_test {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

const Resources kTotal{{kCpu, 10'000}};

TimePoint at(Duration time) { return TimePoint(hours(400'000)) + time; }

UsageTable table() {
  UsageTable usage;
  usage.set_half_life(hours(24));
  usage.count(JobId(1), "ml", "team", {{kCpu, 5'000}});
  usage.count(JobId(2), "ml", "a \"name\"", {{kCpu, 1'000}});
  usage.pass(kTotal, at({}));
  usage.forget(JobId(2));
  usage.pass(kTotal, at(seconds(1000)));
  return usage;
}

// LEARN-6
TEST(UsageText, brings_back_what_was_used) {
  const UsageTable before = table();
  const std::string text = usage_text(before, at(seconds(2000)));
  UsageTable after;
  after.set_half_life(hours(24));
  ASSERT_TRUE(restore_usage(text, after, at(hours(25))));
  for (const char* user : {"", "team", "a \"name\""}) {
    UsageTable idle = before;
    idle.forget(JobId(1));
    idle.pass(kTotal, at(seconds(2000)));
    EXPECT_NEAR(after.used(after.find("ml", user), at(hours(25))),
                idle.used(idle.find("ml", user), at(hours(25))), 2e-3)
        << user;
  }
}

TEST(UsageText, is_the_same_as_long_as_nothing_is_used) {
  UsageTable usage = table();
  usage.forget(JobId(1));
  usage.pass(kTotal, at(seconds(2000)));
  EXPECT_EQ(usage_text(usage, at(seconds(2001))), usage_text(usage, at(hours(5))));
  EXPECT_NE(usage_text(table(), at(seconds(2001))), usage_text(table(), at(hours(5))));
  EXPECT_EQ(usage_text(UsageTable(), at({})), "");
}

TEST(UsageText, keeps_what_was_used_most_if_not_all_fits) {
  UsageTable usage;
  for (int i = 0; i < 20'000; ++i) {
    usage.raise("queue", "namespace-" + std::to_string(i), 10 + i, at({}), at({}));
  }
  const std::string text = usage_text(usage, at({}));
  EXPECT_LT(text.size(), 401'000U);
  EXPECT_GT(text.size(), 390'000U);
  UsageTable after;
  ASSERT_TRUE(restore_usage(text, after, at({})));
  EXPECT_NE(after.find("queue", "namespace-19999"), UsageTable::kNone);
  EXPECT_EQ(after.find("queue", "namespace-0"), UsageTable::kNone);
}

TEST(UsageText, takes_nothing_of_a_text_that_is_odd) {
  const std::string good = R"(["ml","",5,1000])";
  for (const std::string& text :
       {std::string(), std::string("["), std::string("[]"), std::string(R"({"accounts":[]})"),
        std::string(R"({"version":2,"accounts":[]})"), std::string(R"({"version":1})"),
        R"({"version":1,"accounts":[)" + good + R"(,["ml","",5]]})",
        R"({"version":1,"accounts":[)" + good + R"(,["","",5,1000]]})",
        R"({"version":1,"accounts":[)" + good + R"(,["ml","",-5,1000]]})",
        R"({"version":1,"accounts":[)" + good + R"(,["ml","",1e300,1000]]})",
        R"({"version":1,"accounts":[)" + good + R"(,["ml","",5,-1]]})",
        R"({"version":1,"accounts":[)" + good + R"(,["ml","",5,99999999999999]]})",
        R"({"version":1,"accounts":[)" + good + R"(,["ml",7,5,1000]]})",
        R"({"version":1,"accounts":[)" + good + R"(,["ml","","five",1000]]})",
        std::string(1000, '[')}) {
    UsageTable usage;
    const Status restored = restore_usage(text, usage, at({}));
    EXPECT_FALSE(restored) << text;
    EXPECT_EQ(usage.slots(), 0U) << text;
    if (!restored) {
      EXPECT_TRUE(restored.error().where.starts_with("fair-share")) << text;
    }
  }
  UsageTable usage;
  EXPECT_TRUE(restore_usage(R"({"version":1,"accounts":[)" + good + "]}", usage, at({})));
}

// A time to come is another clock's: it counts as now.
TEST(UsageText, takes_a_time_to_come_as_now) {
  UsageTable usage;
  ASSERT_TRUE(restore_usage(R"({"version":1,"accounts":[["ml","",5,9000000000]]})", usage, at({})));
  EXPECT_NEAR(usage.used(usage.find("ml"), at({})), 5, 1e-9);
}

}  // namespace
}  // namespace berth::daemon::usage_text_test
