#include "traces/numbers.h"

#include <gtest/gtest.h>

#include "traces/trace.h"

namespace berth::traces::numbers_test {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;

Result<Duration> seconds_in(std::string_view text) { return seconds_of({4, "run time", text}); }

TEST(Numbers, AreDecimals) {
  EXPECT_EQ(*seconds_in("12"), seconds(12));
  EXPECT_EQ(*seconds_in("0012.5"), nanoseconds(12'500'000'000));
  EXPECT_EQ(*seconds_in("3."), seconds(3));
  EXPECT_EQ(*seconds_in("-0"), seconds(0));
  EXPECT_EQ(*seconds_in("0.0000000014"), nanoseconds(1));
  EXPECT_EQ(*seconds_in("0.0000000015"), nanoseconds(2));
  EXPECT_EQ(*seconds_in("1.99999999999"), seconds(2));
  for (const char* text :
       {"", "-", ".5", "+1", "1e3", "inf", "nan", "0x1", "1.5.2", "1,5", "--1", "1 2", "1.-5"}) {
    EXPECT_FALSE(decimal_of(text)) << text;
  }
}

// TRACE-2
TEST(Numbers, AreWithinBounds) {
  EXPECT_EQ(*seconds_in("3000000000"), seconds(kSecondsMost));
  EXPECT_LT(*seconds_in("3000000000") + *seconds_in("3000000000"), Duration::max());
  for (const char* text :
       {"3000000000.000000001", "3000000001", "99999999999999999999999", "-1", "-0.1"}) {
    const auto value = seconds_in(text);
    ASSERT_FALSE(value) << text;
    EXPECT_EQ(value.error().message, "field 4 (run time): \"" + std::string(text) +
                                         "\", expected seconds from 0 to 3000000000");
  }
  EXPECT_EQ(*integer_of({1, "n", "-1"}, -1, 5), -1);
  EXPECT_EQ(*integer_of({1, "n", "5.0"}, -1, 5), 5);
  for (const char* text : {"6", "-2", "1.5", "x", "99999999999999999999999"}) {
    EXPECT_FALSE(integer_of({1, "n", text}, -1, 5)) << text;
  }
}

TEST(Numbers, AreShownWithoutWhatWouldControlATerminal) {
  const auto value = seconds_in("\x1b[31m" + std::string(1'000, 'x'));
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().message.find('\x1b'), std::string::npos);
  EXPECT_LT(value.error().message.size(), 200U);
}

}  // namespace
}  // namespace berth::traces::numbers_test
