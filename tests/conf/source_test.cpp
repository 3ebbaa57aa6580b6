#include "conf/source.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace berth::conf::source_test {
namespace {

const std::string kGood = "actions: allocate\ntiers: [{plugins: [{name: gang}]}]\n";
const std::string kOther = kGood + "defaultQueue: other\n";
const KnownNames kKnown{{"allocate"}, {"gang"}, {}};

class ConfigSourceTest : public testing::Test {
 protected:
  void SetUp() override {
    file_ = testing::TempDir() + "berth-source-" +
            testing::UnitTest::GetInstance()->current_test_info()->name() + ".yaml";
    std::ofstream(file_) << kGood;
  }
  void TearDown() override { std::filesystem::remove(file_); }

  std::string file_;
};

TEST_F(ConfigSourceTest, keeps_the_last_good_one_and_counts_the_bad) {
  const auto source = ConfigSource::open(file_, kKnown);
  ASSERT_TRUE(source.has_value()) << source.error().to_string();
  EXPECT_TRUE((*source)->offer(kOther).has_value());
  EXPECT_EQ((*source)->current()->default_queue, "other");
  EXPECT_FALSE((*source)->offer("").has_value());
  EXPECT_FALSE((*source)->offer("actions: [").has_value());
  EXPECT_EQ((*source)->bad_loads(), 2U);
  EXPECT_EQ((*source)->current()->default_queue, "other");
  EXPECT_EQ((*source)->current()->text, kOther);
  ASSERT_TRUE((*source)->last_error().has_value());
  EXPECT_TRUE((*source)->offer(kGood).has_value());
  EXPECT_FALSE((*source)->last_error().has_value());
  EXPECT_EQ((*source)->bad_loads(), 2U);
}

TEST_F(ConfigSourceTest, refuses_what_its_check_refuses) {
  const auto source = ConfigSource::open(file_, kKnown, [](const Config& config) -> Status {
    if (config.default_queue == "other") return Error{"not that queue", "there"};
    return Done{};
  });
  ASSERT_TRUE(source.has_value());
  EXPECT_FALSE((*source)->offer(kOther).has_value());
  EXPECT_EQ((*source)->last_error()->to_string(), "there: not that queue");
  EXPECT_EQ((*source)->current()->default_queue, "default");
}

TEST_F(ConfigSourceTest, does_not_open_without_a_good_file) {
  EXPECT_EQ(ConfigSource::open(file_ + ".no", kKnown).error().to_string(),
            file_ + ".no: cannot be read: No such file or directory");
  std::ofstream(file_) << "actions: 1\n";
  EXPECT_FALSE(ConfigSource::open(file_, kKnown).has_value());
}

TEST_F(ConfigSourceTest, is_read_by_many_while_one_writes) {
  const auto source = ConfigSource::open(file_, kKnown);
  ASSERT_TRUE(source.has_value());
  std::thread reader([&source] {
    for (int i = 0; i < 1000; ++i) {
      const std::string queue = (*source)->current()->default_queue;
      ASSERT_TRUE(queue == "default" || queue == "other");
      static_cast<void>((*source)->last_error());
    }
  });
  for (int i = 0; i < 50; ++i) {
    static_cast<void>((*source)->offer(i % 3 == 0 ? kOther : i % 3 == 1 ? kGood : "bad"));
  }
  reader.join();
  EXPECT_EQ((*source)->bad_loads(), 16U);
}

}  // namespace
}  // namespace berth::conf::source_test
