#include "embedded/scheduling_queue.h"

#include <gtest/gtest.h>

namespace berth::embedded {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr TimePoint at(Duration since) { return TimePoint(since); }

// As in 1.32: every pod waits for the end of its backoff.
SchedulingQueue patient_queue() { return {seconds(1), seconds(10), false}; }

TEST(SchedulingQueueTest, HigherPriorityGoesFirstThenWhoCameFirst) {
  SchedulingQueue queue = patient_queue();
  queue.put("late", 5, false, at(seconds(3)));
  queue.put("low", 1, false, at(seconds(1)));
  queue.put("early", 5, false, at(seconds(2)));
  EXPECT_EQ(queue.pop(at(seconds(4))), "early");
  EXPECT_EQ(queue.pop(at(seconds(4))), "late");
  EXPECT_EQ(queue.pop(at(seconds(4))), "low");
  EXPECT_EQ(queue.pop(at(seconds(4))), std::nullopt);
}

TEST(SchedulingQueueTest, AGatedPodWaitsForItsLastGateAndThenHasNoBackoff) {
  SchedulingQueue queue = patient_queue();
  queue.put("p", 0, true, at(seconds(0)));
  queue.wake_all(WakeUp::node_change, at(seconds(1)));
  EXPECT_EQ(queue.pop(at(seconds(400))), std::nullopt);
  queue.put("p", 0, false, at(seconds(400)));
  EXPECT_EQ(queue.pop(at(seconds(400))), "p");
}

TEST(SchedulingQueueTest, ARejectedPodStaysUntilSomethingMayHelpIt) {
  SchedulingQueue queue = patient_queue();
  queue.put("p", 0, false, at(seconds(0)));
  ASSERT_EQ(queue.pop(at(seconds(0))), "p");
  queue.reject("p", kByExtender, at(seconds(0)));
  EXPECT_EQ(queue.pop(at(seconds(299))), std::nullopt);
  queue.wake("p", WakeUp::own_status, at(seconds(299)));
  EXPECT_EQ(queue.pop(at(seconds(299))), "p") << "its backoff is long over";
}

TEST(SchedulingQueueTest, FiveMinutesEndEveryStay) {
  SchedulingQueue queue = patient_queue();
  queue.put("p", 0, false, at(seconds(0)));
  ASSERT_EQ(queue.pop(at(seconds(0))), "p");
  queue.reject("p", kByNode, at(seconds(0)));
  EXPECT_EQ(queue.next_due(), at(seconds(330))) << "every half minute, those of more than that";
  EXPECT_EQ(queue.pop(at(seconds(329))), std::nullopt);
  EXPECT_EQ(queue.pop(at(seconds(330))), "p");
}

TEST(SchedulingQueueTest, AWokenPodSitsOutItsBackoffWhichDoublesUpToTheLongest) {
  SchedulingQueue queue = patient_queue();
  queue.put("p", 0, false, at(seconds(0)));
  TimePoint now = at(seconds(0));
  for (const int backoff : {1, 2, 4, 8, 10, 10}) {
    ASSERT_EQ(queue.pop(now), "p");
    queue.reject("p", kByExtender, now);
    queue.wake_all(WakeUp::pod_placed, now);
    const TimePoint next = now + seconds(backoff + 1);  // at each second, what ended before it
    EXPECT_EQ(queue.next_due(), next);
    EXPECT_EQ(queue.pop(next - milliseconds(1)), std::nullopt);
    now = next;
  }
}

TEST(SchedulingQueueTest, With133AnIdleQueuePopsRejectedPodsEarlyButNotThoseWithErrors) {
  SchedulingQueue queue(seconds(1), seconds(10), true);
  for (const char* const uid : {"rejected", "failed"}) {
    queue.put(uid, 0, false, at(seconds(0)));
    ASSERT_EQ(queue.pop(at(seconds(0))), uid);
  }
  queue.reject("rejected", kByExtender, at(seconds(0)));
  queue.fail("failed", at(seconds(0)));
  queue.wake_all(WakeUp::node_change, at(seconds(0)));
  EXPECT_EQ(queue.pop(at(seconds(0))), "rejected");
  EXPECT_EQ(queue.pop(at(seconds(0))), std::nullopt);
  EXPECT_EQ(queue.next_due(), at(seconds(2)));
  EXPECT_EQ(queue.pop(at(seconds(2))), "failed");
}

TEST(SchedulingQueueTest, WithoutNodesAPodIsTriedAgainAsAfterAnError) {
  SchedulingQueue queue = patient_queue();
  queue.put("p", 0, false, at(seconds(0)));
  ASSERT_EQ(queue.pop(at(seconds(0))), "p");
  queue.reject("p", 0, at(seconds(0)));
  EXPECT_EQ(queue.pop(at(seconds(2))), "p");
}

TEST(SchedulingQueueTest, ARejectionEndsARunOfErrors) {
  SchedulingQueue queue = patient_queue();
  queue.put("p", 0, false, at(seconds(0)));
  TimePoint now = at(seconds(0));
  for (const int backoff : {1, 2, 4}) {
    ASSERT_EQ(queue.pop(now), "p");
    queue.fail("p", now);
    now += seconds(backoff + 1);
  }
  ASSERT_EQ(queue.pop(now), "p");
  queue.reject("p", kByExtender, now);
  now += seconds(60);
  queue.wake("p", WakeUp::own_status, now);
  ASSERT_EQ(queue.pop(now), "p");
  queue.fail("p", now);
  EXPECT_EQ(queue.next_due(), now + seconds(2));
}

// The second in which a back-off ends comes first, then the priority.
TEST(SchedulingQueueTest, With133AnIdleQueuePopsFirstWhoWouldBackOffShortest) {
  SchedulingQueue queue(seconds(1), seconds(10), true);
  const auto try_one = [&](const char* uid, Duration when) {
    ASSERT_EQ(queue.pop(at(when)), uid);
    queue.reject(uid, kByExtender, at(when));
  };
  queue.put("high", 9, false, at(seconds(0)));
  try_one("high", milliseconds(1));
  queue.put("low", 1, false, at(milliseconds(2)));
  try_one("low", milliseconds(2));
  queue.wake_all(WakeUp::node_change, at(milliseconds(3)));
  try_one("high", milliseconds(4));  // its second back-off is of two seconds
  queue.wake_all(WakeUp::node_change, at(milliseconds(5)));
  EXPECT_EQ(queue.pop(at(milliseconds(6))), "low");
  EXPECT_EQ(queue.pop(at(milliseconds(6))), "high");
}

TEST(SchedulingQueueTest, AnEventDuringAnAttemptIsNotLost) {
  for (const WakeUp event : {WakeUp::pod_gone, WakeUp::pod_placed}) {
    SchedulingQueue queue = patient_queue();
    queue.put("p", 9, false, at(seconds(0)));
    ASSERT_EQ(queue.pop(at(seconds(0))), "p");
    queue.wake_up_to(event, 1, at(milliseconds(1)));
    queue.reject("p", kByResources, at(milliseconds(2)));
    EXPECT_EQ(queue.pop(at(seconds(2))).has_value(), event == WakeUp::pod_gone);
  }
}

// The events that wake a pod. Every event wakes a pod that an extender rejected, even together with
// other filters (1.32).
TEST(SchedulingQueueTest, InTreeRejectionsAreWokenOnlyByWhatMayHelp) {
  struct Case {
    Rejectors by;
    WakeUp event;
    bool wakes;
  };
  const Case cases[] = {
      {kByResources, WakeUp::node_change, true}, {kByResources, WakeUp::pod_gone, true},
      {kByResources, WakeUp::pod_placed, false}, {kByResources, WakeUp::own_status, false},
      {kByResources, WakeUp::own_request, true}, {kByResources, WakeUp::own_tolerations, false},
      {kByPorts, WakeUp::node_came, true},       {kByPorts, WakeUp::node_change, false},
      {kByPorts, WakeUp::pod_gone, true},        {kByNode, WakeUp::node_change, true},
      {kByNode, WakeUp::pod_gone, false},        {kByNode, WakeUp::own_tolerations, true},
      {kByNode, WakeUp::own_request, false},     {kByNode, WakeUp::node_gone, false},
      {kByExtender, WakeUp::node_gone, true},    {kByNode | kByExtender, WakeUp::pod_gone, true},
      {kByExtender, WakeUp::pod_placed, true},   {kByExtender, WakeUp::own_status, true},
  };
  for (const Case& one : cases) {
    SchedulingQueue queue = patient_queue();
    queue.put("p", 0, false, at(seconds(0)));
    ASSERT_EQ(queue.pop(at(seconds(0))), "p");
    queue.reject("p", one.by, at(seconds(0)));
    queue.wake_all(one.event, at(seconds(0)));
    EXPECT_EQ(queue.pop(at(seconds(2))).has_value(), one.wakes)
        << int{one.by} << " by event " << static_cast<int>(one.event);
  }
}

TEST(SchedulingQueueTest, AnEndedNominationWakesOnlyPodsOfNoHigherPriority) {
  SchedulingQueue queue = patient_queue();
  for (const auto& [uid, priority] : {std::pair("low", 1), std::pair("high", 9)}) {
    queue.put(uid, priority, false, at(seconds(0)));
    ASSERT_EQ(queue.pop(at(seconds(0))), uid);
    queue.reject(uid, kByResources, at(seconds(0)));
  }
  queue.wake_up_to(WakeUp::pod_gone, 5, at(seconds(5)));
  EXPECT_EQ(queue.pop(at(seconds(5))), "low");
  EXPECT_EQ(queue.pop(at(seconds(5))), std::nullopt);
}

TEST(SchedulingQueueTest, NoEventWakesAPodThatIsHeld) {
  SchedulingQueue queue = patient_queue();
  queue.put("p", 0, false, at(seconds(0)));
  ASSERT_EQ(queue.pop(at(seconds(0))), "p");
  queue.hold("p");
  queue.wake_all(WakeUp::pod_gone, at(seconds(0)));
  queue.reject("p", kByResources, at(seconds(0)));
  queue.wake_all(WakeUp::pod_gone, at(seconds(9)));
  EXPECT_EQ(queue.pop(at(minutes(4))), std::nullopt);
  queue.release("p", false);
  EXPECT_EQ(queue.pop(at(minutes(4))), std::nullopt) << "it waits for an event";
  queue.wake_all(WakeUp::pod_gone, at(minutes(4)));
  EXPECT_EQ(queue.pop(at(minutes(4))), "p");
  queue.hold("p");
  queue.reject("p", kByResources, at(minutes(4)));
  queue.release("p", true);
  EXPECT_EQ(queue.pop(at(minutes(4))), "p") << "it does not wait";
}

TEST(SchedulingQueueTest, AnErasedPodIsInNoLine) {
  SchedulingQueue queue = patient_queue();
  queue.put("p", 0, false, at(seconds(0)));
  queue.erase("p");
  EXPECT_FALSE(queue.contains("p"));
  EXPECT_EQ(queue.pop(at(seconds(1))), std::nullopt);
}

}  // namespace
}  // namespace berth::embedded
