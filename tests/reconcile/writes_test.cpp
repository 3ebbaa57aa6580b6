#include "reconcile/writes.h"

#include <gtest/gtest.h>

#include "support/recording_writer.h"

namespace berth::reconcile {
namespace {

using ports::ObjectKind;
using ports::ObjectRef;
using Outcome = ports::WriteOutcome;
using WriteResult = Outcome::Result;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using Texts = std::vector<std::string>;

const ObjectRef kPod{ObjectKind::pod, "ns", "p", "uid-p"};
const ObjectRef kGroup{ObjectKind::pod_group, "ns", "g", "uid-g"};

ports::GroupStatus running(std::int32_t count) {
  ports::GroupStatus status;
  status.running = count;
  return status;
}

class WritesTest : public testing::Test {
 protected:
  WritesTest() {
    writer_.keeps_answers_back = true;
    writes_.start_leading(1);
  }
  // Answers all that is under way; what has ended then.
  std::vector<Ended> answer(Outcome outcome = {}) {
    writer_.answer(outcome);
    std::vector<Ended> all;
    for (const ports::WriteAnswer& each : std::exchange(answers_, {})) {
      if (auto ended = writes_.take(each, now_)) all.push_back(std::move(*ended));
    }
    return all;
  }
  bool may_begin(Aspect aspect = Aspect::group_status) const {
    return writes_.may_begin(kGroup, aspect, now_);
  }
  std::size_t sent() { return writer_.take().statuses.size(); }

  TimePoint now_{std::chrono::hours(1)};
  support::RecordingWriter writer_;
  std::vector<ports::WriteAnswer> answers_;
  Writes writes_{{writer_,
                  [this](ports::WriteAnswer answer) { answers_.push_back(std::move(answer)); },
                  [this](const std::string& line) { writer_.log(line); }}};
};

TEST_F(WritesTest, WRITE1OfTwoWritesToOneObjectAtOnceTheSecondWaits) {
  writes_.begin(kGroup, running(1), now_);
  EXPECT_FALSE(may_begin());
  EXPECT_TRUE(may_begin(Aspect::marks)) << "another aspect of it";
  EXPECT_TRUE(writes_.may_begin(kPod, Aspect::steering, now_)) << "another object";
  ASSERT_EQ(answer().size(), 1u);
  EXPECT_TRUE(may_begin());
}

TEST_F(WritesTest, WRITE2AWriteCarriesTheEpochAndANumberOfItsOwn) {
  writes_.begin(kGroup, running(1), now_);
  writes_.begin(kPod, ports::PodWrite(), now_);
  ASSERT_EQ(writer_.pending.size(), 2u);
  EXPECT_EQ(writer_.pending[0].write.epoch, 1u);
  EXPECT_NE(writer_.pending[0].write.number, writer_.pending[1].write.number);
  EXPECT_EQ(writer_.pending[1].write.object, kPod);
}

TEST_F(WritesTest, WRITE3AWriteOnAPodIsRepeatedAfterAWhileWhateverTheAnswer) {
  for (const WriteResult result :
       {WriteResult::failed, WriteResult::forbidden, WriteResult::refused}) {
    EXPECT_EQ(retry_delay(Aspect::steering, {result}, 1), milliseconds(200));
    EXPECT_EQ(retry_delay(Aspect::steering, {result}, 20), seconds(10));
    EXPECT_EQ(retry_delay(Aspect::steering, {result, "", minutes(10)}, 1), seconds(10));
  }
}

TEST_F(WritesTest, WRITE4AStatusIsRepeatedAlsoWithoutTheRight) {
  EXPECT_EQ(retry_delay(Aspect::group_status, {WriteResult::forbidden}, 2), milliseconds(400));
  EXPECT_EQ(retry_delay(Aspect::queue_status, {WriteResult::failed}, 20), seconds(30));
  EXPECT_EQ(retry_delay(Aspect::lock, {WriteResult::conflict}, 1), milliseconds(200));
  EXPECT_EQ(retry_delay(Aspect::marks, {WriteResult::refused}, 1), std::nullopt);
  const Outcome busy{WriteResult::failed, "", seconds(7)};
  EXPECT_EQ(retry_delay(Aspect::group_status, busy, 1), seconds(7)) << "as the server asks";
}

TEST_F(WritesTest, WRITE4AFailedStatusMayBeginAgainWhenItsBackOffIsOver) {
  writes_.begin(kGroup, running(1), now_);
  const auto ended = answer({WriteResult::failed, "status of podgroup ns/g: 503"});
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_TRUE(ended[0].is(WriteResult::failed));
  EXPECT_FALSE(may_begin());
  EXPECT_EQ(writes_.counters(Writes::Kind::status).pending, 1u);
  now_ += milliseconds(200);
  EXPECT_TRUE(may_begin());
  writes_.begin(kGroup, running(2), now_);
  answer();
  EXPECT_EQ(writes_.counters(Writes::Kind::status).pending, 0u);
  EXPECT_EQ(writes_.counters(Writes::Kind::status).failures, 1u);
}

TEST_F(WritesTest, WRITE5AnEventIsSentAFewTimes) {
  writes_.begin(kGroup, ports::Event{false, "Scheduled", "so"}, now_);
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(answer({WriteResult::failed, "event on ns/g (Scheduled): 500"}).empty());
    EXPECT_TRUE(writer_.pending.empty());
    now_ += minutes(1);
    writes_.repeat(now_);
    ASSERT_EQ(writer_.pending.size(), 1u);
  }
  const auto ended = answer({WriteResult::failed, "event on ns/g (Scheduled): 500"});
  ASSERT_EQ(ended.size(), 1u);
  now_ += minutes(1);
  writes_.repeat(now_);
  EXPECT_TRUE(writer_.pending.empty());
  EXPECT_EQ(writes_.counters(Writes::Kind::event).given_up, 1u);
  EXPECT_EQ(writer_.take().lines.back(), "event on ns/g (Scheduled): 500; given up");
}

TEST_F(WritesTest, WRITE5ARefusedEvictionEndsWithTheReason) {
  writes_.begin(kPod, ports::Eviction{"why"}, now_);
  EXPECT_TRUE(answer({WriteResult::failed, "evict ns/p: 429: budget"}).empty());
  EXPECT_EQ(writer_.take().lines, Texts{"evict ns/p: 429: budget; tried again"});
  now_ += seconds(1);
  writes_.repeat(now_);
  const auto ended = answer({WriteResult::forbidden, "evict ns/p: 403: no right"});
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].outcome.error, "evict ns/p: 403: no right");
  EXPECT_EQ(ended[0].write.object, kPod);
  const auto refused = refused_eviction(ended[0]);
  ASSERT_TRUE(refused) << "EVICT-3";
  EXPECT_EQ(refused->pod_uid, "uid-p");
  EXPECT_EQ(refused->reason, "evict ns/p: 403: no right");
}

