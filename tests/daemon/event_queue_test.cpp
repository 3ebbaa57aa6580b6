#include "daemon/event_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "daemon/objects.h"

namespace berth::daemon {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::seconds kPatience{60};

std::chrono::steady_clock::time_point in(std::chrono::nanoseconds from_now) {
  return std::chrono::steady_clock::now() + from_now;
}

std::string pod_of(const ClusterEvent& event) { return std::get<PodDeleted>(event).uid; }

TEST(EventQueue, GivesEverythingInTheOrderOfPosting) {
  EventQueue queue;
  queue.post(PodDeleted{"a"});
  queue.post(PodDeleted{"b"});
  EXPECT_EQ(queue.size(), 2u);
  const auto events = queue.take(in(kPatience)).events;
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(pod_of(events[0]), "a");
  EXPECT_EQ(pod_of(events[1]), "b");
  EXPECT_EQ(queue.size(), 0u);
}

TEST(EventQueue, TakesNothingAtItsDeadline) {
  EventQueue queue;
  EXPECT_TRUE(queue.take(in(std::chrono::milliseconds(1))).events.empty());
}

TEST(EventQueue, WakingWakesOnceWithoutAnEvent) {
  EventQueue queue;
  EXPECT_FALSE(queue.has_news());
  queue.wake();
  EXPECT_TRUE(queue.has_news());
  EXPECT_TRUE(queue.take(in(std::chrono::hours(1))).events.empty()) << "does not wait";
  EXPECT_FALSE(queue.has_news());
}

TEST(EventQueue, GathersWhatComesBeforeATime) {
  EventQueue queue(3);
  queue.post(PodDeleted{"a"});
  std::thread producer([&] {
    for (const char* uid : {"b", "c", "d"}) queue.post(PodDeleted{uid});
  });
  const auto in_an_hour = in(std::chrono::hours(1));
  EXPECT_EQ(queue.take(in_an_hour, in_an_hour).events.size(), 3U) << "all that it has room for";
  producer.join();
  const auto soon = in(1ms);
  EXPECT_EQ(queue.take(in_an_hour, soon).events.size(), 1U);
  EXPECT_GE(std::chrono::steady_clock::now(), soon);
}

TEST(EventQueue, GathersNoMoreWhenItIsFullOrClosed) {
  EventQueue queue(2);
  queue.post(PodDeleted{"a"});
  queue.post(PodDeleted{"b"});
  EXPECT_EQ(queue.take(in(kPatience), in(std::chrono::hours(1))).events.size(), 2U);
  queue.post(PodDeleted{"c"});
  std::thread closer([&] { queue.close(); });
  EXPECT_EQ(queue.take(in(kPatience), in(std::chrono::hours(1))).events.size(), 1U);
  closer.join();
}

TEST(EventQueue, AProducerWaitsWhileItIsFullAndLosesNothing) {
  std::promise<void> full;
  EventQueue queue(
      2, [&] { full.set_value(); }, 1ms);
  queue.post(PodDeleted{"a"});
  queue.post(PodDeleted{"b"});
  std::atomic<bool> returned = false;
  std::thread producer([&] {
    queue.post(PodDeleted{"c"});
    returned = true;
  });
  ASSERT_EQ(full.get_future().wait_for(kPatience), std::future_status::ready);
  EXPECT_FALSE(returned);
  EXPECT_EQ(queue.size(), 2u);
  EXPECT_EQ(queue.take(in(kPatience)).events.size(), 2u);
  const auto rest = queue.take(in(kPatience)).events;
  producer.join();
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_EQ(pod_of(rest[0]), "c");
}

TEST(EventQueue, AnEventOfAThreadThatMayNotWaitAlwaysGetsIn) {
  EventQueue queue(1);
  queue.post(PodDeleted{"a"});
  queue.post(PlacementDropped{"b", "n1", "why"});  // this thread is the only one: it would hang
  queue.post(PlacementMoved{});
  queue.post(RightAnswer{});
  queue.post(NamingPolicy{});
  EXPECT_EQ(queue.take(in(kPatience)).events.size(), 5u);
}

TEST(EventQueue, AShortWaitIsNoStall) {
  std::atomic<bool> has_stalled = false;
  EventQueue queue(
      1, [&] { has_stalled = true; }, kPatience);
  queue.post(PodDeleted{"a"});
  std::thread producer([&] { queue.post(PodDeleted{"b"}); });
  std::size_t taken = 0;
  while (taken < 2) taken += queue.take(in(kPatience)).events.size();
  producer.join();
  EXPECT_FALSE(has_stalled);
}

TEST(EventQueue, CloseReleasesProducersAndTheConsumer) {
  std::promise<void> full;
  EventQueue queue(
      1, [&] { full.set_value(); }, 1ms);
  queue.post(PodDeleted{"a"});
  std::thread producer([&] { queue.post(PodDeleted{"b"}); });
  ASSERT_EQ(full.get_future().wait_for(kPatience), std::future_status::ready);
  queue.close();
  producer.join();
  queue.post(PodDeleted{"c"});
  EXPECT_EQ(queue.take(in(kPatience)).events.size(), 1u) << "what was in it before";
  EXPECT_TRUE(queue.take(in(std::chrono::hours(1))).events.empty()) << "does not wait any more";
}

TEST(EventQueue, ManyProducersLoseNothing) {
  EventQueue queue(8);
  std::vector<std::thread> producers;
  for (int p = 0; p < 4; ++p) {
    producers.emplace_back([&queue] {
      for (int i = 0; i < 500; ++i) queue.post(PodDeleted{std::to_string(i)});
    });
  }
  std::size_t taken = 0;
  while (taken < 2000) {
    const auto events = queue.take(in(kPatience)).events;
    ASSERT_FALSE(events.empty());
    ASSERT_LE(events.size(), 8u);
    taken += events.size();
  }
  for (std::thread& producer : producers) producer.join();
  EXPECT_EQ(taken, 2000u);
}

}  // namespace
}  // namespace berth::daemon
