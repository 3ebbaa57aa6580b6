#include "telemetry/log.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace berth::telemetry {
namespace {

// The lines that `message` becomes.
std::vector<std::string> logged(const LogOptions& options, Level level,
                                const std::string& message) {
  testing::internal::CaptureStderr();
  set_up_log(options);
  log(level, message);
  std::istringstream text(testing::internal::GetCapturedStderr());
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

TEST(Log, AJsonLineIsOneObjectWhateverIsInTheMessage) {
  const std::pair<std::string, std::string> cases[] = {
      {"plain", "plain"},
      {R"(quotes " and \ and {} and %v)", R"(quotes " and \ and {} and %v)"},
      {"two\nlines\tand a bell\a", "two\nlines\tand a bell\a"},
      {std::string("a zero \0 within", 15), std::string("a zero \0 within", 15)},
      {"caf\xc3\xa9", "caf\xc3\xa9"},
      {"not UTF-8: \xff.", "not UTF-8: \xef\xbf\xbd."},
      {"", ""},
  };
  for (const auto& [message, expected] : cases) {
    const auto lines = logged({.is_json = true}, Level::warning, message);
    ASSERT_EQ(lines.size(), 1u) << message;
    const auto line = nlohmann::json::parse(lines[0], nullptr, false);
    ASSERT_TRUE(line.is_object()) << lines[0];
    EXPECT_EQ(line.size(), 3u);
    EXPECT_EQ(line["message"], expected);
    EXPECT_EQ(line["level"], "warning");
    EXPECT_EQ(line["time"].get<std::string>().substr(10, 1), "T") << lines[0];
  }
}

TEST(Log, ATextLineEndsWithTheMessage) {
  const auto lines = logged({}, Level::info, "job \"a\" {} waits");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find(" info "), std::string::npos) << lines[0];
  EXPECT_TRUE(lines[0].ends_with(" job \"a\" {} waits")) << lines[0];
}

TEST(Log, ATextLineIsOneLineWhateverIsInTheMessage) {
  const auto lines = logged({}, Level::info, "a\nb\x1b[2J");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(
      lines[0].ends_with(" a\xEF\xBF\xBD"
                         "b\xEF\xBF\xBD[2J"))
      << lines[0];
}

TEST(Log, WhatIsBelowTheLevelIsNotWritten) {
  EXPECT_TRUE(logged({}, Level::debug, "details").empty());
  EXPECT_EQ(logged({.least = Level::debug}, Level::debug, "details").size(), 1u);
  EXPECT_TRUE(logged({.least = Level::error}, Level::warning, "careful").empty());
}

TEST(Log, WhatWasLoggedAsynchronouslyIsWrittenInTheEnd) {
  testing::internal::CaptureStderr();
  set_up_log({.is_asynchronous = true});
  for (int i = 0; i < 1000; ++i) log(Level::info, "line " + std::to_string(i));
  finish_log();
  log(Level::info, "afterwards");
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find(" line 999\n"), std::string::npos);
  EXPECT_LT(text.find(" line 0\n"), text.find(" line 999\n"));
  EXPECT_LT(text.find(" line 999\n"), text.find(" afterwards\n"));
}

}  // namespace
}  // namespace berth::telemetry
