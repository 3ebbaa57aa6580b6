#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/arguments.h"

namespace berth::cli {
namespace {

std::string error_of(std::vector<std::string> words) {
  CLI::App app("About", "berthd");
  app.allow_extras();
  std::string text;
  app.add_option("--config", text);
  std::reverse(words.begin(), words.end());
  app.parse(words);
  return argument_error(app);
}

TEST(Arguments, AnUnknownFlagGetsASuggestion) {
  EXPECT_EQ(error_of({"--conifg", "x"}),
            "--conifg: no such flag of berthd; did you mean \"--config\"?");
  EXPECT_EQ(error_of({"--what-is-this=1"}),
            "--what-is-this: no such flag of berthd; see berthd --help");
  EXPECT_EQ(error_of({"x"}), "\"x\" is one argument too many; see berthd --help");
  EXPECT_EQ(error_of({"--config", "x"}), "");
}

TEST(Arguments, HelpIsAWordToo) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(without_help_word({"help"}), (Words{"--help"}));
  EXPECT_EQ(without_help_word({"help", "plan"}), (Words{"plan", "--help"}));
  EXPECT_EQ(without_help_word({"plan", "help"}), (Words{"plan", "help"}));
  EXPECT_EQ(without_help_word({}), Words{});
}

TEST(Arguments, APluginIsCalledByKubectl) {
  EXPECT_EQ(program_name("/usr/bin/kubectl-berth", "berth"), "kubectl berth");
  EXPECT_EQ(program_name("./berth", "berth"), "berth");
}

}  // namespace
}  // namespace berth::cli
