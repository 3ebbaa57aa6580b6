#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "cli/completion.h"

namespace berth::cli {
namespace {

using Words = std::vector<std::string>;

class CompletionTest : public testing::Test {
 protected:
  CompletionTest() {
    CLI::App* const plan = app_.add_subcommand("plan", "Plans.");
    plan->add_option("--cluster", text_, "Manifests")->type_name("FILE|DIR");
    plan->add_option("-o,--output", text_, "Form")->type_name("table|wide|json");
    plan->add_flag("--waiting", flag_, "Only those");
    plan->add_option("--hidden", text_)->group("");
    CLI::App* const why = app_.add_subcommand("why", "Says why.");
    why->add_option("JOB", text_, "Name")->type_name("JOB");
    app_.add_subcommand("help", "Helps.");
    app_.add_subcommand("secret", "Hidden.")->group("");
  }

  Words of(const Words& words, const NameSource& names = {}) {
    Words found;
    for (const Candidate& each : complete(app_, words, names).candidates)
      found.push_back(each.word);
    return found;
  }

  CLI::App app_{"About", "berth"};
  std::string text_;
  bool flag_ = false;
};

TEST_F(CompletionTest, OffersCommandsAndHidesTheHidden) {
  EXPECT_EQ(of({""}), (Words{"plan", "why", "help"}));
  EXPECT_EQ(of({"p"}), (Words{"plan"}));
  EXPECT_EQ(of({"help", "w"}), (Words{"why"}));
  EXPECT_EQ(of({"x"}), Words{});
}

TEST_F(CompletionTest, OffersFlagsAndTheirValues) {
  EXPECT_EQ(of({"plan", "--"}), (Words{"--help", "--cluster", "--output", "--waiting"}));
  EXPECT_EQ(of({"plan", "-o", ""}), (Words{"table", "wide", "json"}));
  EXPECT_EQ(of({"plan", "--output=w"}), (Words{"--output=wide"}));
  EXPECT_EQ(of({"plan", "--waiting", "-o", "t"}), (Words{"table"}));
}

TEST_F(CompletionTest, LeavesFilesToTheShell) {
  EXPECT_TRUE(complete(app_, {"plan", "--cluster", "man"}).is_file);
  EXPECT_FALSE(complete(app_, {"plan", ""}).is_file);
}

TEST_F(CompletionTest, AsksForNamesByTheirType) {
  Words asked;
  const NameSource names = [&](const std::string& type) {
    asked.push_back(type);
    return Words{"train", "other"};
  };
  EXPECT_EQ(of({"why", "t"}, names), (Words{"train"}));
  EXPECT_EQ(asked, (Words{"JOB"}));
  EXPECT_EQ(of({"why", "train", ""}, names), Words{});
}

TEST_F(CompletionTest, LinesAreCobras) {
  EXPECT_EQ(completion_lines(complete(app_, {"pl"})), "plan\tPlans.\n:4\n");
  EXPECT_EQ(completion_lines(complete(app_, {"plan", "--cluster", ""})), ":0\n");
}

TEST_F(CompletionTest, ScriptsAreForThreeShells) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const auto script = completion_script(shell, "berth");
    ASSERT_TRUE(script) << shell;
    EXPECT_NE(script->find("kubectl-berth"), std::string::npos);
    EXPECT_EQ(script->find("PROGRAM"), std::string::npos);
  }
  EXPECT_FALSE(completion_script("ksh", "berth"));
}

}  // namespace
}  // namespace berth::cli
