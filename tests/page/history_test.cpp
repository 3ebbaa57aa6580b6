#include "page/history.h"

#include <gtest/gtest.h>

#include "page/texts.h"

namespace berth::page::history_test {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

class HistoryTest : public testing::Test {
 protected:
  void session(Duration at, std::vector<Duration> waits = {}) {
    SessionRecord record;
    record.at = TimePoint(at);
    record.took = std::chrono::milliseconds(2);
    record.binds = 3;
    record.actions = {{"allocate", std::chrono::milliseconds(1)}};
    record.waits = std::move(waits);
    history_.add(record);
  }
  void use(Duration at, std::int64_t cpu, int queues = 1) {
    UseSample sample{{"cpu"}, {cpu * queues}, {}};
    for (int q = 0; q < queues; ++q) {
      sample.queues.emplace_back("q" + std::to_string(q), UseSample::Parts{cpu - q});
    }
    history_.add(TimePoint(at), std::move(sample));
  }
  std::vector<Span> spans(Duration length) const {
    std::vector<Span> found;
    for (const Span& span : history_.since(0).spans) {
      if (span.length == length) found.push_back(span);
    }
    return found;
  }

  History history_;
};

TEST_F(HistoryTest, PAGE6_ATenIsTheSumOfItsMinutes) {
  for (int s = 0; s < 1'200; s += 7) session(seconds(s), {seconds(s)});
  std::size_t binds = 0, started = 0;
  for (const Span& minute : spans(minutes(1))) {
    if (minute.begin >= TimePoint(minutes(10))) continue;
    binds += minute.binds;
    started += minute.started;
  }
  const Span ten = spans(minutes(10)).front();
  EXPECT_EQ(ten.begin, TimePoint());
  EXPECT_EQ(ten.binds, binds);
  EXPECT_EQ(ten.started, started);
  EXPECT_EQ(ten.actions.at("allocate"), ten.sessions * std::chrono::milliseconds(1));
}

TEST_F(HistoryTest, PAGE6_HasADayAndNoMore) {
  for (int m = 0; m < 3 * 24 * 60; ++m) session(minutes(m));
  EXPECT_EQ(spans(minutes(1)).size(), History::kMinutes);
  EXPECT_EQ(spans(minutes(10)).size(), History::kTens);
  EXPECT_EQ(spans(minutes(1)).back().begin, TimePoint(minutes(3 * 24 * 60 - 1)));
  const History::News news = history_.since(0);
  EXPECT_EQ(news.sessions.size(), History::kSessions);
  EXPECT_EQ(news.first_session, 3 * 24 * 60 - History::kSessions + 1);
  EXPECT_EQ(news.sessions.front().first, news.first_session);
}

TEST_F(HistoryTest, PAGE6_AfterADayOfSilenceNothingOldIsLeft) {
  session(minutes(5));
  session(hours(25));
  EXPECT_EQ(spans(minutes(1)).size(), 1U);
  EXPECT_EQ(spans(minutes(10)).size(), 1U);
}

TEST_F(HistoryTest, PAGE6_KeepsTheLastEvictions) {
  for (std::size_t i = 0; i < History::kEvictions + 3; ++i) {
    history_.add(EvictionRecord{.at = TimePoint(seconds(i)), .pod = "ml/p" + std::to_string(i)});
  }
  const History::News news = history_.since(0);
  EXPECT_EQ(news.evictions.size(), History::kEvictions);
  EXPECT_EQ(news.first_eviction, 4U);
  EXPECT_EQ(news.evictions.front().second.pod, "ml/p3");
  EXPECT_EQ(spans(minutes(10)).front().evictions, History::kEvictions + 3);
}

TEST_F(HistoryTest, PAGE7_UseIsAMeanOfSamples) {
  use(seconds(1), 500'000);
  use(seconds(6), 700'000);
  const Span minute = spans(minutes(1)).front();
  EXPECT_EQ(minute.samples, 2U);
  const std::string text = text_of(minute, {}, {"memory", "cpu"});
  EXPECT_NE(text.find(",[0,600000],{\"q0\":[0,600000]}]"), std::string::npos) << text;
}

TEST_F(HistoryTest, PAGE7_SmallQueuesCountTogether) {
  use(seconds(1), 1'000, 30);
  const Span minute = spans(minutes(1)).front();
  EXPECT_EQ(minute.queues.size(), History::kQueues + 1);
  EXPECT_TRUE(minute.queues.contains("q0"));
  EXPECT_FALSE(minute.queues.contains("q29"));
  std::int64_t sum = 0;
  for (const auto& [queue, parts] : minute.queues) sum += parts[0];
  EXPECT_EQ(sum, 30 * 1'000 - 29 * 30 / 2);
}

TEST_F(HistoryTest, PAGE8_ClassesOfWaitsDouble) {
  EXPECT_EQ(class_of_wait(Duration()), 0U);
  EXPECT_EQ(class_of_wait(seconds(1)), 0U);
  EXPECT_EQ(class_of_wait(std::chrono::milliseconds(1'001)), 1U);
  EXPECT_EQ(class_of_wait(seconds(2)), 1U);
  EXPECT_EQ(class_of_wait(seconds(3)), 2U);
  EXPECT_EQ(class_of_wait(seconds(65'536)), 16U);
  EXPECT_EQ(class_of_wait(hours(1'000)), kWaitClasses - 1);
  session(seconds(1), {seconds(3), seconds(4)});
  EXPECT_EQ(spans(minutes(1)).front().waits[2], 2U);
}

TEST_F(HistoryTest, SaysWhatChangedSinceTheLastTime) {
  session(seconds(1));
  const std::uint64_t version = history_.since(0).version;
  EXPECT_TRUE(history_.since(version).spans.empty());
  session(seconds(70));
  const History::News news = history_.since(version);
  ASSERT_EQ(news.sessions.size(), 1U);
  EXPECT_EQ(news.sessions[0].first, 2U);
  EXPECT_EQ(news.spans.size(), 2U);  // another minute, and the same ten
}

}  // namespace
}  // namespace berth::page::history_test
