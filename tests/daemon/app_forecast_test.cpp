#include <gtest/gtest.h>

#include <csignal>

#include "daemon/berthd_process.h"
#include "daemon/manifests.h"
#include "daemon/temporary_directory.h"
#include "views/start_document.h"

namespace berth::daemon {
namespace {

// berthd on one node of four processors. Ten seconds of the cluster are one.
class AppForecast : public testing::Test {
 protected:
  void start(const std::string& manifests, const std::string& forecast = "period: 100ms") {
    const std::string config = directory_.write(
        "berth.yaml",
        "actions: \"elect, enqueue, reserve, allocate, backfill\"\n"
        "configurations: [{name: backfill, arguments: {behind: easy}}]\n"
        "tiers: [{plugins: [{name: gang}, {name: reservation, arguments: {wait-duration: 2s}}, "
        "{name: predicates}]}]\n"
        "schedulePeriod: 100ms\n"
        "forecast: {" +
            forecast + "}\n");
    const std::string file = directory_.write("all.yaml", nodes_yaml(1, 4) + manifests);
    berthd_ = std::make_unique<BerthdProcess>(
        std::vector<std::string>{"--embedded", file, "--config", config, "--speed", "10"});
  }

  // As /starts says; without rows while it says nothing.
  views::StartTable starts() const {
    const http::Reply reply = berthd_->get("/starts");
    if (reply.status != 200) return {};
    const auto table = views::read_start_table(reply.body, "/starts");
    EXPECT_TRUE(table) << table.error().to_string();
    return table ? *table : views::StartTable();
  }

  TemporaryDirectory directory_;
  std::unique_ptr<BerthdProcess> berthd_;
};

// Its PodGroup states a limit.
std::string limited_gang(const std::string& name, int members, const std::string& run_time,
                         const std::string& limit) {
  std::string text = gang_yaml(name, members, 1000, run_time);
  text.replace(text.find("namespace: ml}"), 14,
               "namespace: ml, annotations: {berth.dev/time-limit: " + limit + "}}");
  return text;
}

TEST_F(AppForecast, ATargetStartsByItsPromise) {
  start(limited_gang("ahead", 3, "60s", "120s") + gang_yaml("big", 4, 1000, "10s"));
  ASSERT_TRUE(berthd_->eventually([&] {
    const views::StartTable table = starts();
    return table.rows.size() == 1 && table.rows[0].start.starts_by;
  })) << berthd_->printed();
  const views::StartTable table = starts();
  EXPECT_EQ(table.rows[0].job, "ml/big");
  EXPECT_TRUE(table.rows[0].start.likely_to);
  EXPECT_LE(*table.rows[0].start.likely_to, *table.rows[0].start.starts_by);
  EXPECT_EQ(table.accuracy.promises, 1);
  ASSERT_TRUE(berthd_->says("job ml/big is Running")) << berthd_->printed();
  ASSERT_TRUE(berthd_->eventually([&] { return starts().accuracy.jobs == 1; }));
  EXPECT_EQ(starts().accuracy.broken, 0);
  EXPECT_GE(berthd_->metric("berth_forecast_planning_seconds_count"), 1);
  EXPECT_EQ(berthd_->metric("berth_forecast_error_seconds_count"), 1);
  EXPECT_EQ(berthd_->metric("berth_forecast_promises_broken_total"), 0);
}

// START-3
TEST_F(AppForecast, ABrokenPromiseIsLogged) {
  start(limited_gang("ahead", 3, "100h", "30s") + gang_yaml("big", 4, 1000, "10s"));
  ASSERT_TRUE(berthd_->says("job ml/big was to start by ")) << berthd_->printed();
  EXPECT_TRUE(berthd_->has_printed("has run beyond its time limit since")) << berthd_->printed();
  EXPECT_GE(berthd_->metric("berth_forecast_promises_broken_total"), 1);
}

TEST_F(AppForecast, NobodyKnowsAStartBehindPodsThatNeverEnd) {
  start(gang_yaml("ahead", 3, 1000) + gang_yaml("big", 4, 1000, "10s"));
  ASSERT_TRUE(berthd_->eventually([&] { return starts().rows.size() == 1; }));
  const views::StartTable table = starts();
  EXPECT_FALSE(table.rows[0].planned);
  EXPECT_EQ(table.rows[0].start, WrittenStart());
}

TEST_F(AppForecast, RunTimesAreLearned) {
  std::string manifests;
  for (int i = 0; i < 5; ++i) {
    manifests += gang_yaml("etl-" + std::to_string(100 + i), 4, 1000, "20s");
  }
  start(manifests);
  ASSERT_TRUE(berthd_->eventually([&] {
    const views::StartTable table = starts();
    return table.learned_keys > 0 && !table.rows.empty() && table.rows[0].planned;
  })) << berthd_->printed();
}

TEST_F(AppForecast, ThePageIsNotThereWithoutForecasts) {
  start(gang_yaml("ahead", 3, 1000), "period: 0s");
  ASSERT_TRUE(berthd_->says("job ml/ahead is Running")) << berthd_->printed();
  const http::Reply reply = berthd_->get("/starts");
  EXPECT_EQ(reply.status, 503);
  EXPECT_NE(reply.body.find("forecast.period is 0s"), std::string::npos) << reply.body;
}

// A plan that takes long must not hold up the end of berthd.
TEST_F(AppForecast, ItEndsWhilePlanning) {
  std::string manifests = limited_gang("ahead", 3, "60s", "120s");
  for (int i = 0; i < 50; ++i) manifests += gang_yaml("w" + std::to_string(i), 2, 1000, "60s");
  start(manifests);
  ASSERT_TRUE(berthd_->eventually([&] { return !starts().rows.empty(); }));
  berthd_->send_signal(SIGTERM);
  EXPECT_EQ(berthd_->exit_code(), 0);
}

}  // namespace
}  // namespace berth::daemon
