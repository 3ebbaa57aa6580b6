#include <gtest/gtest.h>

#include "simulation/explanation.h"
#include "simulation/report.h"
#include "simulation/simulation.h"
#include "support/objects.h"

namespace berth::simulation {
namespace {

using Names = std::vector<std::string>;

engine::SessionConfig only_allocate() {
  engine::SessionConfig config;
  config.actions = {{"allocate", ""}};
  return config;
}

// On n1 with 4 cpu run four pods of ml/old, which needs two. ml/new needs two, and ml/vain one of
// 9 cpu, for which nobody may leave. The plan is what an evicting action would leave.
class EvictionsTest : public testing::Test {
 protected:
  EvictionsTest() {
    copy_.begin_cycle(second(0));
    const auto evicted = [&](int pod) {
      return PlannedEviction{task("pod:old-" + std::to_string(pod)),
                             NodeId(0),
                             copy_.find_job("ml/new"),
                             "preempt",
                             EvictedAs::surplus,
                             "it is surplus of ml/old, the last in its order"};
    };
    plan_.evictions = {evicted(3), evicted(2)};
    plan_.pipelined = {{task("pod:new-0"), NodeId(0)}, {task("pod:new-1"), NodeId(0)}};
    for (const char* action : {"reclaim", "preempt"}) {
      ConsideredEvictions vain;
      vain.job = copy_.find_job("ml/vain");
      vain.action = action;
      vain.why.reason = Reason::nobody_may_leave;
      vain.spared = {{Reason::system_critical, 2}};
      plan_.considered.push_back(vain);
    }
  }

  static std::vector<ClusterEvent> objects() {
    std::vector<ClusterEvent> all{node("n1", 4), group("old", 2), group("new", 2), group("vain", 1),
                                  pod("vain", 0, 9)};
    for (int i = 0; i < 4; ++i) all.emplace_back(running(pod("old", i, 1), "n1"));
    for (int i = 0; i < 2; ++i) all.emplace_back(pod("new", i, 1));
    return all;
  }
  TaskId task(const std::string& uid) const {
    const Cluster& cluster = copy_.cluster();
    for (std::size_t t = 0; t < cluster.task_slots(); ++t) {
      if (cluster.task(TaskId(t)).uid == uid) return TaskId(t);
    }
    return {};
  }
  Explanation explained(const std::string& name) {
    const Explained what = find_explained(name, copy_);
    EXPECT_TRUE(what.job.is_valid()) << name;
    const CycleRecord record{2, second(1), objects_, line_, plan_, copy_, scheduler_};
    CycleReport earlier;
    earlier.evictions = {{"ml/old-4", "ml/old", "n1", "reclaim", "ml/past", "surplus", "so"}};
    return explain(what, record, {earlier, record_cycle(2, second(1), plan_, copy_.cluster())},
                   setting_);
  }

