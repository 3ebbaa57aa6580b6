#include "results/table.h"

#include <gtest/gtest.h>

#include <sstream>

#include "results/odd_words.h"
#include "results/sample.h"

namespace berth::results {
namespace {

std::vector<JudgedRun> two_runs() {
  RunResult other = three_jobs();
  other.name = "config/with-a-long-name.yaml, lock=cluster";
  std::vector<JudgedRun> runs;
  runs.push_back(judged(three_jobs()));
  runs.push_back(judged(std::move(other)));
  return runs;
}

std::size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) {
    while (line.find("…") != std::string::npos) line.replace(line.find("…"), 3, ".");
    longest = std::max(longest, line.size());
  }
  return longest;
}

TEST(ResultTable, RESULT14HasAColumnForEachRunAndARowForEachMeasure) {
  const std::string text = table_text(two_runs());
  EXPECT_TRUE(text.starts_with(std::string(24, ' '))) << text;
  EXPECT_NE(text.find("  config/\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" easy            lock=cluster\nJobs\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nWait\n  mean "), std::string::npos) << text;
  EXPECT_NE(text.find(" 1m20s "), std::string::npos) << text;
  EXPECT_NE(text.find("  over 2, up to 4 nodes "), std::string::npos) << text;
  EXPECT_EQ(text.find(" \n"), std::string::npos);
}

TEST(ResultTable, RESULT14RunsThatDoNotFitFollowBelow) {
  const std::string wide = table_text(two_runs(), {.width = 80});
  const std::string narrow = table_text(two_runs(), {.width = 50});
  EXPECT_LE(longest_line(wide), 80U);
  EXPECT_LE(longest_line(narrow), 50U);
  EXPECT_EQ(wide.find("\n\n"), std::string::npos);
  EXPECT_NE(narrow.find("\n\n"), std::string::npos) << narrow;
}

TEST(ResultTable, RESULT14ALongNameHasSeveralLines) {
  RunResult run = three_jobs();
  run.name = std::string(200, 'x');
  const std::vector<JudgedRun> runs{judged(std::move(run))};
  const std::string text = table_text(runs);
  EXPECT_LE(longest_line(text), 60U);
  EXPECT_NE(text.find("xxx…\nJobs\n"), std::string::npos) << text;
}

TEST(ResultTable, HeadingsAreBoldOnlyWhenAskedTo) {
  EXPECT_EQ(table_text(two_runs()).find('\x1b'), std::string::npos);
  EXPECT_NE(table_text(two_runs(), {.bold_headings = true}).find("\x1b[1mWait\x1b[0m\n"),
            std::string::npos);
}

TEST(ResultTable, NoNameSteersTheTerminal) {
  RunResult run = three_jobs();
  run.name = "a\x1b[2J\nb";
  for (JobResult& job : run.jobs) job.user = job.id + "\x1b[2J";
  const std::vector<JudgedRun> runs{judged(std::move(run))};
  EXPECT_EQ(table_text(runs).find('\x1b'), std::string::npos);
}

TEST(ResultTable, RESULT1OddInputsHaveNoOddNumbers) {
  std::vector<JudgedRun> runs;
  for (RunResult& run : odd_runs()) runs.push_back(judged(std::move(run)));
  EXPECT_EQ(odd_word_in(table_text(runs)), "");
  EXPECT_EQ(table_text({}), "");
}

}  // namespace
}  // namespace berth::results
