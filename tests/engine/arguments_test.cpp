#include "berth/engine/arguments.h"

#include <gtest/gtest.h>

namespace berth::engine {
namespace {

using namespace std::chrono_literals;

Arguments with(const std::string& key, const std::string& text) {
  return Arguments({{key, {text, false, "f:1:2"}}});
}

TEST(ArgumentsTest, ReadsDecimalsInThousandths) {
  const std::pair<const char*, std::int64_t> rows[] = {
      {"1", 1000}, {"1.2", 1200}, {"1.25", 1250}, {"0.001", 1}, {"-1.5", -1500}, {"-0.5", -500}};
  for (const auto& [text, expected] : rows) {
    Arguments arguments = with("x", text);
    EXPECT_EQ(arguments.thousandths("x", 0, -9000, 9000), expected) << text;
    EXPECT_TRUE(arguments.errors().empty()) << text;
  }
}

TEST(ArgumentsTest, ReadsDurationsWithinTheirRange) {
  const Duration minute = std::chrono::minutes(1);
  Arguments arguments = with("x", "90s");
  EXPECT_EQ(arguments.duration("x", Duration(0), minute, 2 * minute), 90'000ms);
  EXPECT_EQ(arguments.duration("y", minute, minute, 2 * minute), minute);
  EXPECT_TRUE(arguments.errors().empty());
  for (const char* text : {"59s", "3m", "-1m", "60", "soon", ""}) {
    Arguments wrong = with("x", text);
    EXPECT_EQ(wrong.duration("x", Duration(7), minute, 2 * minute), Duration(7)) << text;
    ASSERT_EQ(wrong.errors().size(), 1u) << text;
    EXPECT_EQ(wrong.errors()[0].message,
              "argument \"x\" is \"" + std::string(text) + "\"; expected a duration from 1m to 2m");
  }
}

TEST(ArgumentsTest, ReadsOneOfSomeWords) {
  Arguments arguments = with("x", "hard");
  EXPECT_EQ(arguments.word("x", "soft", {"soft", "hard"}), "hard");
  EXPECT_EQ(arguments.word("y", "soft", {"soft", "hard"}), "soft");
  Arguments wrong = with("x", "Hard");
  EXPECT_EQ(wrong.word("x", "soft", {"soft", "hard"}), "soft");
  ASSERT_EQ(wrong.errors().size(), 1u);
  EXPECT_EQ(wrong.errors()[0].message, "argument \"x\" is \"Hard\"; expected soft or hard");
}

TEST(ArgumentsTest, RefusesWhatIsNoDecimalAndReadsOn) {
  for (const char* text : {"", ".", "1.", ".5.5", "1.2345", "1e3", "x", "99999999999999999999"}) {
    Arguments arguments = with("x", text);
    EXPECT_EQ(arguments.thousandths("x", 7, 0, 1'000'000), 7) << text;
    ASSERT_EQ(arguments.errors().size(), 1u) << text;
    EXPECT_EQ(arguments.errors()[0].where, "f:1:2");
  }
}

TEST(ArgumentsTest, WhatNobodyAskedForIsAnError) {
  Arguments arguments = with("wieght", "1");
  EXPECT_EQ(arguments.integer("weight", 3, 0, 9), 3);
  ASSERT_EQ(arguments.errors().size(), 1u);
  EXPECT_EQ(arguments.errors()[0].to_string(),
            "f:1:2: unknown argument \"wieght\"; did you mean \"weight\"?");
  EXPECT_EQ(with("x", "1").errors()[0].message, "unknown argument \"x\"; none are known");
}

TEST(ArgumentsTest, WholeNumbersAndBooleansAreStrict) {
  for (const char* text : {"1.0", "+1", " 1", "0x1", "10"}) {
    Arguments arguments = with("x", text);
    EXPECT_EQ(arguments.integer("x", 5, 0, 9), 5) << text;
    EXPECT_EQ(arguments.errors().size(), 1u) << text;
  }
  Arguments yes = with("x", "yes");
  EXPECT_TRUE(yes.boolean("x", true));
  EXPECT_EQ(yes.errors().size(), 1u);
}

// Issue 9, row 1.
TEST(ArgumentsTest, KeysOfQuotasAreNoAmounts) {
  Arguments arguments = with("x", "requests.cpu=64,nvidia.com/gpu=8");
  EXPECT_EQ(arguments.amounts("x"), (NamedAmounts{{"nvidia.com/gpu", 8}}));
  EXPECT_TRUE(arguments.errors().empty());
  Arguments alone = with("x", "limits.cpu=64");
  EXPECT_TRUE(alone.amounts("x").empty());
  EXPECT_EQ(alone.errors().size(), 1u) << "a line that is none would elect everybody";
}

}  // namespace
}  // namespace berth::engine
