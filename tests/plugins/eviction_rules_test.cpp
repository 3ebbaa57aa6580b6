#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>
#include "berth/engine/action.h"
#include "berth/engine/statement.h"
#include "berth/engine/surplus.h"

#include "support/open_session.h"

// Rules about victims, each by itself: an action of this test evicts whatever they allow.

namespace berth::plugins {
namespace {

using namespace engine;

// Asks for the first job without a place by name, about all others in name order. Evicts all
// surplus that the points allow, pod by pod, then whole jobs.
class EvictAll final : public Action {
 public:
  explicit EvictAll(Arguments&) {}
  void execute(Session& session) const override {
    const Cluster& cluster = session.cluster();
    std::vector<JobId> jobs;
    for (std::size_t j = 0; j < cluster.job_slots(); ++j) {
      if (cluster.job(JobId(j)).exists) jobs.push_back(JobId(j));
    }
    std::sort(jobs.begin(), jobs.end(), [&](JobId left, JobId right) {
      return cluster.job(left).name < cluster.job(right).name;
    });
    const auto claimant = std::find_if(
        jobs.begin(), jobs.end(), [&](JobId id) { return cluster.job(id).unplaced_count() > 0; });
    if (claimant == jobs.end()) return;
    PartSet parts;
    for (const JobId id : jobs) {
      if (id == *claimant) continue;
      if (surplus_count(cluster.job(id)) > 0) parts.push_back({id, JobPart::Kind::surplus});
      parts.push_back({id, JobPart::Kind::whole});
    }
    for (const JobPart& part : session.ask(points::preemptable, cluster.job(*claimant), parts)) {
      const bool is_whole = part.kind == JobPart::Kind::whole;
      const Job& job = cluster.job(part.job);
      if (is_whole) {
        std::vector<TaskId> all = job.tasks;
        std::erase_if(all, [&](TaskId id) { return !is_allocated(cluster.task(id).status); });
        evict(session, {job.id, all}, *claimant);
      } else {
        for (const TaskId id : surplus_of(session, job)) {
          evict(session, {job.id, std::span(&id, 1)}, *claimant);
        }
      }
    }
  }

 private:
  static void evict(Session& session, const Leaving& leaving, JobId claimant) {
    if (leaving.tasks.empty()) return;
    Statement statement(session);
    if (statement.evict(leaving, {claimant, "evict-all"})) std::move(statement).commit();
  }
};

BERTH_ACTION(EvictAll, "evict-all");

std::vector<std::string> evicted(const std::string& scene, const std::string& tiers) {
  const auto world = support::stage(scene, support::config_of("evict-all", tiers));
  std::vector<std::string> names;
  for (const std::string& line : world->plan().evictions) {
    names.push_back(line.substr(0, line.find(' ')));
  }
  return names;
}

using Names = std::vector<std::string>;

constexpr const char* kClasses =
    "priorityclass low value=1\npriorityclass mid value=5\npriorityclass high value=9\n";

TEST(GangTest, GANG4KeepsTheMinimumUnlessTheJobLeavesWhole) {
  // Five run, three are needed: the last two go. The other job is at its minimum. With gates of
  // others on its way, a job cannot leave whole.
  const std::string scene = std::string(kClasses) +
                            "node n1 cpu=9\n"
                            "job a min=3\ntask a/0..4 cpu=1 on=n1\n"
                            "job b min=2\ntask b/0 cpu=1 on=n1\ntask b/1 cpu=1 on=n1\n"
                            "job z min=1 priority=high\ntask z/0 cpu=1\n";
  EXPECT_EQ(evicted(scene, "gang priority").size(), 7u);
  Names names = evicted(scene, "gang priority");
  EXPECT_EQ((Names{names[0], names[1]}), (Names{"default/a-4", "default/a-3"}));
}

TEST(GangTest, GANG4KeepsTheMinimumOfEachRole) {
  // One above three, but the only ps may not be it, although it is the last.
  const Names names = evicted(std::string(kClasses) +
                                  "node n1 cpu=9\n"
                                  "job a min=3 roles=ps:1,worker:2\n"
                                  "task a/9 cpu=1 on=n1 role=ps\n"
                                  "task a/1..3 cpu=1 on=n1 role=worker\n"
                                  "job z min=1\ntask z/0 cpu=1\n",
                              "gang priority elastic");
  EXPECT_EQ(names, (Names{"default/a-3"}));
}

TEST(GangTest, GANG4KeepsThoseThatRunTogether) {
  // Two have succeeded. Of the four that run three are needed: one goes, then only all.
  const std::string scene = std::string(kClasses) +
                            "node n1 cpu=9\n"
                            "job a min=3 priority=low\ntask a/0..5 cpu=1 on=n1\n"
                            "finish a/0\nfinish a/1\n"
                            "job z min=1 priority=low\ntask z/0 cpu=1\n";
  EXPECT_EQ(evicted(scene, "gang priority elastic"), (Names{"default/a-5"}));
}

TEST(PriorityTest, PRIORITY3TakesOnlyFromJobsOfLowerPriority) {
  const std::string scene = std::string(kClasses) +
                            "node n1 cpu=9\n"
                            "job a min=1 priority=low\ntask a/0..1 cpu=1 on=n1\n"
                            "job b min=1 priority=mid\ntask b/0..1 cpu=1 on=n1\n"
                            "job c min=1 priority=high\ntask c/0..1 cpu=1 on=n1\n"
                            "job z min=1 priority=mid\ntask z/0 cpu=1\n";
  EXPECT_EQ(evicted(scene, "priority"), (Names{"default/a-1", "default/a-0"}));
  // ELASTIC-1
  EXPECT_EQ(evicted(scene, "priority elastic"),
            (Names{"default/a-1", "default/a-0", "default/b-1"}));
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
