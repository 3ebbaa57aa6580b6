#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>
#include "berth/engine/action.h"
#include "berth/engine/statement.h"

#include "support/open_session.h"

// Rules about victims, reached by an action of this test: until there are actions that evict, the
// plugins' answers are all there is.

namespace berth::plugins {
namespace {

using namespace engine;

// Evicts all tasks that the points allow for the first pending task by name, in name order.
class EvictAll final : public Action {
 public:
  explicit EvictAll(Arguments&) {}
  void execute(Session& session) const override {
    const Cluster& cluster = session.cluster();
    std::vector<TaskId> candidates;
    TaskId claimant;
    const auto by_name = [&](TaskId left, TaskId right) {
      return cluster.task(left).name < cluster.task(right).name;
    };
    for (std::size_t t = 0; t < cluster.task_slots(); ++t) {
      const Task& task = cluster.task(TaskId(t));
      if (task.status == TaskStatus::running) candidates.push_back(TaskId(t));
      if (task.status != TaskStatus::pending || !task.job.is_valid()) continue;
      if (!claimant.is_valid() || by_name(TaskId(t), claimant)) claimant = TaskId(t);
    }
    if (!claimant.is_valid()) return;
    std::sort(candidates.begin(), candidates.end(), by_name);
    const TaskSet victims = session.ask(points::preemptable, cluster.task(claimant), candidates);
    Statement statement(session);
    for (const TaskId victim : victims) {
      static_cast<void>(statement.evict(victim, cluster.task(claimant).job, "evict-all"));
    }
    std::move(statement).commit();
  }
};

BERTH_ACTION(EvictAll, "evict-all");

std::vector<std::string> evicted(const std::string& scene, const std::string& tiers) {
  const auto world = support::stage(scene, support::config_of("evict-all", tiers));
  std::vector<std::string> names;
  for (const std::string& line : world->plan().evictions) {
    names.push_back(line.substr(0, line.find(' ')));
  }
  for (const std::string& fault : world->faults()) {
    if (fault.find("waits and is not told") == std::string::npos) ADD_FAILURE() << fault;
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(GangTest, GANG4GivesUpOnlySpareMembers) {
  // Five run, three are needed: two may go. The other job is at its minimum.
  EXPECT_EQ(evicted("node n1 cpu=9\n"
                    "job a min=3\ntask a/0..4 cpu=1 on=n1\n"
                    "job b min=2\ntask b/0..1 cpu=1 on=n1\n"
                    "job z min=1\ntask z/0 cpu=1\n",
                    "gang"),
            (Names{"default/a-0", "default/a-1"}));
}

TEST(GangTest, GANG4KeepsTheMinimumOfEachRole) {
  // One above three, but the only ps may not be it.
  EXPECT_EQ(evicted("node n1 cpu=9\n"
                    "job a min=3 roles=ps:1,worker:2\n"
                    "task a/0 cpu=1 on=n1 role=ps\ntask a/1..3 cpu=1 on=n1 role=worker\n"
                    "job z min=1\ntask z/0 cpu=1\n",
                    "gang"),
            (Names{"default/a-1"}));
}

TEST(GangTest, GANG4NobodyToSpareIsAnAnswerThatNoLaterTierOutvotes) {
  EXPECT_EQ(evicted("priorityclass high value=9\nnode n1 cpu=9\n"
                    "job a min=2\ntask a/0..1 cpu=1 on=n1\n"
                    "job z min=1 priority=high\ntask z/0 cpu=1\n",
                    "gang / priority"),
            Names{});
}

TEST(PriorityTest, PRIORITY3TakesOnlyFromJobsOfLowerPriority) {
  EXPECT_EQ(evicted("priorityclass low value=1\npriorityclass mid value=5\n"
                    "priorityclass high value=9\nnode n1 cpu=9\n"
                    "job a min=1 priority=low\ntask a/0..1 cpu=1 on=n1\n"
                    "job b min=1 priority=mid\ntask b/0..1 cpu=1 on=n1\n"
                    "job c min=1 priority=high\ntask c/0..1 cpu=1 on=n1\n"
                    "job z min=1 priority=mid\ntask z/0 cpu=1\n",
                    "priority"),
            (Names{"default/a-0", "default/a-1"}));
}

TEST(PriorityTest, PRIORITY3TakesFromTasksOfLowerPriorityWithinItsJob) {
  EXPECT_EQ(evicted("node n1 cpu=9\njob a min=1\n"
                    "task a/0 cpu=1 priority=1 on=n1\ntask a/1 cpu=1 priority=3 on=n1\n"
                    "task a/2 cpu=1 priority=3\n",
                    "priority"),
            (Names{"default/a-0"}));
}

TEST(ConformanceTest, CONFORM1CriticalPodsStayWhateverTheTiersSay) {
  const std::string scene =
      "priorityclass system-node-critical value=0\npriorityclass high value=9\nnode n1 cpu=9\n"
      "pod kube-system:dns cpu=1 on=n1\n"
      "pod agent cpu=1 on=n1 class=system-node-critical\n"
      "pod plain cpu=1 on=n1\n"
      "job z min=1 priority=high\ntask z/0 cpu=1\n";
  EXPECT_EQ(evicted(scene, "priority / conformance"), (Names{"default/plain"}));
  EXPECT_EQ(evicted(scene, "priority").size(), 3u);
}

}  // namespace
}  // namespace berth::plugins
