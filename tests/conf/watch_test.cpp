#include "conf/watch.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <vector>

namespace berth::conf {
namespace {

namespace fs = std::filesystem;

// A directory of its own, and the texts that the watch has reported.
class WatchTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "berth-watch-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override {
    watch_.reset();
    fs::remove_all(directory_);
  }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(directory_ / name, std::ios::binary) << text;
  }

  void start(const std::string& text) {
    auto watch = FileWatch::start(directory_ / "berth.yaml", text, [this](std::string report) {
      const std::lock_guard lock(mutex_);
      reports_.push_back(std::move(report));
      changed_.notify_all();
    });
    ASSERT_TRUE(watch.has_value()) << watch.error().to_string();
    watch_ = std::move(watch).value();
  }

  // Waits until `text` is the last report.
  bool is_reported(const std::string& text) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20),
                             [&] { return !reports_.empty() && reports_.back() == text; });
  }

  std::vector<std::string> reports() {
    const std::lock_guard lock(mutex_);
    return reports_;
  }

  fs::path directory_;
  std::unique_ptr<FileWatch> watch_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> reports_;
};

TEST_F(WatchTest, reports_a_file_that_is_written_in_place_or_renamed_over) {
  write("berth.yaml", "one");
  start("one");
  write("berth.yaml", "two");
  EXPECT_TRUE(is_reported("two"));
  write("berth.yaml.swp", "three");
  fs::rename(directory_ / "berth.yaml.swp", directory_ / "berth.yaml");
  EXPECT_TRUE(is_reported("three"));
}

TEST_F(WatchTest, sees_the_symlink_swap_of_a_mounted_config_map) {
  const auto publish = [this](const std::string& version, const std::string& text) {
    fs::create_directory(directory_ / version);
    write(version + "/berth.yaml", text);
    fs::create_directory_symlink(version, directory_ / "..data_tmp");
    fs::rename(directory_ / "..data_tmp", directory_ / "..data");
  };
  publish("..2026_01", "one");
  fs::create_symlink("..data/berth.yaml", directory_ / "berth.yaml");
  start("one");
  publish("..2026_02", "two");
  EXPECT_TRUE(is_reported("two"));
  fs::remove_all(directory_ / "..2026_01");
  publish("..2026_03", "three");
  EXPECT_TRUE(is_reported("three"));
}

TEST_F(WatchTest, keeps_quiet_while_the_file_is_gone_and_reports_when_it_is_back) {
  write("berth.yaml", "one");
  start("one");
  fs::remove(directory_ / "berth.yaml");
  write("berth.yaml", "two");
  EXPECT_TRUE(is_reported("two"));
  for (const std::string& text : reports()) EXPECT_FALSE(text == "one");
}

TEST_F(WatchTest, reports_each_content_once_and_not_the_known_one) {
  write("berth.yaml", "one");
  start("one");
  write("berth.yaml", "one");
  write("other.yaml", "noise");
  write("berth.yaml", "two");
  EXPECT_TRUE(is_reported("two"));
  write("berth.yaml", "two");
  write("berth.yaml", "three");
  EXPECT_TRUE(is_reported("three"));
  watch_->stop();
  int twos = 0;
  for (const std::string& text : reports()) {
    EXPECT_NE(text, "one");
    twos += text == "two" ? 1 : 0;
  }
  EXPECT_EQ(twos, 1);
}

TEST_F(WatchTest, reports_a_change_between_reading_and_watching) {
  write("berth.yaml", "newer");
  start("older");
  EXPECT_TRUE(is_reported("newer"));
}

TEST_F(WatchTest, reports_nothing_after_stop) {
  write("berth.yaml", "one");
  start("one");
  watch_->stop();
  watch_->stop();
  write("berth.yaml", "two");
  EXPECT_TRUE(reports().empty());
}

TEST_F(WatchTest, refuses_a_directory_that_is_not_there) {
  const auto watch = FileWatch::start(directory_ / "no" / "berth.yaml", "", [](std::string) {});
  ASSERT_FALSE(watch.has_value());
  EXPECT_NE(watch.error().message.find("No such file"), std::string::npos);
}

}  // namespace
}  // namespace berth::conf
