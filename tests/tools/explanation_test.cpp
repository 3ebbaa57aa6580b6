#include "simulation/explanation.h"

#include <gtest/gtest.h>

#include "simulation/simulation.h"
#include "support/checkout.h"
#include "support/objects.h"
#include "tools/config_command.h"

namespace berth::tools {
namespace {

using namespace simulation;

// The default configuration.
conf::Config with_shares() { return open_config("").value(); }

// The same without shares of queues, so that only room on nodes is missing.
conf::Config without_shares() {
  conf::Config config = with_shares();
  for (engine::Tier& tier : config.session.tiers) {
    std::erase_if(tier, [](const auto& each) { return each.plugin.name == "proportion"; });
  }
  return config;
}

Explanation explained(std::vector<ClusterEvent> objects, const std::string& job,
                      std::size_t cycles = 1, conf::Config config = without_shares(),
                      std::optional<TimePoint> now = std::nullopt) {
  SimulationRequest request;
  request.now = now;
  request.objects = std::move(objects);
  request.config = std::move(config);
  request.cycles = cycles;
  request.explain = job;
  Result<Report> report = simulate(std::move(request));
  return report.value().explanation.value();
}

using Texts = std::vector<std::string>;

TEST(Explanation, ARunningJobLacksNothing) {
  const Explanation explanation = explained({node("n1", 4), group("g", 1), pod("g", 0, 2)}, "ml/g");
  EXPECT_EQ(explanation.job.phase, GroupPhase::running);
  EXPECT_EQ(explanation.job.reason, "");
  EXPECT_EQ(explanation.missing, Texts());
  EXPECT_EQ(explanation.remedies, Texts());
  ASSERT_EQ(explanation.tasks.size(), 1U);
  EXPECT_EQ(explanation.tasks[0].node, "n1");
  EXPECT_EQ(explanation.tasks[0].status, "Running");
}

TEST(Explanation, TIME1_TIME7_SaysWhatEndsTheJob) {
  PodObject first = pod("g", 0, 2);
  PodObject second = pod("g", 1, 2);
  first.times.deadline = second.times.deadline = std::chrono::hours(1);
  const std::vector<ClusterEvent> around{node("n1", 4), group("g", 2)};
  const auto limit = [&](const std::vector<ClusterEvent>& more) {
    std::vector<ClusterEvent> objects = around;
    objects.insert(objects.end(), {first, second});
    objects.insert(objects.end(), more.begin(), more.end());
    return explained(objects, "ml/g").time_limit;
  };
  EXPECT_EQ(limit({}), (TimeLimit{std::chrono::hours(1), LimitSource::pod_deadline}));
  second.times.deadline.reset();
  second.times.stated = std::chrono::hours(2);
  EXPECT_EQ(limit({}), (TimeLimit{std::chrono::hours(2), LimitSource::pod}))
      << "of the pod that may run longest";
  second.times.stated.reset();
  EXPECT_EQ(limit({}), std::nullopt);
  second.owner = {"batch/v1", "Job", "j", "u"};
  OwnerObject job{.uid = "u", .name_space = "ml"};
  job.deadline = JobDeadline{std::chrono::hours(3), {}};
  EXPECT_EQ(limit({job}), (TimeLimit{std::chrono::hours(3), LimitSource::job_deadline}));
}

// 3 nodes of 4 cpu. first takes 3 cpu on two of them; wide needs 3 pods of 4 cpu. One node is free,
// so two more nodes suffice, and one does not.
std::vector<ClusterEvent> crowded() {
  std::vector<ClusterEvent> objects{node("n1", 4), node("n2", 4), node("n3", 4)};
  objects.emplace_back(group("first", 2));
  objects.emplace_back(group("wide", 3));
  for (int i = 0; i < 2; ++i) {
    PodObject each = pod("first", i, 3);
    each.priority = 10;
    objects.emplace_back(each);
  }
  for (int i = 0; i < 3; ++i) objects.emplace_back(pod("wide", i, 4));
  return objects;
}

TEST(Explanation, SaysWhoWasServedBefore) {
  const Explanation explanation = explained(crowded(), "ml/wide");
  ASSERT_EQ(explanation.ahead.size(), 1U);
  EXPECT_EQ(explanation.ahead[0].job, "ml/first");
  EXPECT_EQ(explanation.ahead[0].priority, 10);
  EXPECT_EQ(explanation.ahead[0].placed, 2);
  EXPECT_TRUE(explained(crowded(), "ml/first").ahead.empty());
}

TEST(Explanation, SaysWhatIsMissingAndHowManyNodesWouldDo) {
  const Explanation explanation = explained(crowded(), "ml/wide");
  EXPECT_EQ(explanation.job.reason, "gang_incomplete");
  EXPECT_EQ(explanation.missing,
            Texts{"its 3 missing pods request 12 cpu; idle on all nodes together: 6 cpu"});
  EXPECT_EQ(explanation.remedies, Texts{"2 more nodes like n1 (4 cpu, 64Gi memory)"});
  for (const TaskRow& task : explanation.tasks) {
    EXPECT_EQ(task.status, "Pending");
    EXPECT_NE(task.why.find("insufficient cpu"), std::string::npos) << task.why;
  }
}

// A queue that could have the whole cluster lacks nodes, too.
TEST(Explanation, WhereTheQueueIsTheLimitNodesAreTriedAllTheSame) {
  const Explanation explanation = explained(crowded(), "ml/wide", 1, with_shares());
  EXPECT_EQ(explanation.missing,
            Texts{"its 3 missing pods request 12 cpu; idle on all nodes together: 6 cpu"});
  EXPECT_EQ(explanation.remedies, Texts{"2 more nodes like n1 (4 cpu, 64Gi memory)"});
}

TEST(Explanation, NamesTheNodeThatAPodWouldNeed) {
  const Explanation explanation =
      explained({node("n1", 4), group("huge", 1), pod("huge", 0, 9)}, "ml/huge");
  EXPECT_EQ(explanation.missing,
            Texts{"its missing pod requests 9 cpu; idle on all nodes together: 4 cpu"});
  EXPECT_EQ(explanation.job.message,
            "one of its pods needs 9 cpu, and no node can give it more than 4");
  EXPECT_EQ(explanation.remedies, Texts{"a node with 9 cpu for such a pod"});
}

TEST(Explanation, DistinguishesTheShapeWithoutAPlaceFromTheOneThatWaitsForIt) {
  const Explanation explanation = explained(
      {node("n1", 4), group("mixed", 2), pod("mixed", 0, 1), pod("mixed", 1, 8)}, "ml/mixed");
  ASSERT_EQ(explanation.tasks.size(), 2U);
  EXPECT_EQ(explanation.tasks[0].why, "one such pod would find a place; it waits for its gang");
  EXPECT_EQ(explanation.tasks[1].why,
            "0/1 nodes fit: 1 insufficient cpu (8 needed, at most 4 idle)");
}

TEST(Explanation, SaysWhatFollowsFromTheReason) {
  EXPECT_EQ(explained({group("g", 3), pod("g", 0, 1)}, "ml/g").remedies,
            Texts{"2 more pods in the group"});
  EXPECT_EQ(explained({pod("lost", 0, 1)}, "ml/lost").remedies, Texts{"a PodGroup \"ml/lost\""});
  PodGroupObject away = group("g", 1);
  away.queue = "away";
  EXPECT_EQ(explained({node("n1", 4), away, pod("g", 0, 1)}, "ml/g").remedies,
            Texts{"a Queue \"away\""});
  PodObject gated = pod("g", 0, 1);
  gated.gates = {"berth.dev/plan", "example.com/quota"};
  const Explanation explanation = explained({node("n1", 4), group("g", 1), gated}, "ml/g");
  EXPECT_EQ(explanation.job.reason, "gated");
  EXPECT_EQ(explanation.tasks.at(0).why, "has scheduling gates: example.com/quota");
}

TEST(Explanation, APlanThatIsOnlyAHintSaysSo) {
  PodObject hint = pod("", 1, 1);
  hint.constraints.unmodelled = {"podAffinity"};
  const Explanation explanation = explained({node("n1", 4), hint}, "ml/1");
  EXPECT_EQ(explanation.job.reason, "");
  EXPECT_EQ(explanation.job.message, "planned as a hint: podAffinity is not modelled");
}

TEST(Explanation, IsOfTheLastCycle) {
  PodObject timed = running(pod("", 1, 4), "n1");
  timed.run_time = std::chrono::seconds(1);
  const std::vector<ClusterEvent> objects{node("n1", 4), timed, group("g", 1), pod("g", 0, 4)};
  EXPECT_EQ(explained(objects, "ml/g", 1).job.phase, GroupPhase::inqueue);
  const Explanation later = explained(objects, "ml/g", 2);
  EXPECT_EQ(later.cycle, 2U);
  EXPECT_EQ(later.job.phase, GroupPhase::running);
}

// Two nodes of 12 cpu; 1 cpu is used for a long time. ml/big needs both nodes. ml/late comes five
// seconds later and needs 2 cpu. big is the target since the second session.
Explanation explained_behind_a_target(const std::string& job) {
  PodObject late = pod("late", 0, 2);
  PodGroupObject group_of_late = group("late", 1);
  late.created = group_of_late.created = second(5);
  const conf::Config config =
      open_config(support::source_file("docs/examples/reservation/reservation.conf")).value();
  return explained(
      {node("n1", 12), node("n2", 12), running(pod("", 1, 1), "n1"), running(pod("", 2, 1), "n2"),
       group("big", 2), pod("big", 0, 12), pod("big", 1, 12), group_of_late, late},
      job, 4, config, second(0));
}

TEST(Explanation, OfATargetSaysWhatIsKeptForItAndWhatItWaitsFor) {
  const Explanation explanation = explained_behind_a_target("ml/big");
  ASSERT_TRUE(explanation.target);
  EXPECT_EQ(explanation.target->nodes, (Texts{"n1", "n2"}));
  EXPECT_EQ(explanation.target->elected_since, second(10));
  ASSERT_EQ(explanation.target->missing.size(), 1U);
  EXPECT_EQ(explanation.target->missing[0].idle, 22000);
  EXPECT_EQ(explanation.target->missing[0].need, 24000);
  EXPECT_TRUE(explanation.blocked_by.empty());
}

TEST(Explanation, OfAJobBehindATargetNamesIt) {
  const Explanation explanation = explained_behind_a_target("ml/late");
  EXPECT_FALSE(explanation.target);
  ASSERT_EQ(explanation.blocked_by.size(), 1U);
  EXPECT_EQ(explanation.blocked_by[0].job, "ml/big");
  EXPECT_EQ(explanation.blocked_by[0].nodes, (Texts{"n1", "n2"}));
  EXPECT_NE(explanation.job.message.find("2 locked for target ml/big"), std::string::npos)
      << explanation.job.message;
  // The target is covered and takes no further node.
  EXPECT_EQ(explanation.remedies, (Texts{"the nodes that are kept for target ml/big",
                                         "1 more node like n1 (12 cpu, 64Gi memory)"}));
}

// Nobody may leave for ml/new, which has no higher priority: but without ml/old, or without the pod
// of another scheduler, it would start.
TEST(Explanation, NamesWhoseEndWouldDo) {
  std::vector<ClusterEvent> objects{node("n1", 4), group("old", 2), group("new", 1),
                                    pod("new", 0, 3)};
  for (int i = 0; i < 2; ++i) objects.emplace_back(running(pod("old", i, 2), "n1"));
  EXPECT_EQ(explained(objects, "ml/new").remedies,
            (Texts{"job ml/old ended", "1 more node like n1 (4 cpu, 64Gi memory)"}));
  std::erase_if(objects, [](const ClusterEvent& object) {
    const auto* const pod = std::get_if<PodObject>(&object);
    return pod != nullptr && pod->group == "old";
  });
  PodObject other = running(pod("", 7, 4), "n1");
  other.scheduler_name = "other";
  objects.emplace_back(other);
  EXPECT_EQ(explained(objects, "ml/new").remedies,
            (Texts{"pod ml/7 ended", "1 more node like n1 (4 cpu, 64Gi memory)"}));
}

TEST(Explanation, OfAJobThatComesLaterIsOfWhenItIsThere) {
  PodObject late = pod("", 7, 1);
  late.created = second(3);
  const std::vector<ClusterEvent> objects{node("n1", 4), late};
  EXPECT_EQ(explained(objects, "ml/7", 5, without_shares(), second(0)).job.phase,
            GroupPhase::running);
  SimulationRequest request;
  request.objects = objects;
  request.config = without_shares();
  request.cycles = 2;
  request.now = second(0);
  request.explain = "ml/7";
  const Result<Report> report = simulate(std::move(request));
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().to_string().find("is created at 1970-01-01T00:00:03Z"),
            std::string::npos)
      << report.error().to_string();
}

}  // namespace
}  // namespace berth::tools
