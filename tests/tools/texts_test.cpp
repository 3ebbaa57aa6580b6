#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "support/checkout.h"
#include "tools/berth_process.h"

// Completion and manual pages, read by the shells and formatters that are for them.

namespace berth::tools {
namespace {

bool is_installed(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

Outcome run_shell(const std::string& shell, const std::vector<std::string>& arguments) {
  return run_program(arguments, "/dev/null", shell);
}

// The words that bash would offer for this line.
std::string offered(const std::string& line) {
  const std::string directory = support::built_file("");
  const std::string script = "PATH=" + directory +
                             ":$PATH; source <(berth completion bash); COMP_LINE='" + line +
                             "'; COMP_POINT=${#COMP_LINE}; _berth_complete; "
                             "printf '%s\\n' \"${COMPREPLY[@]}\"";
  const Outcome outcome = run_shell("/bin/bash", {"--norc", "-c", script});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return outcome.out;
}

TEST(Texts, BashCompletesByAskingTheProgram) {
  EXPECT_EQ(offered("berth pl"), "plan\n");
  EXPECT_EQ(offered("berth plan --cl"), "--cluster\n");
  EXPECT_EQ(offered("berth fits --co"), "--config\n");
  EXPECT_EQ(offered("berth jobs -o "), "table\nwide\njson\n");
  EXPECT_EQ(offered("berth jobs --output=w"), "wide\n");
  EXPECT_EQ(offered("berth completion z"), "zsh\n");
  EXPECT_EQ(offered("berth secret"), "\n");
}

TEST(Texts, KubectlAsksTheSameWay) {
  const Outcome outcome = run_program({"__complete", "res"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(
      outcome.out,
      "reservations\tShows the jobs that nodes are kept for, these nodes, and the cost.\n:4\n");
}

TEST(Texts, TheScriptsPassTheirShells) {
  const TemporaryDirectory directory;
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const std::string file = directory.write(shell, run_program({"completion", shell}).out);
    if (shell != "bash" && !is_installed(shell)) continue;
    const Outcome outcome = run_shell("/usr/bin/env", {shell, "-n", file});
    EXPECT_EQ(outcome.exit_code, 0) << shell << ": " << outcome.err;
    EXPECT_EQ(outcome.err, "");
  }
}

TEST(Texts, ThePagesPassGroff) {
  const TemporaryDirectory directory;
  for (const std::string command :
       {"", "why", "jobs", "queues", "plan", "simulate", "when", "fits", "reservations", "topology",
        "config", "completion", "version"}) {
    std::vector<std::string> words{"man"};
    if (!command.empty()) words.push_back(command);
    const Outcome page = run_program(words);
    EXPECT_EQ(page.exit_code, 0) << command;
    const std::string file = directory.write("berth-" + command + ".1", page.out);
    const Outcome groff =
        run_shell("/usr/bin/env", {"groff", "-man", "-ww", "-Tutf8", "-P-cbou", file});
    EXPECT_EQ(groff.exit_code, 0) << groff.err;
    EXPECT_EQ(groff.err, "") << command;
    EXPECT_NE(groff.out.find("SYNOPSIS"), std::string::npos) << groff.out;
    EXPECT_NE(groff.out.find(command.empty() ? "COMMANDS" : "OPTIONS"), std::string::npos);
  }
}

}  // namespace
}  // namespace berth::tools
