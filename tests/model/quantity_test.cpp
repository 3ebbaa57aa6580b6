#include "berth/model/quantity.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>

namespace berth {
namespace {

struct Case {
  const char* text;
  std::int64_t amount;
};

TEST(ParseQuantity, reads_the_examples_of_the_kubernetes_documentation) {
  const Case cpu[] = {{"0.1", 100},    {"100m", 100}, {"250m", 250},   {"0.5", 500},
                      {"500m", 500},   {"1", 1000},   {"1.5", 1500},   {"2", 2000},
                      {"1000m", 1000}, {"0.001", 1},  {"2e3", 2000000}};
  for (const auto& [text, amount] : cpu) {
    EXPECT_EQ(*parse_quantity(text, Scale::milli), amount) << text;
  }
  const Case memory[] = {{"128974848", 128974848},
                         {"129e6", 129000000},
                         {"129M", 129000000},
                         {"128974848000m", 128974848},
                         {"123Mi", 128974848},
                         {"64Mi", 67108864},
                         {"400m", 1},
                         {"4Gi", 4294967296},
                         {"1.5Gi", 1610612736}};
  for (const auto& [text, amount] : memory) {
    EXPECT_EQ(*parse_quantity(text, Scale::one), amount) << text;
  }
}

TEST(ParseQuantity, bounds_amounts_beyond_all_bounds_where_that_is_asked_for) {
  for (const char* text : {"8Ei", "9Pi", "9007199254740993", "1e300", "16Ei"}) {
    EXPECT_EQ(*parse_quantity_up_to(text, Scale::one, kAmountMax), kAmountMax) << text;
    EXPECT_FALSE(parse_quantity(text, Scale::one)) << text;
  }
  EXPECT_EQ(*parse_quantity_up_to("8Pi", Scale::one, kAmountMax), kAmountMax);
  EXPECT_EQ(*parse_quantity_up_to("4Gi", Scale::one, kAmountMax), 4294967296);
  for (const char* text : {"", "-1", "abc", "8Zi"}) {
    EXPECT_FALSE(parse_quantity_up_to(text, Scale::one, kAmountMax)) << text;
  }
}

TEST(ParseQuantity, knows_every_suffix_and_distinguishes_exa_from_an_exponent) {
  const Case cases[] = {{"1n", 1},
                        {"1u", 1},
                        {"1m", 1},
                        {"5000000000n", 5},
                        {"3000000u", 3},
                        {"2000m", 2},
                        {"1k", 1000},
                        {"1M", 1000000},
                        {"1G", 1000000000},
                        {"1T", 1000000000000},
                        {"1P", 1000000000000000},
                        {"1E", 1000000000000000000},
                        {"1E3", 1000},
                        {"1e3", 1000},
                        {"1E+2", 100},
                        {"100e-2", 1},
                        {"1Ki", 1024},
                        {"1Mi", 1048576},
                        {"1Gi", 1073741824},
                        {"1Ti", std::int64_t{1} << 40},
                        {"1Pi", std::int64_t{1} << 50},
                        {"1Ei", std::int64_t{1} << 60},
                        {"+1", 1},
                        {".5Ki", 512},
                        {"1.", 1},
                        {"0001", 1},
                        {"0", 0},
                        {"-0", 0},
                        {"0.000Ei", 0},
                        {"0e999999999999", 0},
                        {"9223372036854775807", std::numeric_limits<std::int64_t>::max()}};
  for (const auto& [text, amount] : cases) {
    const auto read = parse_quantity(text, Scale::one, std::numeric_limits<std::int64_t>::max());
    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_EQ(*read, amount) << text;
  }
}

TEST(ParseQuantity, rounds_up_what_is_left_behind_the_point) {
  EXPECT_EQ(*parse_quantity("0.0001", Scale::milli), 1);
  EXPECT_EQ(*parse_quantity("1.0001", Scale::milli), 1001);
  EXPECT_EQ(*parse_quantity("1n", Scale::milli), 1);
  EXPECT_EQ(*parse_quantity("1.1", Scale::one), 2);
  EXPECT_EQ(*parse_quantity("1e-999999999", Scale::one), 1);
  EXPECT_EQ(*parse_quantity("0.1Ki", Scale::one), 103);  // 102.4
  EXPECT_EQ(*parse_quantity("0.00000000000000001Ki", Scale::one), 1);
  EXPECT_EQ(*parse_quantity("1Ki", Scale::milli), 1024000);
  EXPECT_EQ(*parse_quantity("1.000000000000000000000000000000000000001", Scale::one), 2);
}

TEST(ParseQuantity, refuses_what_is_no_quantity) {
  for (const char* text :
       {"",      " ",      "1 ",    " 1",    "abc",  ".",    "+",       "-",   "Mi",   "m",
        "1.2.3", "1mi",    "1ki",   "1KI",   "1K",   "1g",   "1e",      "1E-", "1e+",  "1e1.5",
        "1.1.M", "1+1.0M", "0.1mi", "0.1am", "1i",   "1GiB", "--1",     "+-1", "0x10", "1_000",
        "1,5",   "1Ee3",   "nan",   "inf",   "1 Gi", "1\n",  "\xC2\xBD"}) {
    const auto read = parse_quantity(text, Scale::one);
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_NE(read.error().message.find("is not a quantity"), std::string::npos) << text;
  }
  EXPECT_FALSE(parse_quantity(std::string(1'000'000, '1'), Scale::one).has_value());
  EXPECT_EQ(parse_quantity("12x", Scale::one).error().message,
            "\"12x\" is not a quantity, expected a number such as \"250m\", \"1.5\" or \"4Gi\"");
}

TEST(ParseQuantity, refuses_negative_amounts_and_overflow) {
  EXPECT_EQ(parse_quantity("-1", Scale::one).error().message,
            "\"-1\" is negative, expected 0 or more");
  EXPECT_FALSE(parse_quantity("-1e-9", Scale::milli).has_value());
  EXPECT_EQ(*parse_quantity("9007199254740992", Scale::one), kAmountMax);
  EXPECT_EQ(parse_quantity("9007199254740993", Scale::one).error().message,
            "\"9007199254740993\" is more than Berth can count, expected at most "
            "9007199254740992");
  for (const char* text :
       {"8Ei", "1E", "1e999999999999", "9999999999999999999999", "9223372036854775808", "16384Pi",
        "20000000000000000000Ei", "9007199254740992.1"}) {
    EXPECT_FALSE(parse_quantity(text, Scale::one).has_value()) << text;
    EXPECT_FALSE(parse_quantity(text, Scale::milli).has_value()) << text;
  }
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(parse_quantity("9223372036854775808", Scale::one, kMost).has_value());
  EXPECT_FALSE(parse_quantity("8Ei", Scale::one, kMost).has_value());
  EXPECT_FALSE(parse_quantity("1Ei", Scale::milli, kMost).has_value());
}

TEST(FormatQuantity, is_canonical) {
  EXPECT_EQ(format_quantity("cpu", 1500), "1500m");
  EXPECT_EQ(format_quantity("cpu", 2000), "2");
  EXPECT_EQ(format_quantity("cpu", 0), "0");
  EXPECT_EQ(format_quantity("memory", std::int64_t{4} << 30), "4Gi");
  EXPECT_EQ(format_quantity("memory", 1536), "1536");
  EXPECT_EQ(format_quantity("memory", 1610612736), "1536Mi");
  EXPECT_EQ(format_quantity("ephemeral-storage", 1024), "1Ki");
  EXPECT_EQ(format_quantity("hugepages-2Mi", 4 << 20), "4Mi");
  EXPECT_EQ(format_quantity("nvidia.com/gpu", 1024), "1024");
  EXPECT_EQ(format_quantity("pods", 110), "110");
  EXPECT_EQ(format_quantity("memory", -2048), "-2Ki");
  EXPECT_EQ(format_quantity("cpu", -1500), "-1500m");
}

TEST(FormatQuantity, reads_back_exactly) {
  std::mt19937_64 random(20261121);
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < 50'000; ++i) {
    const auto bits = static_cast<int>(random() % 63) + 1;
    const auto zeros = static_cast<int>(random() % static_cast<unsigned>(bits));
    const auto amount = static_cast<std::int64_t>((random() >> (64 - bits)) >> zeros << zeros);
    for (const char* name : {"cpu", "memory", "example.com/gpu"}) {
      const std::string text = format_quantity(name, amount);
      const auto read = parse_quantity(text, scale_of(name), kMost);
      ASSERT_TRUE(read.has_value()) << text;
      ASSERT_EQ(*read, amount) << name << " " << text;
    }
  }
}

}  // namespace
}  // namespace berth
