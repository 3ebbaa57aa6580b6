#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <map>

#include "daemon/berthd_process.h"
#include "daemon/manifests.h"
#include "daemon/temporary_directory.h"
#include "history/reader.h"

namespace berth::daemon {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLost = "berth_history_entries_total{outcome=\"dropped\"}";

// berthd on two nodes of four processors that records what happens.
class AppHistory : public testing::Test {
 protected:
  static constexpr int kNodes = 2;

  void start(const std::string& manifests, const std::string& history,
             const std::vector<std::string>& more = {}) {
    config_ = directory_.write("berth.yaml",
                               "actions: \"enqueue, allocate\"\n"
                               "tiers: [{plugins: [{name: gang}, {name: predicates}]}]\n"
                               "schedulePeriod: 100ms\n"
                               "history: {directory: " +
                                   history + ", size: 4Mi}\n");
    const std::string file = directory_.write("all.yaml", nodes_yaml(kNodes, 4) + manifests);
    std::vector<std::string> words{"--embedded", file, "--config", config_, "--speed", "10"};
    words.insert(words.end(), more.begin(), more.end());
    berthd_ = std::make_unique<BerthdProcess>(words);
  }

  std::string history() const { return directory_.file("history"); }

  std::map<std::string, history::RecordedJob> jobs() const {
    std::map<std::string, history::RecordedJob> jobs;
    const auto recording = history::read_recording(history());
    if (!recording) return jobs;  // there is none yet
    for (const history::RecordedJob& job : recording->jobs) jobs.emplace(job.name, job);
    return jobs;
  }

  TemporaryDirectory directory_;
  std::string config_;
  std::unique_ptr<BerthdProcess> berthd_;
};

TEST_F(AppHistory, WhatRanAndWhatWaitsIsThereAtTheEnd) {
  start(
      gang_yaml("ends", 2, 1000, "20s") + gang_yaml("stays", 2, 1000) + gang_yaml("large", 9, 1000),
      history());
  ASSERT_TRUE(berthd_->says("job ml/ends is Completed")) << berthd_->printed();
  ASSERT_TRUE(berthd_->says("job ml/stays is Running")) << berthd_->printed();
  berthd_->send_signal(SIGTERM);
  EXPECT_EQ(berthd_->exit_code(), 0);
  const auto recorded = jobs();
  ASSERT_EQ(recorded.size(), 3U);
  const history::RecordedJob& ends = recorded.at("ml/ends");
  ASSERT_TRUE(ends.started && ends.ended);
  EXPECT_GE(*ends.ended - *ends.started, std::chrono::seconds(19));
  EXPECT_LT(*ends.ended - *ends.started, std::chrono::seconds(120));
  EXPECT_EQ(ends.minimum, 2);
  EXPECT_EQ(ends.pods.at(0).count, 2);
  EXPECT_EQ(ends.pods.at(0).request, (NamedAmounts{{"cpu", 1000}}));
  EXPECT_TRUE(recorded.at("ml/stays").started);
  EXPECT_FALSE(recorded.at("ml/stays").ended);
  EXPECT_FALSE(recorded.at("ml/large").started);
  EXPECT_EQ(recorded.at("ml/large").pods.at(0).count, 9);
  const history::Recording recording = history::read_recording(history()).value();
  EXPECT_EQ(recording.nodes.size(), 2U);
  EXPECT_EQ(recording.nodes[0].allocatable.at("cpu"), 4000);
}

// HISTORY-9
TEST_F(AppHistory, AKilledBerthdLosesSecondsAtMost) {
  start(gang_yaml("stays", 2, 1000), history());
  ASSERT_TRUE(berthd_->eventually([&] { return jobs().contains("ml/stays"); }))
      << berthd_->printed();
  berthd_->send_signal(SIGKILL);
  EXPECT_EQ(berthd_->exit_code(), -1);
  EXPECT_EQ(jobs().size(), 1U);
  // The next one writes files of its own.
  start(gang_yaml("stays", 2, 1000) + gang_yaml("next", 1, 1000), history());
  ASSERT_TRUE(berthd_->eventually([&] { return jobs().contains("ml/next"); }));
  berthd_->send_signal(SIGTERM);
  EXPECT_EQ(berthd_->exit_code(), 0);
  const auto files = std::distance(fs::directory_iterator(history()), fs::directory_iterator());
  EXPECT_EQ(files, 2);
}

// HISTORY-7
TEST_F(AppHistory, ADirectoryThatCannotBeWrittenHoldsNobodyUp) {
  const std::string file = directory_.write("file", "");
  start(gang_yaml("g", 2, 1000), file + "/history");
  ASSERT_TRUE(berthd_->says("job ml/g is Running")) << berthd_->printed();
  ASSERT_TRUE(berthd_->says("the history loses entries: " + file + "/history: cannot be made"))
      << berthd_->printed();
  EXPECT_TRUE(berthd_->eventually([&] { return berthd_->metric(kLost) >= 3; }));
  EXPECT_EQ(berthd_->get("/readyz").status, 200);
  EXPECT_EQ(berthd_->count_of_lines("the history loses entries"), 1U);
}

}  // namespace
}  // namespace berth::daemon
