#include "forecast/run_times.h"

#include <gtest/gtest.h>

#include "forecast/runs.h"

namespace berth::forecast {
namespace {

using std::chrono::minutes;

RunTimes with(const RunKeys& keys, const std::vector<int>& runs) {
  RunTimes times;
  for (const int run : runs) times.learn(keys, minutes(run));
  return times;
}

TEST(RunTimes, ExpectsTheMedianOfTheClosestThatHasTwo) {  // RUNS-1, RUNS-3
  RunTimes times = with({"ns/etl/1", "ns/1", "q"}, {10, 30, 20});
  EXPECT_EQ(times.expect({"ns/etl/1", "ns/1", "q"}, {})->median, minutes(20));
  EXPECT_EQ(times.expect({"ns/new/1", "ns/1", "q"}, {})->level, 1U);
  EXPECT_EQ(times.expect({"x/new/1", "x/1", "q"}, {})->level, 2U);
  EXPECT_EQ(times.expect({"x/new/1", "x/1", "other"}, {}), std::nullopt);
  times.learn({"ns/new/1", "ns/1", "q"}, minutes(90));  // one is no history
  EXPECT_EQ(times.expect({"ns/new/1", "ns/1", "q"}, {})->level, 1U);
  times.learn({"ns/new/1", "ns/1", "q"}, minutes(70));
  EXPECT_EQ(times.expect({"ns/new/1", "ns/1", "q"}, {})->median, minutes(80));
}

TEST(RunTimes, CountsOnlyLongerRunsOfAJobThatRuns) {
  const RunTimes times = with({"a", "", ""}, {10, 20, 30, 60});
  EXPECT_EQ(times.expect({"a", "", ""}, minutes(25))->median, minutes(45));
  EXPECT_EQ(times.expect({"a", "", ""}, minutes(30))->median, minutes(60));
  EXPECT_EQ(times.expect({"a", "", ""}, minutes(60)), std::nullopt);
}

TEST(RunTimes, KeepsTheLastRunsOfTheKeysThatWereUsedLast) {  // RUNS-4
  RunTimes times;
  for (int i = 0; i < 40; ++i) times.learn({"a", "", ""}, minutes(i < 20 ? 1 : 9));
  EXPECT_EQ(times.expect({"a", "", ""}, {})->median, minutes(9));
  EXPECT_EQ(times.expect({"a", "", ""}, {})->runs, RunTimes::kRunsMost);
  for (std::size_t i = 0; i < RunTimes::kKeysMost; ++i) {
    times.learn({"k" + std::to_string(i), "", ""}, minutes(1));
  }
  EXPECT_EQ(times.size(), RunTimes::kKeysMost);
  EXPECT_EQ(times.expect({"a", "", ""}, {}), std::nullopt);
}

TEST(RunTimes, AreSavedAndRestored) {
  const RunTimes times = with({"ns/\"etl\"", "ns", "q"}, {10, 30});
  RunTimes restored = with({"old", "", ""}, {1, 1});
  ASSERT_TRUE(restored.restore(times.save(1'000'000)));
  EXPECT_EQ(restored.save(1'000'000), times.save(1'000'000));
  EXPECT_EQ(restored.expect({"old", "", ""}, {}), std::nullopt);
  EXPECT_EQ(restored.expect({"ns/\"etl\"", "", ""}, {})->median, minutes(20));
}

TEST(RunTimes, SaveNoMoreBytesThanAsked) {
  RunTimes times;
  for (int i = 0; i < 100; ++i) times.learn({"k" + std::to_string(i), "", ""}, minutes(1));
  EXPECT_LE(times.save(500).size(), 500U);
  RunTimes restored;
  ASSERT_TRUE(restored.restore(times.save(500)));
  EXPECT_GT(restored.size(), 0U);
  times.learn({"k99", "", ""}, minutes(1));
  times.learn({"k0", "", ""}, minutes(1));
  ASSERT_TRUE(restored.restore(times.save(120)));  // the one that was used last
  EXPECT_NE(restored.expect({"k0", "", ""}, {}), std::nullopt);
}

TEST(RunTimes, RefuseABadTextAndKeepWhatTheyHave) {
  RunTimes times = with({"a", "", ""}, {1, 1});
  for (const char* text :
       {"", "no", "[]", "{}", R"({"version":2,"runs":[]})", R"({"version":1,"runs":{}})",
        R"({"version":1,"runs":[1]})", R"({"version":1,"runs":[{"key":1,"seconds":[]}]})",
        R"({"version":1,"runs":[{"key":"a","seconds":[-1]}]})",
        R"({"version":1,"runs":[{"key":"a","seconds":["x"]}]})",
        R"({"version":1,"runs":[{"key":"a","seconds":[1e300]}]})"}) {
    EXPECT_FALSE(times.restore(text)) << text;
  }
  EXPECT_NE(times.expect({"a", "", ""}, {}), std::nullopt);
}

TEST(Templates, AreNamesWithoutWhatControllersAdd) {
  EXPECT_EQ(template_of("ns/etl-28391820"), "ns/etl");
  EXPECT_EQ(template_of("ns/etl-x7k2p"), "ns/etl");
  EXPECT_EQ(template_of("ns/etl-bcdfg"), "ns/etl");
  EXPECT_EQ(template_of("ns/etl-5d9f6c7b8-zzzzz"), "ns/etl");
  EXPECT_EQ(template_of("ns/train-large"), "ns/train-large");
  EXPECT_EQ(template_of("ns/podgroup-3f2a91c0-77aa-4c1e-9b1d-0123456789ab"), "ns/podgroup");
  EXPECT_EQ(template_of("ns/llama-7b"), "ns/llama-7b");
  EXPECT_EQ(template_of("ns/resnet-v2"), "ns/resnet-v2");
  EXPECT_EQ(template_of("ns/12345"), "ns/12345");
  EXPECT_EQ(template_of("ns/-1"), "ns/-1");
}

}  // namespace
}  // namespace berth::forecast
