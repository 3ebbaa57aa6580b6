#include "extender/barrier.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "extender/support.h"

namespace berth::extender {
namespace {

using test::binding_of;
using test::node_name;
using test::PlanBuilder;

constexpr TimePoint kStart = TimePoint(std::chrono::hours(1));

TEST(Barrier, AnOutcomeGivenInsideTheBindIsAnsweredInsideTheArrival) {
  ports::Published<ports::PlanTable> plan(PlanBuilder().gang("g", 2, 2).build());
  test::RecordingBinder binder(true);
  test::RecordingEvents events;
  Moves moves;
  GangBarrier barrier({}, plan, moves, binder, events);
  std::vector<std::string> answers;
  const auto note = [&](const std::string& error) { answers.push_back(error); };
  barrier.arrive(binding_of("g-0", node_name(0)), kStart, note);
  EXPECT_TRUE(answers.empty());
  barrier.arrive(binding_of("g-1", node_name(1)), kStart, note);
  EXPECT_EQ(answers, (std::vector<std::string>{"", ""}));
}

TEST(Barrier, AnArrivalSeesThePlanThatIsPublishedNow) {
  ports::Published<ports::PlanTable> plan(PlanBuilder().build());
  test::RecordingBinder binder;
  test::RecordingEvents events;
  Moves moves;
  GangBarrier barrier({}, plan, moves, binder, events);
  plan.store(PlanBuilder().gang("g", 1, 1).build());
  barrier.arrive(binding_of("g-0", node_name(0)), kStart, [](const std::string&) {});
  EXPECT_EQ(binder.count(), 1u);
}

TEST(Barrier, RELATION12TheCallOfAPodWithRelationsIsReported) {
  ports::PlanTable table = *PlanBuilder().gang("g", 3, 3).build();
  table.pods[test::uid_of("g-1")].has_relations = true;
  const ports::Published<ports::PlanTable> plan(
      std::make_shared<const ports::PlanTable>(std::move(table)));
  test::RecordingBinder binder;
  test::RecordingEvents events;
  Moves moves;
  std::vector<std::string> reported;
  GangBarrier* there = nullptr;
  GangBarrier barrier({}, plan, moves, binder, events, [&] {
    const bool is_held = there->stage_of(test::uid_of("g-1")) == ports::Attempts::Stage::open;
    reported.push_back(is_held ? "held" : "not held yet");
  });
  there = &barrier;
  barrier.arrive(binding_of("g-0", node_name(0)), kStart, [](const std::string&) {});
  EXPECT_TRUE(reported.empty());
  barrier.arrive(binding_of("g-1", node_name(1)), kStart, [](const std::string&) {});
  EXPECT_EQ(reported, std::vector<std::string>{"held"});
}

// kube-scheduler's call may come after the plan has changed.
TEST(Barrier, BARRIER8AHintGoesElsewhereOnlyByAFilterCallUnderItsPlan) {
  ports::Published<ports::PlanTable> plan(PlanBuilder().pod("p", "n1", true).build());
  test::RecordingBinder binder;
  test::RecordingEvents events;
  Moves moves;
  std::vector<std::string> answers;
  GangBarrier barrier({}, plan, moves, binder, events);
  const auto arrive = [&](const char* node) {
    barrier.arrive(binding_of("p", node), kStart,
                   [&](const std::string& error) { answers.push_back(error); });
  };
  const std::string refusal = R"(pod "ns/p" is planned on node "n1", not on node "n2")";
  arrive("n2");
  moves.leave_choice(test::uid_of("p"), "n3");
  arrive("n2");
  EXPECT_EQ(answers, (std::vector<std::string>{refusal, refusal}));
  moves.leave_choice(test::uid_of("p"), "n1");
  for (const char* node : {"n3", "n1"}) {
    plan.store(PlanBuilder().pod("p", node, true).build());
    barrier.plan_changed();
  }
  arrive("n2");
  EXPECT_EQ(answers.size(), 3u) << "the choice was of an earlier plan";
  moves.leave_choice(test::uid_of("p"), "n1");
  arrive("n2");
  EXPECT_EQ(binder.count(), 1u);
}

// Also when the pod is no longer in the plan: kube-scheduler sends its event after the bind.
TEST(Barrier, VIEW20KnowsWhoseEventIsNotWritten) {
  ports::PlanTable table = *PlanBuilder().gang("g", 2, 2).build();
  table.pods[test::uid_of("g-1")].is_quiet = true;
  ports::Published<ports::PlanTable> plan(
      std::make_shared<const ports::PlanTable>(std::move(table)));
  test::RecordingBinder binder(true);
  test::RecordingEvents events;
  Moves moves;
  GangBarrier barrier({}, plan, moves, binder, events);
  for (const int i : {0, 1}) {
    barrier.arrive(binding_of("g-" + std::to_string(i), node_name(i)), kStart,
                   [](const std::string&) {});
  }
  const auto expect = [&](const char* when) {
    EXPECT_FALSE(barrier.is_quiet(test::uid_of("g-0"))) << when;
    EXPECT_TRUE(barrier.is_quiet(test::uid_of("g-1"))) << when;
  };
  expect("bound");
  plan.store(PlanBuilder().build());
  barrier.plan_changed();
  expect("seen bound");
  EXPECT_FALSE(barrier.is_quiet("unknown"));
  barrier.expire(kStart + std::chrono::minutes(5));
  EXPECT_FALSE(barrier.is_quiet(test::uid_of("g-1"))) << "five minutes later";
}

TEST(Barrier, ADroppedPlacementIsPosted) {
  ports::Published<ports::PlanTable> plan(PlanBuilder().gang("g", 2, 2).build());
  test::RecordingBinder binder;
  test::RecordingEvents events;
  Moves moves;
  GangBarrier barrier({}, plan, moves, binder, events);
  barrier.arrive(binding_of("g-0", node_name(0)), kStart, [](const std::string&) {});
  barrier.expire(kStart + std::chrono::seconds(10));
  ASSERT_EQ(events.dropped().size(), 1u);
  EXPECT_EQ(events.dropped()[0].node, node_name(0));
}

TEST(Barrier, AnOutcomeAfterTheEndIsHarmless) {
  ports::Published<ports::PlanTable> plan(PlanBuilder().gang("g", 1, 1).build());
  test::RecordingBinder binder;
  test::RecordingEvents events;
  std::string answer;
  {
    Moves moves;
    GangBarrier barrier({}, plan, moves, binder, events);
    barrier.arrive(binding_of("g-0", node_name(0)), kStart,
                   [&](const std::string& error) { answer = error; });
  }
  EXPECT_EQ(answer, "berthd is shutting down");
  for (auto& asked : binder.take()) asked.done({false, "too late"});
  EXPECT_TRUE(events.dropped().empty());
}

TEST(Barrier, ManyThreadsBindManyGangsEachPodOnceAndEveryCallIsAnswered) {
  constexpr int kGangs = 20;
  constexpr int kSize = 8;
  PlanBuilder builder;
  for (int gang = 0; gang < kGangs; ++gang) builder.gang("g" + std::to_string(gang), kSize, kSize);
  ports::Published<ports::PlanTable> plan(builder.build());
  test::RecordingBinder binder(true);
  test::RecordingEvents events;
  Moves moves;
  GangBarrier barrier({}, plan, moves, binder, events);
  std::atomic<int> bound = 0;
  std::vector<std::thread> threads;
  for (int index = 0; index < kSize; ++index) {
    threads.emplace_back([&, index] {
      for (int gang = 0; gang < kGangs; ++gang) {
        const std::string pod = "g" + std::to_string(gang) + "-" + std::to_string(index);
        // Each first call is abandoned, as by a client with a broken connection.
        const CallId lost =
            barrier.arrive(binding_of(pod, node_name(index)), kStart, [](const std::string&) {});
        barrier.leave(lost);
        barrier.arrive(binding_of(pod, node_name(index)), kStart,
                       [&](const std::string& error) { bound += error.empty() ? 1 : 0; });
        barrier.expire(kStart);
        plan.store(builder.build());
        barrier.plan_changed();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(bound, kGangs * kSize);
  EXPECT_EQ(binder.count(), static_cast<std::size_t>(kGangs * kSize));
  EXPECT_EQ(barrier.held(), 0u);
}

}  // namespace
}  // namespace berth::extender
