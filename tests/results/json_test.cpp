#include "results/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "results/odd_words.h"
#include "results/sample.h"

namespace berth::results {
namespace {

using Json = nlohmann::json;

Json document_of(RunResult run) {
  const std::vector<JudgedRun> runs{judged(std::move(run))};
  return Json::parse(json_text(runs));
}

TEST(ResultJson, RESULT11HasRunsWithMeasuresAndJobs) {
  RunResult run = three_jobs();
  run.node_names = {"n0", "n1"};
  run.jobs[0].user = "anna";
  run.jobs[0].nodes = {{1, 0.5}, {7, 1}};
  run.jobs[0].earlier_runs = {{0, 1}};
  run.jobs.push_back({.id = "d", .submit = 1.5, .limit = 60});
  const Json document = document_of(std::move(run));
  EXPECT_EQ(document["apiVersion"], "berth.dev/v1");
  EXPECT_EQ(document["kind"], "Simulation");
  ASSERT_EQ(document["runs"].size(), 1U);
  const Json& its = document["runs"][0];
  EXPECT_EQ(its["config"], "easy");
  EXPECT_EQ(its["nodes"], 4);
  EXPECT_EQ(its["measures"]["neverStarted"], 1);
  EXPECT_EQ(its["measures"]["wait"]["median"], 90);
  EXPECT_EQ(its["measures"]["bySize"][1]["upTo"], 4);
  ASSERT_EQ(its["jobs"].size(), 4U);
  const Json& first = its["jobs"][0];
  EXPECT_EQ(first["user"], "anna");
  EXPECT_EQ(first["nodes"], Json::parse(R"([{"node":"n1","share":0.5},{"node":7,"share":1}])"));
  EXPECT_EQ(first["earlierRuns"], Json::parse(R"([{"start":0,"end":1}])"));
  const Json& last = its["jobs"][3];
  EXPECT_TRUE(last["start"].is_null());
  EXPECT_TRUE(last["end"].is_null());
  EXPECT_FALSE(last.contains("nodes"));
}

TEST(ResultJson, RESULT16HasForecastsIfThereAreSome) {
  RunResult run = three_jobs();
  EXPECT_FALSE(document_of(run)["runs"][0].contains("forecasts"));
  run.forecasts = Forecasts{.waited = 3, .by_limits = {3, 60, 90, 1}, .inside = 2, .promises = 1};
  const Json forecasts = document_of(std::move(run))["runs"][0]["forecasts"];
  EXPECT_EQ(forecasts["waited"], 3);
  EXPECT_EQ(forecasts["byLimits"],
            Json::parse(R"({"known":3,"medianError":60,"p90Error":90,"later":1})"));
  EXPECT_EQ(forecasts["insideLikely"], 2);
  EXPECT_EQ(forecasts["promises"], 1);
}

TEST(ResultJson, RESULT11WholeNumbersHaveNoPoint) {
  RunResult run = three_jobs();
  run.jobs[0].submit = 1.5;
  const std::vector<JudgedRun> runs{judged(std::move(run))};
  const std::string text = json_text(runs);
  EXPECT_NE(text.find(R"("id":"a","user":"","queue":"","submit":1.5,"start":0,"end":100,)"),
            std::string::npos)
      << text;
}

TEST(ResultJson, RESULT11JobsAreLines) {
  const std::vector<JudgedRun> runs{judged(three_jobs()), judged(three_jobs())};
  const std::string text = json_text(runs);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 2 * 5);
}

TEST(ResultJson, RESULT1OddInputsAreJsonWithoutOddNumbers) {
  std::vector<JudgedRun> runs;
  for (RunResult& run : odd_runs()) runs.push_back(judged(std::move(run)));
  const std::string text = json_text(runs);
  EXPECT_EQ(odd_word_in(text), "");
  EXPECT_EQ(Json::parse(text)["runs"].size(), runs.size());
  EXPECT_EQ(Json::parse(json_text({}))["runs"], Json::array());
}

TEST(ResultJson, NamesMayHaveAnyBytes) {
  RunResult run = three_jobs();
  run.name = "\xff\"\\\n";
  run.jobs[0].id = std::string("a\0b\xc3", 4);
  const Json document = document_of(std::move(run));
  EXPECT_EQ(document["runs"][0]["config"], "\xEF\xBF\xBD\"\\\n");
}

}  // namespace
}  // namespace berth::results
