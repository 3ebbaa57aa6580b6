#include "kubeapi/live_cluster.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <variant>

#include "berth/model/quantity.h"
#include "kubeapi/live_cluster_fixture.h"

namespace berth::kubeapi {
namespace {

TEST_F(LiveClusterTest, PostsWhatThereIsAndWhatChanges) {
  api_.put(kNodes, "n1", R"(,"status":{"allocatable":{"cpu":"4"}})");
  api_.put(kPods, "p", R"(,"spec":{"schedulerName":"berth","containers":[{"name":"c"}]})");
  api_.put(kGroups, "g", R"(,"spec":{"minMember":2})");
  api_.put(kQueues, "q", R"(,"spec":{"weight":3})");
  LiveCluster cluster(*client_, options_);
  ASSERT_TRUE(cluster.start(events_));
  EXPECT_FALSE(cluster.start(events_));
  EXPECT_TRUE(events_.wait_for<NodeObject>([](const auto& node) { return node.name == "n1"; }));
  EXPECT_TRUE(events_.wait_for<PodObject>([](const auto& pod) { return pod.uid == "uid-2"; }));
  EXPECT_TRUE(
      events_.wait_for<PodGroupObject>([](const auto& group) { return group.min_member == 2; }));
  EXPECT_TRUE(events_.wait_for<QueueObject>([](const auto& queue) { return queue.weight == 3; }));
  api_.erase(kPods, "p");
  api_.erase(kGroups, "g");
  EXPECT_TRUE(events_.wait_for<PodDeleted>([](const auto& pod) { return pod.uid == "uid-2"; }));
  EXPECT_TRUE(events_.wait_for<PodGroupDeleted>(
      [](const auto& group) { return group.full_name == "ns/g"; }));
  cluster.stop();
}

TEST_F(LiveClusterTest, API16IsSyncedWhenAllThatIsRequiredWasListed) {
  LiveCluster cluster(*client_, options_);
  ASSERT_TRUE(cluster.start(events_));
  const auto wanted =
      std::vector<std::string>{"queues.scheduling.volcano.sh", "podgroups.scheduling.volcano.sh"};
  EXPECT_TRUE(until([&] { return cluster.unsynced() == wanted; }));
  EXPECT_FALSE(cluster.is_synced());
  api_.serve(kQueues);
  api_.serve(kGroups);
  EXPECT_TRUE(until([&] { return cluster.is_synced(); }));
  // Budgets are not awaited, so their list may come later.
  EXPECT_TRUE(until([&] { return cluster.counters().back().counters.lists > 0; }));
  for (const KindCounters& kind : cluster.counters()) {
    EXPECT_EQ(kind.counters.lists, kind.kind == "podgroups.scheduling.x-k8s.io" ? 0U : 1U)
        << kind.kind;
  }
}

// podgroups.scheduling.x-k8s.io is not served, and nobody waits for it.
TEST_F(LiveClusterTest, API41SilentWatchesAreBehindOnceTheyAreDoubted) {
  api_.serve(kQueues);
  api_.serve(kGroups);
  LiveCluster cluster(*client_, options_);
  ASSERT_TRUE(cluster.start(events_));
  ASSERT_TRUE(until([&] { return cluster.is_synced() && cluster.behind({}).is_empty(); }));
  cluster.doubt_silence({});
  EXPECT_TRUE(cluster.behind({}).is_empty()) << "all have just listed";
  EXPECT_TRUE(until([&] {
    cluster.doubt_silence({});
    const ports::Behind behind = cluster.behind({});
    return behind.required.size() == 6 && behind.optional == std::vector<std::string>{"leases"};
  }));
  const auto is_short = [](const Call& call) {
    return call.is_watch() && call.parameter("timeoutSeconds") == "1";
  };
  EXPECT_TRUE(until([&] {
    const auto calls = server_.calls();
    return std::count_if(calls.begin(), calls.end(), is_short) >= 7;
  }));
}

TEST_F(LiveClusterTest, API24ReportsOwnersWhenWhatIsReadChangesAndWaitsForThemAtFirst) {
  constexpr const char* kJobs = "/apis/batch/v1/jobs";
  const std::string naming = R"(,"annotations":{"berth.dev/target":"true"})";
  const auto is_naming = [](bool names_target) {
    return [names_target](const OwnerObject& owner) {
      return owner.uid == "uid-1" && owner.names_target == names_target;
    };
  };
  api_.serve(kQueues);
  api_.serve(kGroups);
  api_.serve(kJobs);
  api_.put(kJobs, "named", R"(,"status":{"active":1})", naming);
  api_.put(kJobs, "unnamed", R"(,"spec":{})");
  options_.owners = {"jobs.v1.batch", "rayclusters.v1.ray.io"};
  LiveCluster cluster(*client_, options_);
  const auto unsynced = cluster.unsynced();
  EXPECT_NE(std::find(unsynced.begin(), unsynced.end(), "jobs.v1.batch"), unsynced.end());
  ASSERT_TRUE(cluster.start(events_));
  ASSERT_TRUE(events_.wait_for<OwnerObject>(is_naming(true)));
  EXPECT_TRUE(until([&] { return cluster.is_synced(); }));

  api_.put(kJobs, "named", R"(,"status":{"active":2})", naming);
  api_.put(kJobs, "unnamed", R"(,"status":{"active":2})");
  api_.put(kJobs, "named");
  ASSERT_TRUE(events_.wait_for<OwnerObject>(is_naming(false)));
  api_.put(kJobs, "named", "", naming);
  api_.erase(kJobs, "unnamed");
  api_.erase(kJobs, "named");
  ASSERT_TRUE(events_.wait_for<OwnerDeleted>([](const auto& gone) { return gone.uid == "uid-1"; }));
  cluster.stop();
  const auto events = events_.all.get();
  EXPECT_EQ(events.size(), 6U) << "both; not named, named again; both gone";
}

TEST_F(LiveClusterTest, API27FollowsAResourceFromWhenItIsServed) {
  constexpr const char* kSets = "/apis/jobset.x-k8s.io/v1alpha2/jobsets";
  const auto is_served = std::make_shared<std::atomic<bool>>(false);
  const auto asked = std::make_shared<std::atomic<int>>(0);
  api_.intercept([=](const Call& call, Reply& reply) {
    if (call.path() == "/apis") {
      ++*asked;
      reply.send(200, *is_served ? R"({"groups":[{"name":"jobset.x-k8s.io","versions":)"
                                   R"([{"groupVersion":"jobset.x-k8s.io/v1alpha2"}]},)"
                                   R"({"name":"scheduling.k8s.io","versions":)"
                                   R"([{"groupVersion":"scheduling.k8s.io/v1"},)"
                                   R"({"groupVersion":"scheduling.k8s.io/v1alpha2"},)"
                                   R"({"groupVersion":"scheduling.k8s.io/v1beta1"}]},)"
                                   R"({"versions":[{"groupVersion":"kueue.x-k8s.io/v1beta2"},)"
                                   R"({"groupVersion":"kai.scheduler/v1alpha1"},)"
                                   R"({"groupVersion":"topology.volcano.sh/v1alpha1"}]}]})"
                                 : R"({"groups":[]})");
      return true;
    }
    if (call.path() == "/apis/kueue.x-k8s.io/v1beta2" ||
        call.path() == "/apis/kai.scheduler/v1alpha1" ||
        call.path() == "/apis/topology.volcano.sh/v1alpha1") {
      reply.send(200, R"({"resources":[{"name":"topologies"},{"name":"hypernodes"}]})");
      return true;
    }
    if (call.path() == "/apis/scheduling.k8s.io/v1alpha2" ||
        call.path() == "/apis/scheduling.k8s.io/v1beta1") {
      reply.send(200, R"({"resources":[{"name":"podgroups","kind":"PodGroup"}]})");
      return true;
    }
    if (call.path() != "/apis/jobset.x-k8s.io/v1alpha2") return false;
    reply.send(200, R"({"resources":[{"name":"jobsets","kind":"JobSet"}]})");
    return true;
  });
  constexpr const char* kKubeGroups = "/apis/scheduling.k8s.io/v1beta1/podgroups";
  api_.serve(kQueues);
  api_.serve(kGroups);
  api_.serve(kSets);
  api_.serve(kKubeGroups);
  api_.put(kKubeGroups, "k", R"(,"spec":{"schedulingPolicy":{"gang":{"minCount":4}}})");
  api_.put(kSets, "s", R"(,"spec":{"replicatedJobs":[{"replicas":3,"template":{"spec":{}}}]})");
  options_.owners = {"jobsets.v1alpha2.jobset.x-k8s.io"};
  options_.discover_again = std::chrono::milliseconds(5);
  LiveCluster cluster(*client_, options_);
  ASSERT_TRUE(cluster.start(events_));
  ASSERT_TRUE(until([&] { return *asked >= 3 && cluster.is_synced(); }))
      << "not served: not awaited";
  *is_served = true;
  ASSERT_TRUE(events_.wait_for<OwnerObject>([](const OwnerObject& owner) {
    return owner.self.kind == "JobSet" && owner.self.api_version == "jobset.x-k8s.io/v1alpha2" &&
           owner.at_once == 3;
  }));
  ASSERT_TRUE(events_.wait_for<PodGroupObject>([](const PodGroupObject& group) {
    return group.api == GroupApi::kubernetes && group.min_member == 4;
  }));
  ASSERT_TRUE(until([&] {
    const std::vector<KindCounters> kinds = cluster.counters();
    return std::count_if(kinds.begin(), kinds.end(), [&](const KindCounters& kind) {
             return kind.kind == options_.owners[0] ||
                    kind.kind == "podgroups.v1beta1.scheduling.k8s.io";
           }) == 2;
  }));
  const int then = *asked;
  ASSERT_TRUE(api_.wait_for_watch(kSets));
  EXPECT_LE(*asked, then + 1) << "all are found: nobody asks again";
  cluster.stop();
}

TEST_F(LiveClusterTest, API18ReportsAnotherLeader) {
  const std::string lease = R"(,"spec":{"holderIdentity":"a","renewTime":")";
  api_.put(kLeases, "kube-scheduler", lease + "1\"}");
  LiveCluster cluster(*client_, options_);
  ASSERT_TRUE(cluster.start(events_));
  ASSERT_TRUE(holders_.wait([](const auto& all) { return all.size() == 1; }));
  api_.put(kLeases, "kube-scheduler", lease + "2\"}");
  api_.put(kLeases, "kube-scheduler", R"(,"spec":{"holderIdentity":"b"})");
  ASSERT_TRUE(holders_.wait([](const auto& all) { return all.size() == 2; }));
  api_.erase(kLeases, "kube-scheduler");
  ASSERT_TRUE(holders_.wait([](const auto& all) { return all.size() == 3; }));
  EXPECT_EQ(holders_.get(), (std::vector<std::string>{"a", "b", ""}));
  cluster.stop();
  bool is_selected = false;
  for (const Call& call : server_.calls()) {
    is_selected |= call.parameter("fieldSelector") == "metadata.name%3Dkube-scheduler";
  }
  EXPECT_TRUE(is_selected);
}

TEST_F(LiveClusterTest, API25AnEndedPodCountsAsEndedThoughAHintCannotBeRead) {
  const std::string spec = R"(,"spec":{"nodeName":"n1","containers":[{"name":"c"}]})";
  const std::string odd = R"(,"annotations":{"berth.dev/run-time":"an hour"})";
  Awaited<std::vector<std::string>> complaints;
  options_.reflector.complain = [&](const std::string& what, const Error& error) {
    if (what.starts_with("pods "))
      complaints.change([&](auto& all) { all.push_back(what + ": " + error.message); });
  };
  api_.put(kPods, "p", spec + R"(,"status":{"phase":"Running"})");
  LiveCluster cluster(*client_, options_);
  ASSERT_TRUE(cluster.start(events_));
  ASSERT_TRUE(events_.wait_for<PodObject>([](const auto& pod) { return pod.name == "p"; }));
  api_.put(kPods, "p", spec + R"(,"status":{"phase":"Running"})", odd);
  api_.put(kPods, "q", spec + R"(,"status":{"phase":"Running"})", odd);
  api_.put(kPods, "p", spec + R"(,"status":{"phase":"Succeeded"})", odd);
  EXPECT_TRUE(events_.wait_for<PodObject>([](const auto& pod) {
    return pod.name == "p" && pod.phase == PodPhase::succeeded && pod.node_name == "n1" &&
           !pod.run_time && pod.constraints.fault.empty();
  }));
  api_.erase(kPods, "p");
  EXPECT_TRUE(events_.wait_for<PodDeleted>([](const auto& pod) { return pod.uid == "uid-1"; }));
  cluster.stop();
  // Once, though two pods have the fault and one of them has changed.
  const std::vector<std::string> all = complaints.get();
  ASSERT_EQ(all.size(), 1U);
  const std::string& complaint = all.front();
  EXPECT_EQ(complaint.find(R"(pods ns/p: metadata.annotations["berth.dev/run-time"]: "an hour")"),
            0U)
      << complaint;
}

TEST_F(LiveClusterTest, API25KeepsWhatCanBeReadOfAnObject) {
  api_.put(kNodes, "n1", R"(,"status":{"allocatable":{"cpu":"4","memory":"9Pi"}})");
  api_.put(kNodes, "n2",
           R"(,"spec":{"taints":[{"key":"a","effect":"Odd"}]},"status":{"allocatable":{}})");
  api_.put(kPods, "p",
           R"(,"spec":{"nodeName":"n1","containers":[{"resources":{"requests":{"cpu":"2"}}}],)"
           R"("tolerations":[{"operator":"Odd"}]},"status":{"phase":"Running"})");
  api_.put(kGroups, "g", R"(,"spec":{"minMember":-1})");
  LiveCluster cluster(*client_, options_);
  ASSERT_TRUE(cluster.start(events_));
  EXPECT_TRUE(events_.wait_for<NodeObject>([](const auto& node) {
    return node.name == "n1" && !node.unschedulable &&
           node.allocatable.at("memory") == kAmountMax - 1;
  }));
  EXPECT_TRUE(events_.wait_for<NodeObject>(
      [](const auto& node) { return node.name == "n2" && node.unschedulable; }));
  EXPECT_TRUE(events_.wait_for<PodObject>([](const auto& pod) {
    return pod.phase == PodPhase::running && pod.node_name == "n1" &&
           pod.request.at("cpu") == 2000 &&
           pod.constraints.fault.starts_with("spec.tolerations[0]");
  }));
  EXPECT_TRUE(events_.wait_for<PodGroupObject>(
      [](const auto& group) { return group.fault.starts_with("spec.minMember"); }));
  cluster.stop();
}

TEST_F(LiveClusterTest, API26BudgetsAreReadWhereTheyAreWanted) {
  api_.put(kBudgets, "b",
           R"(,"spec":{"selector":{"matchLabels":{"a":"b"}}},)"
           R"("status":{"disruptionsAllowed":2,"disruptedPods":{"p":"2026-11-20T09:00:00Z"}})");
  options_.budgets = true;
  LiveCluster cluster(*client_, options_);
  ASSERT_TRUE(cluster.start(events_));
  ASSERT_TRUE(events_.wait_for<BudgetObject>([](const auto& budget) {
    return budget.full_name() == "ns/b" && budget.allowed == 2 && budget.counts("p") &&
           budget.selector == std::vector<Expression>{{"a", Operator::in, {"b"}}};
  }));
  api_.erase(kBudgets, "b");
  EXPECT_TRUE(events_.wait_for<BudgetDeleted>(
      [](const auto& deleted) { return deleted.full_name == "ns/b"; }));
  cluster.stop();
}

TEST_F(LiveClusterTest, API26BudgetsCostNothingWithoutAnActionThatEvicts) {
  LiveCluster cluster(*client_, options_);
  const auto counters = cluster.counters();
  EXPECT_TRUE(std::none_of(counters.begin(), counters.end(), [](const KindCounters& each) {
    return each.kind == "poddisruptionbudgets";
  }));
}

TEST_F(LiveClusterTest, API26TheFirstSessionWaitsForBudgets) {
  options_.budgets = true;
  const LiveCluster cluster(*client_, options_);
  const std::vector<std::string> unsynced = cluster.unsynced();
  EXPECT_NE(std::find(unsynced.begin(), unsynced.end(), "poddisruptionbudgets"), unsynced.end());
}

}  // namespace
}  // namespace berth::kubeapi
