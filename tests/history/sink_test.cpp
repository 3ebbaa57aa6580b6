#include "history/sink.h"

#include <gtest/gtest.h>

#include <atomic>

#include "history/reader.h"
#include "history/samples.h"
#include "history/temporary_directory.h"

namespace berth::history::sink_test {
namespace {

constexpr std::uint64_t kBytes = 8 * 200'000;

Entry job(int number) {
  return {sample_job_line(sample_job("u" + std::to_string(number)), at(number)), "", false,
          at(number)};
}

// The fate of entries.
struct Outcome {
  Sink::Parts parts() {
    return {.log = [this](const std::string& line) { log.push_back(line); },
            .written = [this](std::uint64_t entries) { written += entries; },
            .dropped = [this](std::uint64_t entries) { dropped += entries; },
            .pause = std::chrono::milliseconds(1)};
  }
  std::vector<std::string> log;  // look after stop()
  std::atomic<std::uint64_t> written = 0, dropped = 0;
};

TEST(HistorySink, WritesAllBeforeItStops) {
  const TemporaryDirectory directory;
  Outcome outcome;
  Files files(directory.path(), kBytes, at(0));
  Sink sink(files, outcome.parts());
  for (int i = 0; i < 1'000; ++i) sink.put(job(i));
  sink.stop();
  EXPECT_EQ(outcome.written, 1'000U);
  EXPECT_EQ(outcome.dropped, 0U);
  EXPECT_TRUE(outcome.log.empty());
  EXPECT_EQ(read_recording(directory.path()).value().jobs.size(), 1'000U);
  sink.put(job(1'000));  // too late
  EXPECT_EQ(outcome.dropped, 1U);
}

// HISTORY-7
TEST(HistorySink, WhatCannotBeWrittenIsCountedAndOneLineSaysSo) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("file", "");
  Outcome outcome;
  Files files(file + "/history", kBytes, at(0));
  Sink sink(files, outcome.parts());
  for (int i = 0; i < 100; ++i) sink.put(job(i));
  sink.stop();
  EXPECT_EQ(outcome.written, 0U);
  EXPECT_EQ(outcome.dropped, 100U);
  EXPECT_EQ(outcome.log, std::vector<std::string>{"the history loses entries: " + file +
                                                  "/history: cannot be made: Not a directory"});
}

TEST(HistorySink, AnotherLineSaysWhenAllIsWellAgain) {
  const TemporaryDirectory directory;
  const std::string blocker = directory.write("here", "");
  Outcome outcome;
  Files files(blocker, kBytes, at(0));
  Sink sink(files, outcome.parts());
  sink.put(job(1));
  while (outcome.dropped == 0) std::this_thread::yield();
  std::filesystem::remove(blocker);
  while (outcome.written == 0) {
    sink.put(job(2));
    std::this_thread::yield();
  }
  sink.stop();
  ASSERT_EQ(outcome.log.size(), 2U);
  EXPECT_TRUE(outcome.log[1].starts_with("the history is recorded again")) << outcome.log[1];
}

// A disk that takes long must not hold anybody up.
TEST(HistorySink, AQueueThatIsFullTakesNoMore) {
  const TemporaryDirectory directory;
  Outcome outcome;
  Sink::Parts parts = outcome.parts();
  std::atomic<bool> is_slow = true;
  parts.bytes_most = 4'000;
  parts.written = [&](std::uint64_t entries) {
    outcome.written += entries;
    while (is_slow) std::this_thread::yield();
  };
  Files files(directory.path(), kBytes, at(0));
  Sink sink(files, parts);
  sink.put(job(0));
  while (outcome.written == 0) std::this_thread::yield();
  for (int i = 1; i < 100; ++i) sink.put(job(i));  // returns, though nothing is written
  EXPECT_GT(outcome.dropped, 80U);
  is_slow = false;
  sink.stop();
  EXPECT_EQ(outcome.written + outcome.dropped, 100U);
  EXPECT_EQ(outcome.log.front(),
            "the history loses entries: they come faster than they are written");
}

}  // namespace
}  // namespace berth::history::sink_test