  const std::vector<ClusterEvent> objects_ = objects();
  ClusterCopy copy_{objects_, {}, second(0)};
  engine::Scheduler scheduler_ = *engine::Scheduler::create(only_allocate());
  TrialSetting setting_;
  Line line_;
  Plan plan_;
};

TEST_F(EvictionsTest, ACycleHasItsEvictionsItsClaimsAndWhatWasConsidered) {
  copy_.carry_out(plan_, second(0));
  const CycleReport report = record_cycle(1, second(0), plan_, copy_.cluster());
  ASSERT_EQ(report.evictions.size(), 2U);
  EXPECT_EQ(report.evictions[0].pod, "ml/old-2") << "by name";
  EXPECT_EQ(report.evictions[0].job, "ml/old");
  EXPECT_EQ(report.evictions[0].node, "n1");
  EXPECT_EQ(report.evictions[0].action, "preempt");
  EXPECT_EQ(report.evictions[0].beneficiary, "ml/new");
  EXPECT_EQ(report.evictions[0].as, "surplus");
  EXPECT_EQ(report.evictions[0].why, "it is surplus of ml/old, the last in its order");
  ASSERT_EQ(report.pipelined.size(), 2U);
  EXPECT_EQ(report.pipelined[0].pod, "ml/new-0");
  ASSERT_EQ(report.considered.size(), 2U);
  EXPECT_EQ(report.considered[0].job, "ml/vain");
  EXPECT_EQ(report.considered[0].action, "reclaim") << "in the order of the actions";
  EXPECT_EQ(report.considered[0].reason, "nobody_may_leave");
  EXPECT_EQ(report.considered[0].message, plan_.considered[0].text());
}

TEST_F(EvictionsTest, AVictimNamesTheJobAndSaysWhyNotAnother) {
  copy_.carry_out(plan_, second(0));
  const Explanation explanation = explained("ml/old");
  Names why;
  for (const TaskRow& row : explanation.tasks) why.push_back(row.why);
  const std::string text = "evicted by preempt for ml/new";
  EXPECT_EQ(why, (Names{"", "", text, text}));
  ASSERT_EQ(explanation.evicted.size(), 3U) << "that of an earlier cycle, too";
  EXPECT_EQ(explanation.evicted[0].cycle, 1U);
  EXPECT_EQ(explanation.evicted[0].eviction.pod, "ml/old-4");
  EXPECT_EQ(explanation.evicted[2].cycle, 2U);
  EXPECT_EQ(explanation.evicted[2].eviction.pod, "ml/old-3");
  EXPECT_EQ(explanation.evicted[2].eviction.why, "it is surplus of ml/old, the last in its order");
  EXPECT_TRUE(explanation.makes_room.empty());
  EXPECT_TRUE(explanation.considered.empty());
}

TEST_F(EvictionsTest, OnePodIsExplainedByItself) {
  copy_.carry_out(plan_, second(0));
  const Explanation explanation = explained("ml/old-3");
  EXPECT_EQ(explanation.job.job, "ml/old");
  EXPECT_EQ(explanation.pod, "ml/old-3");
  ASSERT_EQ(explanation.tasks.size(), 1U);
  EXPECT_EQ(explanation.tasks[0].pod, "ml/old-3");
  ASSERT_EQ(explanation.evicted.size(), 1U);
  EXPECT_EQ(explanation.evicted[0].eviction.beneficiary, "ml/new");
}

TEST_F(EvictionsTest, AClaimantSaysWhoLeavesForIt) {
  copy_.carry_out(plan_, second(0));
  const Explanation explanation = explained("ml/new");
  ASSERT_EQ(explanation.makes_room.size(), 2U);
  EXPECT_EQ(explanation.makes_room[0].cycle, 2U);
  EXPECT_EQ(explanation.makes_room[0].eviction.pod, "ml/old-2");
  EXPECT_EQ(explanation.makes_room[0].eviction.node, "n1");
  EXPECT_TRUE(explanation.evicted.empty());
  EXPECT_EQ(explanation.tasks.at(0).why, "waits for room that is being vacated on n1");
}

TEST_F(EvictionsTest, WhoCannotBeHelpedSaysWhatEachActionFound) {
  copy_.carry_out(plan_, second(0));
  const Explanation explanation = explained("ml/vain");
  ASSERT_EQ(explanation.considered.size(), 2U);
  EXPECT_EQ(explanation.considered[0].message,
            "reclaim evicts nobody for it: " + sentence(Reason::nobody_may_leave, 0, 0, "") +
                "; 2 stay: they are critical to the system");
  EXPECT_EQ(explanation.considered[1].action, "preempt");
  EXPECT_TRUE(explanation.makes_room.empty());
}

TEST_F(EvictionsTest, NobodyIsExplainedByAnUnknownName) {
  EXPECT_FALSE(find_explained("ml/old-7", copy_).job.is_valid());
  EXPECT_FALSE(find_explained("", copy_).job.is_valid());
  EXPECT_FALSE(find_explained("ml/vain", copy_).pod.is_valid()) << "a job, not one of its pods";
}

}  // namespace
}  // namespace berth::simulation
