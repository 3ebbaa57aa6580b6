#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>

#include "berth/base/text.h"

namespace berth {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(ParseDuration, reads_go_syntax) {
  EXPECT_EQ(*parse_duration("90s"), seconds(90));
  EXPECT_EQ(*parse_duration("1m30s"), seconds(90));
  EXPECT_EQ(*parse_duration("1.5h"), seconds(5400));
  EXPECT_EQ(*parse_duration("250ms"), milliseconds(250));
  EXPECT_EQ(*parse_duration("0"), seconds(0));
  EXPECT_EQ(*parse_duration("+1s"), seconds(1));
  EXPECT_EQ(*parse_duration(".5s"), milliseconds(500));
  EXPECT_EQ(*parse_duration("1.s"), seconds(1));
  EXPECT_EQ(*parse_duration("3us2ns"), Duration(3002));
  EXPECT_EQ(*parse_duration("3\xC2\xB5s"), Duration(3000));
  EXPECT_EQ(parse_duration("9223372036854775807ns")->count(), INT64_MAX);
}

TEST(ParseDuration, refuses_what_is_negative_too_long_or_not_a_duration) {
  for (const char* text : {"", "-1s", "10", "s", ".s", "1x", "1 s", "9223372036854775808ns",
                           "2562048h", "9223372036s1000000000000ms", "99999999999999999999h"}) {
    EXPECT_FALSE(parse_duration(text).has_value()) << text;
  }
  EXPECT_EQ(parse_duration("-1s").error().message,
            "\"-1s\" is negative, expected a duration such as \"90s\", \"1m30s\" or \"250ms\"");
}

TEST(FormatDuration, is_the_shortest_form) {
  EXPECT_EQ(format_duration(seconds(0)), "0s");
  EXPECT_EQ(format_duration(seconds(90)), "1m30s");
  EXPECT_EQ(format_duration(seconds(3600)), "1h");
  EXPECT_EQ(format_duration(milliseconds(3'600'250)), "1h0.25s");
  EXPECT_EQ(format_duration(milliseconds(1500)), "1.5s");
  EXPECT_EQ(format_duration(milliseconds(250)), "250ms");
  EXPECT_EQ(format_duration(Duration(1'500)), "1.5us");
  EXPECT_EQ(format_duration(Duration(7)), "7ns");
  EXPECT_EQ(format_duration(-seconds(5)), "-5s");
}

TEST(FormatDuration, reads_back_exactly) {
  std::mt19937_64 random(20261121);
  for (int i = 0; i < 20'000; ++i) {
    const auto bits = static_cast<int>(random() % 63) + 1;
    const Duration duration(static_cast<std::int64_t>(random() >> (64 - bits)));
    const auto read = parse_duration(format_duration(duration));
    ASSERT_TRUE(read.has_value()) << format_duration(duration);
    ASSERT_EQ(*read, duration) << format_duration(duration);
  }
}

TEST(ParseTime, reads_zulu_offsets_and_fractions) {
  const TimePoint nine = *parse_time("2026-11-21T09:00:00Z");
  EXPECT_EQ(nine.time_since_epoch(), seconds(1'795'251'600));
  EXPECT_EQ(*parse_time("2026-11-21T10:30:00+01:30"), nine);
  EXPECT_EQ(*parse_time("2026-11-21T08:00:00-01:00"), nine);
  EXPECT_EQ(*parse_time("2026-11-21T09:00:00.25Z"), nine + milliseconds(250));
  EXPECT_EQ(*parse_time("2026-11-21T09:00:00.0000000019Z"), nine + Duration(1));
  EXPECT_EQ(*parse_time("1970-01-01T00:00:00Z"), TimePoint{});
}

TEST(ParseTime, refuses_what_is_no_time) {
  for (const char* text :
       {"", "2026-11-21", "2026-11-21T09:00:00", "2026-11-21 09:00:00Z", "2026-02-30T09:00:00Z",
        "2026-13-01T09:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T09:60:00Z",
        "2026-11-21T09:00:00.Z", "2026-11-21T09:00:00Zx", "2300-01-01T00:00:00Z",
        "0001-01-01T00:00:00Z", "2026-11-21T09:00:00+24:00"}) {
    EXPECT_FALSE(parse_time(text).has_value()) << text;
  }
}

TEST(FormatTime, reads_back_exactly) {
  EXPECT_EQ(format_time(*parse_time("2026-11-21T10:30:00+01:30")), "2026-11-21T09:00:00Z");
  EXPECT_EQ(format_time(*parse_time("2026-11-21T09:00:00.250Z")), "2026-11-21T09:00:00.25Z");
  EXPECT_EQ(format_time(*parse_time("1677-09-21T12:00:00Z")), "1677-09-21T12:00:00Z")
      << "its day begins before any time";
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    const TimePoint time{Duration{static_cast<std::int64_t>(random())}};
    ASSERT_EQ(*parse_time(format_time(time)), time) << format_time(time);
  }
}

}  // namespace
}  // namespace berth