TEST_F(WritesTest, EVICT3AnEvictionThatIsUnderWayIsNotRefused) {
  for (const WriteResult result : {WriteResult::done, WriteResult::gone}) {
    writes_.begin(kPod, ports::Eviction{"why"}, now_);
    EXPECT_FALSE(refused_eviction(answer({result}).at(0))) << "the watch will show it";
  }
}

TEST_F(WritesTest, WRITE5TwoEventsOnOneObjectDoNotWaitForEachOther) {
  writes_.begin(kGroup, ports::Event{false, "A", ""}, now_);
  writes_.begin(kGroup, ports::Event{false, "B", ""}, now_);
  EXPECT_EQ(writer_.pending.size(), 2u);
}

TEST_F(WritesTest, WRITE6AStaleAnswerAfterALeaderChangeMeansNothing) {
  writes_.begin(kGroup, running(1), now_);
  const auto stale = std::move(writer_.pending);
  writer_.pending.clear();
  writes_.stop_leading();
  writes_.start_leading(2);
  EXPECT_TRUE(may_begin()) << "the new leader does not wait for the old one's write";
  writes_.begin(kGroup, running(2), now_);
  stale[0].done({WriteResult::failed, "late"});
  EXPECT_TRUE(answer({}).size() == 1u) << "of the second alone";
  EXPECT_TRUE(writer_.take().lines.empty());
  EXPECT_EQ(writes_.counters(Writes::Kind::status).failures, 0u);
}

TEST_F(WritesTest, WRITE6WhatWasToBeRepeatedIsNotRepeatedByTheNextLeader) {
  writes_.begin(kPod, ports::Eviction{"why"}, now_);
  answer({WriteResult::failed, "429"});
  writes_.stop_leading();
  writes_.start_leading(2);
  now_ += minutes(1);
  writes_.repeat(now_);
  EXPECT_TRUE(writer_.pending.empty());
  EXPECT_EQ(writes_.counters(Writes::Kind::eviction).pending, 0u);
}

TEST_F(WritesTest, AnObjectThatIsGoneIsLeftAloneForAWhile) {
  writes_.begin(kGroup, running(1), now_);
  EXPECT_TRUE(answer({WriteResult::gone, "404"}).at(0).is(WriteResult::gone));
  EXPECT_FALSE(may_begin());
  now_ += minutes(1);
  EXPECT_TRUE(may_begin());
  EXPECT_EQ(writes_.counters(Writes::Kind::status).failures, 0u);
}

TEST_F(WritesTest, AFailedWriteThatNobodyWantsAnyMoreIsForgotten) {
  writes_.begin(kGroup, running(1), now_);
  answer({WriteResult::failed, "503"});
  writes_.settle(kGroup, Aspect::group_status);
  EXPECT_EQ(writes_.counters(Writes::Kind::status).pending, 0u);
  writes_.begin(kGroup, running(1), now_);
  answer({WriteResult::failed, "503"});
  now_ += minutes(5);
  writes_.repeat(now_);
  EXPECT_EQ(writes_.counters(Writes::Kind::status).pending, 0u);
}

TEST_F(WritesTest, ManyFailuresAreOneLine) {
  for (int i = 0; i < 100; ++i) {
    writes_.begin({ObjectKind::pod_group, "ns", "g", std::to_string(i)}, running(1), now_);
  }
  answer({WriteResult::failed, "503"});
  EXPECT_EQ(writer_.take().lines, Texts{"503; tried again"});
  now_ += seconds(10);
  writes_.begin(kGroup, running(1), now_);
  answer({WriteResult::failed, "503"});
  EXPECT_EQ(writer_.take().lines, Texts{"503; tried again; 99 more failures since the last line"});
}

}  // namespace
}  // namespace berth::reconcile
