#include "daemon/configuration.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>

#include "conf/default_config.h"
#include "daemon/temporary_directory.h"

namespace berth::daemon {
namespace {

using Json = nlohmann::json;
using Names = std::vector<std::string>;

std::string config_with(const std::string& more) {
  return "actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: gang\n" + more;
}

class ConfigurationTest : public testing::Test {
 protected:
  void TearDown() override { configuration_.reset(); }

  void open(const std::string& text) {
    auto opened = Configuration::open(directory_.write("berth.yaml", text));
    ASSERT_TRUE(opened) << opened.error().to_string();
    configuration_ = std::move(*opened);
    configuration_->follow({[this](const conf::Config&) { note("adopted"); },
                            [this](const std::string& complaint) { note(complaint); }});
  }
  // Until that many callbacks have come.
  bool wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20),
                             [&] { return reported_.size() >= count; });
  }
  Names reported() {
    const std::lock_guard lock(mutex_);
    return reported_;
  }
  Json described() const { return Json::parse(configuration_->describe()); }

  TemporaryDirectory directory_;
  std::unique_ptr<Configuration> configuration_;

 private:
  void note(const std::string& what) {
    const std::lock_guard lock(mutex_);
    reported_.push_back(what);
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  Names reported_;
};

TEST_F(ConfigurationTest, TheBuiltInDefaultIsConfigBerthYaml) {
  auto opened = Configuration::open("");
  ASSERT_TRUE(opened) << opened.error().to_string();
  const Json text = Json::parse((*opened)->describe());
  EXPECT_EQ(text["source"], "built-in default");
  EXPECT_EQ(text["badLoads"], 0);
  EXPECT_TRUE(text["lastError"].is_null());
  EXPECT_EQ(text["effective"]["actions"], (Names{"elect", "enqueue", "reserve", "allocate",
                                                 "backfill", "reclaim", "cleanup", "preempt"}));
  EXPECT_EQ(text["effective"]["schedulerNames"], Names{"berth"});
  EXPECT_EQ(text["text"], conf::default_config_text());
}

TEST_F(ConfigurationTest, AFirstFileThatIsBadIsAnErrorWithItsPlace) {
  const std::string file = directory_.write("berth.yaml", config_with("nonsense: 1\n"));
  const auto opened = Configuration::open(file);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().to_string().find(file + ":5:1: "), std::string::npos)
      << opened.error().to_string();
  EXPECT_FALSE(Configuration::open(directory_.file("missing.yaml")));
}

TEST_F(ConfigurationTest, AFirstFileWithABadArgumentOfAPluginIsAnErrorToo) {
  const std::string file = directory_.write(
      "berth.yaml", config_with("  - name: overcommit\n    arguments: {overcommit-factr: 2}\n"));
  const auto opened = Configuration::open(file);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().to_string().find("overcommit-factr"), std::string::npos)
      << opened.error().to_string();
}

TEST_F(ConfigurationTest, AGoodChangeIsAdoptedAndShown) {
  open(config_with(""));
  const std::string text = config_with("  - name: priority\n");
  directory_.write("berth.yaml", text);
  ASSERT_TRUE(wait_for(1));
  EXPECT_EQ(reported(), Names{"adopted"});
  EXPECT_EQ(described()["effective"]["tiers"], Json::parse(R"([["gang", "priority"]])"));
  EXPECT_EQ(described()["text"], text);
  EXPECT_EQ(described()["waitingForRestart"], Names{});
}

TEST_F(ConfigurationTest, ABadChangeKeepsTheLastGoodOneAndIsCountedAndShown) {
  open(config_with(""));
  directory_.write("berth.yaml", "actions: \"enqueue, alocate\"\n");
  ASSERT_TRUE(wait_for(1));
  EXPECT_NE(reported()[0].find("alocate"), std::string::npos) << reported()[0];
  EXPECT_EQ(described()["badLoads"], 1);
  EXPECT_EQ(described()["lastError"], reported()[0]);
  EXPECT_EQ(described()["text"], config_with(""));
  EXPECT_EQ(described()["effective"]["actions"], (Names{"enqueue", "allocate"}));

  directory_.write("berth.yaml", config_with("  - name: priority\n"));
  ASSERT_TRUE(wait_for(2));
  EXPECT_EQ(reported()[1], "adopted");
  EXPECT_TRUE(described()["lastError"].is_null());
  EXPECT_EQ(described()["badLoads"], 1);
}

TEST_F(ConfigurationTest, AnEmptyFileIsABadOne) {
  open(config_with(""));
  directory_.write("berth.yaml", "");
  ASSERT_TRUE(wait_for(1));
  EXPECT_NE(reported()[0], "adopted");
  EXPECT_EQ(configuration_->current()->text, config_with(""));
}

TEST_F(ConfigurationTest, WhatOnlyARestartCanChangeIsNamed) {
  open(config_with(""));
  directory_.write("berth.yaml", config_with("schedulerNames: [volcano]\ndefaultQueue: q\n"
                                             "extender: {port: 9}\nbarrier: {timeout: 1s}\n"
                                             "permissions: {groupClass: none}\n"));
  ASSERT_TRUE(wait_for(1));
  const Names keys{"schedulerNames", "defaultQueue", "extender", "barrier", "permissions"};
  EXPECT_EQ(configuration_->waiting_for_restart(), keys);
  EXPECT_EQ(described()["waitingForRestart"], keys);
  EXPECT_EQ(described()["effective"]["schedulerNames"], Names{"berth"}) << "still in force";
}

TEST_F(ConfigurationTest, NoCallbackComesAfterUnfollow) {
  open(config_with(""));
  configuration_->unfollow();
  configuration_->unfollow();
  directory_.write("berth.yaml", config_with("  - name: priority\n"));
  EXPECT_EQ(reported(), Names{});
  EXPECT_EQ(configuration_->current()->text, config_with(""));
}

}  // namespace
}  // namespace berth::daemon
