#include "results/html.h"

#include <gtest/gtest.h>

#include "results/gantt.h"
#include "results/markup.h"
#include "results/odd_words.h"
#include "results/sample.h"

namespace berth::results {
namespace {

std::vector<JudgedRun> judged_runs(std::vector<RunResult> runs) {
  std::vector<JudgedRun> all;
  for (RunResult& run : runs) all.push_back(judged(std::move(run)));
  return all;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

// Each tag that opens and has content is closed, in order.
void expect_well_formed(const std::string& page) {
  static const std::vector<std::string> kEmpty{"meta", "!DOCTYPE"};
  std::vector<std::string> open;
  for (std::size_t at = page.find('<'); at != std::string::npos; at = page.find('<', at + 1)) {
    const std::size_t end = page.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = page.substr(at + 1, page.find_first_of(" >\n", at) - at - 1);
    if (tag.starts_with("/")) {
      ASSERT_FALSE(open.empty());
      ASSERT_EQ(open.back(), tag.substr(1));
      open.pop_back();
    } else if (page[end - 1] != '/' &&
               std::find(kEmpty.begin(), kEmpty.end(), tag) == kEmpty.end()) {
      open.push_back(tag);
    }
  }
  EXPECT_TRUE(open.empty());
}

TEST(ResultPage, RESULT12HasATableAndChartsWithNames) {
  RunResult other = three_jobs();
  other.name = "fair";
  RunResult run = three_jobs();
  run.jobs[0].nodes = {{0, 1}, {1, 1}, {2, 1}, {3, 1}};
  const std::string page = html_text(judged_runs({run, other}));
  expect_well_formed(page);
  EXPECT_NE(page.find("2 runs of 3 jobs on 4 nodes."), std::string::npos);
  for (const char* title : {"Utilisation over time", "Waiting jobs over time", "Bounded slowdown",
                            "Mean wait by size", "Mean wait by run time", "Lost work"}) {
    EXPECT_NE(page.find("<h3>" + std::string(title) + "</h3>"), std::string::npos) << title;
  }
  EXPECT_EQ(count_of(page, "<svg "), count_of(page, "role=\"img\" aria-label=\""));
  EXPECT_NE(page.find("Means of easy: 85.0 %; fair: 85.0 %\""), std::string::npos);
  EXPECT_NE(page.find("<h3>fair</h3><p>The run does not say on which nodes jobs ran.</p>"),
            std::string::npos);
}

TEST(ResultPage, RESULT12LoadsNothingAndRunsNoScript) {
  const std::string page = html_text(judged_runs({three_jobs()}));
  for (const char* part : {"<script", "http://", "https://", "url(", "@import", "src=", "href="}) {
    EXPECT_EQ(page.find(part), std::string::npos) << part;
  }
  EXPECT_NE(page.find("content=\"default-src 'none'"), std::string::npos);
}

TEST(ResultPage, RESULT12NamesAreEscaped) {
  const std::string hostile = "\"'><script>alert(1)</script>&\x1b\n\xff";
  RunResult run = three_jobs();
  run.name = hostile;
  run.node_names = {hostile, hostile};
  for (std::size_t i = 0; i < run.jobs.size(); ++i) {
    run.jobs[i].id = run.jobs[i].queue = hostile;
    run.jobs[i].user = hostile + std::to_string(i);
    run.jobs[i].nodes = {{static_cast<std::int32_t>(i), 1}};
    run.jobs[i].lost = 1'000;
  }
  const std::string page = html_text(judged_runs({run, run}));
  expect_well_formed(page);
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find('\x1b'), std::string::npos);
  EXPECT_EQ(page.find('\xff'), std::string::npos);
  EXPECT_NE(page.find("&quot;&#39;&gt;&lt;script&gt;"), std::string::npos);
  EXPECT_EQ(escaped("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
  EXPECT_EQ(escaped("abcdef", 3), "abc...");
}

TEST(ResultPage, RESULT1OddInputsHaveNoOddNumbers) {
  const std::vector<JudgedRun> runs = judged_runs(odd_runs());
  const std::string together = html_text(runs);
  expect_well_formed(together);
  EXPECT_EQ(odd_word_in(together), "");
  for (const JudgedRun& run : runs) {
    const std::string page = html_text({&run, 1});
    expect_well_formed(page);
    EXPECT_EQ(odd_word_in(page), "");
  }
  expect_well_formed(html_text({}));
}

TEST(ResultPage, RESULT12IsUnderTwoMegabytesForLargeTraces) {
  RunResult run = run_by_chance(1, 20'000, 300);
  const JudgedRun usual = judged(run);
  const std::string page = html_text(std::vector<JudgedRun>(5, usual));
  EXPECT_LT(page.size(), 2'000'000U);
  EXPECT_NE(page.find("<title>job-"), std::string::npos);
  run.jobs.resize(5'000);
  for (JobResult& job : run.jobs) job.id = std::string(60, '&') + job.id;
  const JudgedRun hostile = judged(std::move(run));
  EXPECT_LT(html_text(std::vector<JudgedRun>(5, hostile)).size(), 2'000'000U);
}

RunResult with_places() {
  RunResult run = run_of(
      {ended("whole", 0, 0, 100, 3), ended("half", 0, 0, 50, 0.5), ended("other", 0, 10, 50, 0.5)},
      4);
  run.jobs[0].nodes = {{2, 1}, {0, 1}, {1, 1}};
  run.jobs[1].nodes = {{3, 0.5}};
  run.jobs[2].nodes = {{3, 0.5}};
  return run;
}

TEST(ResultGantt, RESULT13NeighboursAreOneRectangleAndSharesAreBesideEachOther) {
  const std::string chart = gantt_chart(judged(with_places()), {0, 100}, {});
  EXPECT_EQ(count_of(chart, "<path class=\"g"), 3U + 4U);  // with lines of the axis
  // Rows are 16 high and begin at 6; 980 for 100 s begin at 120.
  EXPECT_NE(chart.find("d=\"M120 6h980v48h-980z\"><title>whole: 0 s wait, 1m40s</title>"),
            std::string::npos)
      << chart;
  EXPECT_NE(chart.find("d=\"M120 54h490v8h-490z\"><title>half"), std::string::npos) << chart;
  EXPECT_NE(chart.find("d=\"M218 62h392v8h-392z\"><title>other"), std::string::npos) << chart;
}

TEST(ResultGantt, RESULT13SaysWhatIsLeftOut) {
  RunResult run = with_places();
  run.nodes = 1'000;
  const std::string chart = gantt_chart(judged(std::move(run)), {0, 100}, {.rectangles = 2});
  EXPECT_NE(chart.find("The first 200 of 1,000 nodes are shown. Of 3 rectangles, the 2 largest are "
                       "drawn; others look idle."),
            std::string::npos)
      << chart;
  EXPECT_EQ(chart.find("<title>other"), std::string::npos);
}

TEST(ResultGantt, RESULT13LongNamesAreLeftOutBeforeRectangles) {
  const std::string chart = gantt_chart(judged(with_places()), {0, 100}, {.bytes = 10});
  EXPECT_EQ(chart.find("<title>"), std::string::npos);
  EXPECT_NE(chart.find("M218 62h392v8h-392z\"/>"), std::string::npos) << chart;
}

}  // namespace
}  // namespace berth::results
