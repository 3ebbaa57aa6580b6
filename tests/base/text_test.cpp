#include "berth/base/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace berth {
namespace {

const std::vector<std::string> kNames{"allocate", "backfill", "enqueue", "gang"};

TEST(DidYouMean, finds_a_swap_a_missing_letter_and_a_wrong_case) {
  EXPECT_EQ(did_you_mean("gagn", kNames), "gang");
  EXPECT_EQ(did_you_mean("alocate", kNames), "allocate");
  EXPECT_EQ(did_you_mean("Backfill", kNames), "backfill");
}

TEST(DidYouMean, stays_silent_when_nothing_is_near) {
  EXPECT_EQ(did_you_mean("preempt", kNames), std::nullopt);
  EXPECT_EQ(did_you_mean("", kNames), std::nullopt);
  EXPECT_EQ(did_you_mean("x", std::vector<std::string>{"y"}), std::nullopt);
  EXPECT_EQ(did_you_mean(std::string(100'000, 'g'), kNames), std::nullopt);
}

TEST(DidYouMean, gives_ties_to_the_earlier_candidate) {
  EXPECT_EQ(did_you_mean("cat", std::vector<std::string>{"bat", "hat"}), "bat");
}

TEST(Suggestion, lists_what_was_expected_when_nothing_is_near) {
  EXPECT_EQ(suggestion("gagn", kNames), "; did you mean \"gang\"?");
  EXPECT_EQ(suggestion("zzz", std::vector<std::string>{"a", "bb"}), "; expected one of: a, bb");
  EXPECT_EQ(suggestion("zzz", {}), "");
}

TEST(SplitList, trims_parts_and_drops_empty_ones) {
  EXPECT_EQ(split_list("a,b ,, c\n", ','), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_TRUE(split_list(" , ", ',').empty());
  EXPECT_TRUE(split_list("", ',').empty());
}

TEST(NaturalCompare, orders_digits_as_numbers) {
  std::vector<std::string> names{"n10", "n2", "n1", "n", "n2a", "m99999999999999999999999"};
  std::sort(names.begin(), names.end(), [](const std::string& left, const std::string& right) {
    return natural_compare(left, right) < 0;
  });
  EXPECT_EQ(names,
            (std::vector<std::string>{"m99999999999999999999999", "n", "n1", "n2", "n2a", "n10"}));
}

TEST(NaturalCompare, is_a_total_order_over_names_with_zeros_letters_and_digits) {
  std::vector<std::string> names{""};
  for (std::size_t i = 0; i < names.size() && names[i].size() < 4; ++i) {
    for (const char c : {'0', '1', 'a', '-'}) names.push_back(names[i] + c);
  }
  const auto less = [](const std::string& left, const std::string& right) {
    return natural_compare(left, right) < 0;
  };
  std::sort(names.begin(), names.end(), less);
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t j = 0; j < names.size(); ++j) {
      const int order = natural_compare(names[i], names[j]);
      ASSERT_EQ(order < 0, i < j) << names[i] << " " << names[j];
      ASSERT_EQ(order == 0, i == j) << names[i] << " " << names[j];
    }
  }
}

TEST(TextTest, NamesTheFirstFewOfMany) {
  std::vector<std::string> names;
  EXPECT_EQ(first_names(names), "none");
  for (int i = 1; i <= 8; ++i) names.push_back("n" + std::to_string(i));
  EXPECT_EQ(first_names(names), "n1, n2, n3, n4, n5, n6, n7, n8");
  names.insert(names.end(), {"n9", "n10"});
  EXPECT_EQ(first_names(names), "n1, n2, n3, n4, n5, n6, n7, n8 and 2 more");
}

TEST(TextTest, CountsInWords) {
  EXPECT_EQ(count_text(0, "node"), "0 nodes");
  EXPECT_EQ(count_text(1, "node"), "1 node");
  EXPECT_EQ(count_text(2, "node"), "2 nodes");
}

TEST(QuotedText, IsAStringOfJson) {
  EXPECT_EQ(json_string("a \"b\" \\ \n\x1f \xC3\xA4"),
            "\"a \\\"b\\\" \\\\ \\u000a\\u001f \xC3\xA4\"");
  EXPECT_EQ(json_string(""), "\"\"");
}

TEST(SameWord, IsAnyCaseOfAsciiLetters) {
  EXPECT_TRUE(is_same_word("nodeNames", "NodeNAMES"));
  EXPECT_FALSE(is_same_word("node", "nodes"));
  EXPECT_FALSE(is_same_word("@[", "`{"));  // a case apart from letters
}

}  // namespace
}  // namespace berth
