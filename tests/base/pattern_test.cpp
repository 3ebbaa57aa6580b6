#include "berth/base/pattern.h"

#include <gtest/gtest.h>

#include <random>
#include <regex>
#include <string>
#include <vector>

namespace berth::pattern_test {
namespace {

bool is_in(const std::string& pattern, const std::string& text) {
  const Result<Pattern> parsed = Pattern::parse(pattern);
  EXPECT_TRUE(parsed.has_value()) << pattern << ": " << (parsed ? "" : parsed.error().message);
  return parsed && parsed->is_in(text);
}

std::string fault_of(const std::string& pattern) {
  const Result<Pattern> parsed = Pattern::parse(pattern);
  return parsed ? "" : parsed.error().message;
}

TEST(Pattern, TOPO4_matches_anywhere_in_the_name_as_Go_does) {
  EXPECT_TRUE(is_in("rack-1", "block-1-rack-12"));
  EXPECT_FALSE(is_in("^rack-1", "block-1-rack-12"));
  EXPECT_TRUE(is_in("^node-[0-9]+$", "node-17"));
  EXPECT_FALSE(is_in("^node-[0-9]+$", "node-17b"));
  EXPECT_FALSE(is_in("^node-[0-9]+$", "node-"));
  EXPECT_TRUE(is_in("", "any"));
  EXPECT_TRUE(is_in("^$", ""));
  EXPECT_FALSE(is_in("^$", "n"));
}

TEST(Pattern, knows_classes_groups_alternatives_and_repetitions) {
  EXPECT_TRUE(is_in("^(a|bc)*d$", "abcad"));
  EXPECT_FALSE(is_in("^(a|bc)*d$", "abad"));
  EXPECT_TRUE(is_in("^(?:gpu|cpu)-\\d{2,3}$", "gpu-123"));
  EXPECT_FALSE(is_in("^(?:gpu|cpu)-\\d{2,3}$", "gpu-1"));
  EXPECT_FALSE(is_in("^(?:gpu|cpu)-\\d{2,3}$", "gpu-1234"));
  EXPECT_TRUE(is_in("^(?P<zone>[a-c])\\.x$", "b.x"));
  EXPECT_FALSE(is_in("^b\\.x$", "b-x"));
  EXPECT_TRUE(is_in("^[^a-y]+?$", "zzz"));
  EXPECT_TRUE(is_in("^[]a-]+$", "]a-"));
  EXPECT_TRUE(is_in("^[\\w.]+$", "n_1.X"));
  EXPECT_FALSE(is_in("^\\D+$", "n1"));
  EXPECT_TRUE(is_in("^a{2,}$", "aaa"));
  EXPECT_FALSE(is_in("^a{2,}$", "a"));
  EXPECT_TRUE(is_in("^a{,2}$", "a{,2}"));  // braces of another form are bytes
  EXPECT_TRUE(is_in("\\An.\\z", "n1"));
  EXPECT_TRUE(is_in("^rack-(1|2)?$|^spare$", "spare"));
  EXPECT_TRUE(is_in("a||b", ""));
}

TEST(Pattern, says_why_a_text_is_none) {
  EXPECT_EQ(fault_of("rack-(1"), "\"rack-(1\" is no regular expression: a \"(\" without \")\"");
  EXPECT_EQ(fault_of("a)"), "\"a)\" is no regular expression: a \")\" without \"(\"");
  EXPECT_EQ(fault_of("*a"), "\"*a\" is no regular expression: a repetition of nothing");
  EXPECT_EQ(fault_of("a**"), "\"a**\" is no regular expression: a repetition of a repetition");
  EXPECT_EQ(fault_of("[b-a]"),
            "\"[b-a]\" is no regular expression: a range of a class that ends before it begins");
  EXPECT_EQ(fault_of("a\\"), "\"a\\\" is no regular expression: a \"\\\" at its end");
  EXPECT_EQ(fault_of("[a"), "\"[a\" is no regular expression: a \"[\" without \"]\"");
  EXPECT_EQ(fault_of("a{3,2}"),
            "\"a{3,2}\" is no regular expression: a repetition with less at most than at least");
  for (const std::string odd : {"\\bnode", "(?i)node", "[[:alpha:]]", "a{1001}", "\\pL"}) {
    EXPECT_NE(fault_of(odd), "") << odd;
  }
}

TEST(Pattern, no_expression_is_long_to_read_or_to_match) {
  EXPECT_NE(fault_of("((a{1000}){1000}){1000}"), "");
  EXPECT_NE(fault_of("(((){1000}){1000}){1000}"), "");
  EXPECT_NE(fault_of(std::string(100'000, '(')), "");
  EXPECT_NE(fault_of(std::string(100'000, 'a')), "");
  // Backtracking would need 2^30 steps.
  std::string most = "^";
  for (int i = 0; i < 30; ++i) most += "(a?)";
  EXPECT_TRUE(is_in(most + std::string(30, 'a') + "$", std::string(30, 'a')));
}

// An expression with parts of every kind that both libraries read alike.
std::string random_pattern(std::mt19937_64& random, int depth) {
  static const std::vector<std::string> kOnes{"a", "b", ".", "[ab]", "[^a]", "\\d", "1", "^", "$"};
  std::string text;
  for (std::size_t i = 0, parts = 1 + random() % 3; i < parts; ++i) {
    std::string one = kOnes[random() % kOnes.size()];
    if (depth > 0 && random() % 3 == 0) {
      one = "(" + random_pattern(random, depth - 1) + "|" + random_pattern(random, depth - 1) + ")";
    }
    static const std::vector<std::string> kTimes{"", "", "*", "+", "?", "{2}", "{1,2}"};
    const bool is_place = one == "^" || one == "$";
    text += one + (is_place ? "" : kTimes[random() % kTimes.size()]);
  }
  return text;
}

TEST(Pattern, agrees_with_another_library_on_random_expressions) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 3'000; ++round) {
    const std::string text = random_pattern(random, 2);
    const std::regex other(text, std::regex::ECMAScript);
    std::string name;
    for (std::size_t i = 0, size = random() % 6; i < size; ++i) name += "ab1-"[random() % 4];
    EXPECT_EQ(is_in(text, name), std::regex_search(name, other)) << text << " in " << name;
  }
}

}  // namespace
}  // namespace berth::pattern_test
