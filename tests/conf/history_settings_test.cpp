#include <gtest/gtest.h>

#include <string>

#include "conf/sections.h"

namespace berth::conf::history_settings_test {
namespace {

std::string error_of(const std::string& section) {
  const auto config = with_sections("history: " + section + "\n");
  return config ? "" : config.error().to_string();
}

TEST(HistorySettings, NothingIsRecordedUnlessADirectoryIsNamed) {
  EXPECT_EQ(with_sections("")->history.directory, "");
  const auto config = with_sections("history: {directory: /var/lib/berth}\n");
  ASSERT_TRUE(config) << config.error().to_string();
  EXPECT_EQ(config->history.directory, "/var/lib/berth");
  EXPECT_EQ(config->history.bytes, 256U << 20);
}

TEST(HistorySettings, TheSizeIsAnAmount) {
  EXPECT_EQ(with_sections("history: {directory: d, size: 2Gi}\n")->history.bytes, 2U << 30);
  EXPECT_EQ(with_sections("history: {directory: d, size: 5000000}\n")->history.bytes, 5'000'000U);
  EXPECT_EQ(error_of("{directory: d, size: 4Ki}"),
            "c.yaml:3:31: history.size: \"4Ki\" is no amount from 4Mi to 1Ti");
  EXPECT_NE(error_of("{directory: d, size: 2Ti}"), "");
  EXPECT_NE(error_of("{directory: d, size: large}"), "");
}

TEST(HistorySettings, TheDirectoryIsRequired) {
  EXPECT_EQ(error_of("{size: 4Mi}"),
            "c.yaml:3:10: history: `directory` is missing, expected a path");
  EXPECT_NE(error_of("{directory: d, files: 3}").find("files"), std::string::npos);
}

}  // namespace
}  // namespace berth::conf::history_settings_test
