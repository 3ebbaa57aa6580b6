#include "reconcile/repeated_evictions.h"

#include <gtest/gtest.h>

#include "reconcile/reconcile_fixture.h"
#include "reconcile/reservation_marks.h"

namespace berth::reconcile {
namespace {

using WriteResult = ports::WriteOutcome::Result;
using std::chrono::minutes;
using std::chrono::seconds;

// One of the pods of ml/old is evicted now and then; each time it has another uid.
class RepeatedEvictionsTest : public testing::Test {
 protected:
  RepeatedEvictionsTest() {
    group_.name = "ml/old";
    group_.uid = "g";
    group_.has_group = true;
    single_.is_single = true;
  }

  void evict(const Job& job, const OwnerReference* controller = nullptr, int pods = 1,
             WriteResult result = WriteResult::done) {
    for (int i = 0; i < pods; ++i) {
      Task victim;
      victim.name = "ml/pod";
      victim.uid = "pod-" + std::to_string(++uids_);
      evictions_.begun(victim, job, controller);
      Ended ended;
      ended.write = {ref_of(victim), ports::Eviction{"by preempt for ml/new"}, 1, 1};
      ended.outcome.result = result;
      evictions_.take(ended, now_);
    }
  }
  void evict_often(const Job& job, int times, const OwnerReference* controller = nullptr) {
    for (int i = 0; i < times; ++i, now_ += seconds(11)) evict(job, controller);
  }
  views::EvictedJobs news() {
    const auto news = evictions_.take_news(now_);
    return news == nullptr ? views::EvictedJobs() : *news;
  }
  RecordingWriter::Written written() { return writer_.take(); }

  Job group_;
  Job single_;
  TimePoint now_{std::chrono::hours(1)};
  int uids_ = 0;
  RecordingWriter writer_;
  Writes writes_{{writer_, [](const ports::WriteAnswer&) {}, [](const std::string&) {}}};
  EventLog events_{writes_, [this](const std::string& line) { writer_.log(line); }};
  RepeatedEvictions evictions_{events_};
};

TEST_F(RepeatedEvictionsTest, EVENT9AJobThatIsEvictedAgainAndAgainIsNamed) {
  writes_.start_leading(1);
  evict_often(group_, 4);
  EXPECT_EQ(news().repeatedly, 0U);
  EXPECT_TRUE(written().events.empty());
  evict(group_, nullptr, 3);
  const views::EvictedJobs jobs = news();
  EXPECT_EQ(jobs.repeatedly, 1U);
  ASSERT_EQ(jobs.rows.size(), 1U);
  EXPECT_EQ(jobs.rows[0], (views::EvictedJobs::Row{"ml/old", "PodGroup", 5, 7, now_ - seconds(44),
                                                   now_, "by preempt for ml/new"}));
  const RecordingWriter::Written written_now = written();
  const std::string text =
      "evicted 5 times within an hour, 5 pods in all; the last time by preempt for ml/new";
  ASSERT_EQ(written_now.events.size(), 1U) << "and not one for each pod";
  EXPECT_EQ(written_now.events[0].reason, "EvictedRepeatedly");
  EXPECT_TRUE(written_now.events[0].is_warning);
  EXPECT_EQ(written_now.events[0].message, text);
  EXPECT_EQ(written_now.events[0].object.name, "old");
  EXPECT_EQ(written_now.lines, std::vector<std::string>{"PodGroup ml/old: " + text});
}

TEST_F(RepeatedEvictionsTest, EVENT9AGangThatLeavesAsAWholeLeavesOnce) {
  evict(group_, nullptr, 500);
  now_ += seconds(9);
  evict(group_, nullptr, 500);
  EXPECT_EQ(news().repeatedly, 0U);
  EXPECT_TRUE(news().rows.empty());
}

TEST_F(RepeatedEvictionsTest, EVENT9PodsInNoGroupAreCountedByTheirController) {
  writes_.start_leading(1);
  const OwnerReference set{"apps/v1", "StatefulSet", "web", "s"};
  single_.name = "ml/web-0";
  evict_often(single_, 3, &set);
  single_.name = "ml/web-1";
  evict_often(single_, 3, &set);
  const views::EvictedJobs jobs = news();
  ASSERT_EQ(jobs.rows.size(), 1U);
  EXPECT_EQ(jobs.rows[0].kind + " " + jobs.rows[0].job, "StatefulSet ml/web");
  EXPECT_EQ(jobs.rows[0].times, 6U);
  const auto events = written().events;
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].object.kind, ports::ObjectKind::owner);
  EXPECT_EQ(events[0].object.type, "StatefulSet");
  single_.name = "ml/bare";
  evict_often(single_, 5);
  EXPECT_EQ(news().repeatedly, 2U);
}

TEST_F(RepeatedEvictionsTest, EVENT9OnlyWhatTheServerHasAcceptedCounts) {
  for (int i = 0; i < 20; ++i, now_ += seconds(11)) {
    evict(group_, nullptr, 1, i % 2 == 0 ? WriteResult::refused : WriteResult::gone);
  }
  EXPECT_TRUE(news().rows.empty());
}

TEST_F(RepeatedEvictionsTest, EVENT9AnHourLaterNothingIsKnown) {
  writes_.start_leading(1);
  evict_often(group_, 6);
  EXPECT_EQ(news().repeatedly, 1U);
  EXPECT_EQ(evictions_.take_news(now_), nullptr) << "no news";
  now_ += minutes(59) + seconds(30);
  const views::EvictedJobs fewer = news();
  EXPECT_EQ(fewer.repeatedly, 0U) << "the first times are an hour ago";
  EXPECT_EQ(fewer.rows.at(0).times, 2U);
  now_ += minutes(1);
  const auto later = evictions_.take_news(now_);
  ASSERT_NE(later, nullptr);
  EXPECT_TRUE(later->rows.empty());
  written();
  evict_often(group_, 5);
  EXPECT_EQ(written().events.size(), 1U) << "another warning";
}

TEST_F(RepeatedEvictionsTest, EVENT9AWarningComesAtFiveTimesAndAtEachDoubling) {
  writes_.start_leading(1);
  evict_often(group_, 100);
  EXPECT_EQ(written().lines.size(), 5U) << "at 5, 10, 20, 40 and 80 times";
  EXPECT_EQ(news().rows[0].times, 100U);
}

TEST_F(RepeatedEvictionsTest, EVENT9MemoryAndPageAreBounded) {
  for (int round = 0; round < 2; ++round, now_ += seconds(11)) {
    for (int i = 0; i < 200; ++i) {
      group_.name = "ml/" + std::to_string(i);
      evict(group_);
    }
  }
  EXPECT_EQ(news().rows.size(), views::EvictedJobs::kRowsMost);
  group_.name = "ml/often";
  evict_often(group_, 3);
  for (int i = 0; i < 5'000; ++i, now_ += std::chrono::milliseconds(1)) {
    group_.name = "ml/other-" + std::to_string(i);
    evict(group_);
  }
  const views::EvictedJobs jobs = news();
  for (const auto& row : jobs.rows) EXPECT_NE(row.job, "ml/often") << "it gave its place away";
}

TEST_F(RepeatedEvictionsTest, EVENT9AnotherLeaderBeginsAnew) {
  writes_.start_leading(1);
  evict_often(group_, 6);
  evictions_.stop_leading();
  const auto news = evictions_.take_news(now_);
  ASSERT_NE(news, nullptr);
  EXPECT_TRUE(news->rows.empty());
}

}  // namespace
}  // namespace berth::reconcile
