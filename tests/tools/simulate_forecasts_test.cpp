#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/checkout.h"
#include "tools/berth_process.h"

namespace berth::tools::simulate_forecasts_test {
namespace {

using nlohmann::json;

constexpr int kJobs = 200;

// On ten nodes: a user's jobs take half an hour each, of a limit of four hours, and come every
// minute, so that nearly all wait.
std::string trace() {
  std::string text = "; MaxNodes: 10\n";
  for (int i = 1; i <= kJobs; ++i) {
    text += std::to_string(i) + " " + std::to_string(60 * i) + " -1 " +
            std::to_string(1800 + i % 7) + " 2 -1 -1 2 14400 -1 1 7 1 -1 1 -1 -1 -1\n";
  }
  return text;
}

Outcome simulate(const std::vector<std::string>& more) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("t.swf", trace());
  std::vector<std::string> words{
      "simulate",      "--trace",  file,
      "--nodes",       "10",       "--node",
      "cpu=1,pods=10", "--config", support::source_file("config/examples/easy.yaml")};
  words.insert(words.end(), more.begin(), more.end());
  return run_program(words);
}

TEST(SimulateForecasts, AreComparedWithWhatCame) {
  const Outcome outcome = simulate({"--forecasts", "-o", "json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json forecasts = json::parse(outcome.out)["runs"][0]["forecasts"];
  const int waited = forecasts["waited"];
  EXPECT_GT(waited, kJobs / 2);
  EXPECT_EQ(forecasts["byLimits"]["known"], waited);
  EXPECT_EQ(forecasts["byLearned"]["known"], waited);
  // Runs that are alike are known to the second, limits are eight times too long.
  EXPECT_LT(10 * forecasts["byLearned"]["medianError"].get<double>(),
            forecasts["byLimits"]["medianError"].get<double>());
  EXPECT_GT(10 * forecasts["insideLikely"].get<int>(), 6 * waited);
  EXPECT_EQ(forecasts["brokenPromises"], 0);
}

TEST(SimulateForecasts, AreInTheTable) {
  const Outcome outcome = simulate({"--forecasts", "-o", "table"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("median error by learned times"), std::string::npos);
}

TEST(SimulateForecasts, AreMadeOnlyIfAsked) {
  const Outcome outcome = simulate({"-o", "json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_FALSE(json::parse(outcome.out)["runs"][0].contains("forecasts"));
}

// The sessions are the same.
TEST(SimulateForecasts, ChangeNoStart) {
  const json with = json::parse(simulate({"--forecasts", "-o", "json"}).out)["runs"][0]["jobs"];
  const json without = json::parse(simulate({"-o", "json"}).out)["runs"][0]["jobs"];
  EXPECT_EQ(with, without);
}

}  // namespace
}  // namespace berth::tools::simulate_forecasts_test
