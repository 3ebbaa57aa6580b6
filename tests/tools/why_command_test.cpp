#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/fake_cluster.h"

namespace berth::tools {
namespace {

using nlohmann::json;

constexpr const char* kEvents = "/api/v1/namespaces/ml/events";

const std::string kWaiting = R"({"phase":"Inqueue","waiting":{"reason":"gang_incomplete",
  "message":"1 of 2 members could be placed","since":"2026-11-21T09:01:00Z","queue":"research",
  "position":"2nd of 3 in queue research; 1 of those ahead is in this namespace: ml/big",
  "queuePosition":2,"queueWaiting":3,"jobsAhead":4,"jobsAheadInNamespace":1,
  "aheadInNamespace":["ml/big"]}})";

std::string event_json(const std::string& name, const std::string& uid, const std::string& text) {
  return R"({"metadata":{"name":")" + name + R"(","namespace":"ml"},"involvedObject":{"kind":
    "PodGroup","name":"train-pg","uid":")" +
         uid + R"("},"reason":"Unschedulable","message":")" + text +
         R"(","type":"Warning","lastTimestamp":"2026-11-21T09:02:00Z"})";
}

class WhyCommand : public testing::Test {
 protected:
  WhyCommand() {
    const std::string job = owner_json("batch/v1", "Job", "train");
    cluster_.serve(kGroups, {group_json("train-pg", kWaiting, job)});
    cluster_.serve(
        kPods, {pod_json("train-0", "train-pg", "", job), pod_json("train-1", "train-pg", "", job),
                pod_json("web", "", "n1", "", "default-scheduler")});
    cluster_.serve(kEvents, {event_json("e1", "uid-train-pg", "1 of 2 members"),
                             event_json("e2", "uid-of-another", "not ours")});
  }

  std::string text_of(const std::string& job) {
    const Outcome outcome = cluster_.run({"why", job, "-o", "wide"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out;
  }
  void expect_says(const std::string& text, const std::vector<std::string>& parts) {
    for (const std::string& part : parts) {
      EXPECT_NE(text.find(part), std::string::npos) << part << "\nis not in:\n" << text;
    }
  }

  FakeCluster cluster_;
};

TEST_F(WhyCommand, FindsAJobByItsGroupItsOwnerOrItsPod) {
  const std::string by_group = text_of("train-pg");
  expect_says(by_group,
              {"ml/train-pg (PodGroup of Job train)", "waits since 2026-11-21T09:01:00Z",
               "1 of 2 members could be placed", "gang_incomplete", "2nd of 3 in queue research",
               "2, 2 without a node; it starts with 2", "berth plan --explain",
               "podgroup train-pg: Unschedulable: 1 of 2 members"});
  EXPECT_EQ(by_group.find("not ours"), std::string::npos);
  for (const char* name :
       {"train", "job/train", "jobs.batch/train", "pod/train-1", "pg/train-pg"}) {
    expect_says(text_of(name), {"ml/train-pg (PodGroup of Job train)"});
  }
}

TEST_F(WhyCommand, CostsFourRequestsAndOneForTheJobOfThePods) {
  text_of("train");
  const std::vector<std::string> targets = cluster_.targets();
  ASSERT_EQ(targets.size(), 5U);
  EXPECT_EQ(targets[3], "/apis/batch/v1/namespaces/ml/jobs/train");
  EXPECT_EQ(targets[4], std::string(kEvents) + "?limit=500&fieldSelector=source%3Dberthd");
  EXPECT_EQ(cluster_.header_of_first("authorization"), "Bearer secret");
}

TEST_F(WhyCommand, PodsOfKubernetesOwnGroupCostOneRequestMore) {
  const std::string group = "/apis/scheduling.k8s.io/v1beta1/namespaces/ml/podgroups";
  cluster_.serve(kPods, {R"({"metadata":{"name":"k-0","namespace":"ml","uid":"uid-k-0"},"spec":{
    "schedulerName":"berth","schedulingGroup":{"podGroupName":"k"},"containers":[{"name":"c"}]},
    "status":{"phase":"Pending"}})"});
  expect_says(text_of("k-0"), {"ml/k-0", "pod group \"k\", which does not exist"});
  // As in a list: without apiVersion.
  cluster_.serve(group, {R"({"metadata":{"name":"k","namespace":"ml","uid":"uid-k"},"spec":{
    "schedulingPolicy":{"gang":{"minCount":2}}},"status":{"conditions":[{"type":
    "PodGroupInitiallyScheduled","status":"False","reason":"Unschedulable","message":
    "it has 1 pods and needs at least 2","lastTransitionTime":"2026-11-21T09:01:00Z"}]}})"});
  expect_says(text_of("k"), {"ml/k (PodGroup)", "it has 1 pods and needs at least 2",
                             "1, 1 without a node; it starts with 2"});
  EXPECT_EQ(cluster_.targets().size(), 11U) << "the first time for the groups of 1.36 as well";
  cluster_.forbid(group, "list", "podgroups");
  const Outcome refused = cluster_.run({"why", "k"});
  EXPECT_EQ(refused.exit_code, 3);
  expect_says(refused.err, {"podgroups.scheduling.k8s.io"});
}

TEST_F(WhyCommand, KUBEGROUP8_AGroupBelowACompositeHasItsCondition) {
  const std::string api = "/apis/scheduling.k8s.io/";
  cluster_.serve(kPods, {R"({"metadata":{"name":"k-0","namespace":"ml","uid":"uid-k-0"},"spec":{
    "schedulerName":"berth","schedulingGroup":{"podGroupName":"k"},"containers":[{"name":"c"}]},
    "status":{"phase":"Pending"}})"});
  cluster_.serve(api + "v1beta1/namespaces/ml/podgroups",
                 {R"({"metadata":{"name":"k","namespace":"ml","uid":"uid-k"},"spec":{
    "parentCompositePodGroupName":"train","schedulingPolicy":{"gang":{"minCount":1}}}})"});
  cluster_.serve(api + "v1alpha3/namespaces/ml/compositepodgroups",
                 {R"({"metadata":{"name":"train","namespace":"ml","uid":"uid-t"},"spec":{
    "schedulingPolicy":{"gang":{"minGroupCount":2}}},"status":{"conditions":[{"type":
    "CompositePodGroupInitiallyScheduled","status":"False","reason":"Unschedulable","message":
    "it does not start yet","lastTransitionTime":"2026-11-21T09:01:00Z"}]}})"});
  expect_says(text_of("k"), {"CompositePodGroup ml/train: it does not start yet"});
}

TEST_F(WhyCommand, TheDocumentHasItsVersionAndAllFields) {
  const Outcome outcome = cluster_.run({"why", "job/train"});
  const json document = json::parse(outcome.out);
  EXPECT_EQ(document["apiVersion"], "berth.dev/v1");
  EXPECT_EQ(document["kind"], "Why");
  EXPECT_EQ(document["asked"], "job/train");
  const json& job = document["jobs"][0];
  EXPECT_EQ(job["state"], "waits");
  EXPECT_EQ(job["reason"], "gang_incomplete");
  EXPECT_EQ(job["queuePosition"], 2);
  EXPECT_EQ(job["jobsAhead"], 4);
  EXPECT_EQ(job["aheadInNamespace"], json::array({"ml/big"}));
  EXPECT_EQ(job["owner"], (json{{"kind", "Job"}, {"name", "train"}}));
  EXPECT_EQ(job["pods"]["waiting"], 2);
  EXPECT_EQ(job["events"].size(), 1U);
}

TEST_F(WhyCommand, SaysForHowLongTheJobMayRunAndWhoEnforcesIt) {
  const std::string job = owner_json("batch/v1", "Job", "train");
  const auto with_spec = [](std::string pod, const std::string& more) {
    return pod.replace(pod.find("\"spec\":{") + 8, 0, more + ",");
  };
  cluster_.serve(
      kPods,
      {with_spec(pod_json("train-0", "train-pg", "", job), R"("activeDeadlineSeconds":3600)"),
       with_spec(pod_json("train-1", "train-pg", "", job), R"("activeDeadlineSeconds":7200)"),
       with_metadata(pod_json("solo", ""), R"("annotations":{
                           "berth.dev/time-limit":"10m"})")});
  cluster_.serve_body("/apis/batch/v1/namespaces/ml/jobs/train",
                      R"({"metadata":{"name":"train","uid":"uid-Job-train"},"spec":{
                        "activeDeadlineSeconds":10800},"status":{
                        "startTime":"2026-11-21T09:00:00Z"}})");
  expect_says(text_of("train"),
              {"2h (activeDeadlineSeconds of its pods, which the kubelet enforces)",
               "3h from 2026-11-21T09:00:00Z, until 2026-11-21T12:00:00Z (activeDeadlineSeconds of "
               "its Job, which the Job's controller enforces)"});
  expect_says(text_of("solo"), {"10m (its pods state it, and nobody enforces it)"});
  const json document = json::parse(cluster_.run({"why", "train"}).out)["jobs"][0];
  EXPECT_EQ(document["timeLimit"],
            (json{{"seconds", 7200}, {"source", "pod-deadline"}, {"enforced", true}}));
  EXPECT_EQ(document["deadline"], (json{{"seconds", 10800}, {"since", "2026-11-21T09:00:00Z"}}));

  cluster_.serve(kGroups, {with_metadata(group_json("train-pg", kWaiting, job),
                                         R"("annotations":{"berth.dev/time-limit":"90m"})")});
  cluster_.serve(kPods, {pod_json("train-0", "train-pg", "", job)});
  expect_says(text_of("train"), {"1h30m (its PodGroup states it, and nobody enforces it)"});
  cluster_.serve(kGroups, {group_json("train-pg", kWaiting, job)});
  const json without = json::parse(cluster_.run({"jobs", "-n", "ml", "-o", "json"}).out)["jobs"][0];
  EXPECT_EQ(without["timeLimit"], nullptr);
}

TEST_F(WhyCommand, SaysThatAJobRunsAndThatAPodIsNotBerths) {
  cluster_.serve(kPods,
                 {pod_json("train-0", "train-pg", "n1"), pod_json("train-1", "train-pg", "n2"),
                  pod_json("web", "", "", "", "default-scheduler")});
  cluster_.serve(kGroups, {group_json("train-pg", R"({"phase":"Running"})")});
  expect_says(text_of("train-pg"), {"runs", "2, 2 with a node"});
  expect_says(text_of("web"), {"is not planned by Berth", "default-scheduler", "schedulerName"});
}

TEST_F(WhyCommand, PodsOfOneOwnerThatArePlannedOneByOneAreMet) {
  const std::string job = owner_json("batch/v1", "Job", "train");
  cluster_.serve(kGroups, {});
  cluster_.serve(kPods, {pod_json("train-0", "", "n1", job), pod_json("train-1", "", "n1", job),
                         pod_json("train-2", "", "", job), pod_json("train-3", "", "", job)});
  expect_says(text_of("job/train"),
              {"train-3", "Job train is planned pod by pod: 2 pods run, 2 wait", "berth.dev/gang"});
}

TEST_F(WhyCommand, AnOwnerOfOwnersIsFoundByAskingForThem) {
  const std::string job = owner_json("batch/v1", "Job", "set-workers-0");
  cluster_.serve(kGroups, {});
  cluster_.serve(kPods, {pod_json("set-workers-0-0", "", "", job)});
  cluster_.serve_body("/apis/batch/v1/namespaces/ml/jobs/set-workers-0",
                      R"({"metadata":{"name":"set-workers-0","ownerReferences":[)" +
                          owner_json("jobset.x-k8s.io/v1alpha2", "JobSet", "set") + "]}}");
  expect_says(text_of("jobset/set"), {"ml/set-workers-0-0 (Pod of Job set-workers-0)"});
}

// Berth writes nothing on pods: they are found by their owner, or by the labels of its operator.
TEST_F(WhyCommand, PodsOfAGroupThatBerthMadeNameNoGroup) {
  const std::string job = owner_json("batch/v1", "Job", "train");
  const std::string set = owner_json("jobset.x-k8s.io/v1alpha2", "JobSet", "set");
  cluster_.serve(kGroups, {group_json("train-x7k2d", kWaiting, job),
                           with_metadata(group_json("set-abcde", kWaiting, set),
                                         R"("annotations":{"berth.dev/made-for":"JobSet set"})")});
  const std::string below = owner_json("batch/v1", "Job", "set-workers-0");
  cluster_.serve(kPods, {pod_json("train-0", "", "", job), pod_json("train-1", "", "", job),
                         with_metadata(pod_json("set-workers-0-0", "", "", below),
                                       R"("labels":{"jobset.sigs.k8s.io/jobset-name":"set"})")});
  expect_says(text_of("job/train"),
              {"ml/train-x7k2d (PodGroup of Job train)", "2, 2 without a node"});
  expect_says(text_of("jobset/set"),
              {"ml/set-abcde (PodGroup of JobSet set)", "1, 1 without a node"});
  expect_says(text_of("job/set-workers-0"), {"ml/set-abcde (PodGroup of JobSet set)"});
  expect_says(text_of("pod/set-workers-0-0"), {"ml/set-abcde (PodGroup of JobSet set)"});
}

TEST_F(WhyCommand, EachGroupOfALeaderWorkerSetIsAJob) {
  const std::string set = owner_json("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "serve");
  const auto group = [&](const std::string& name) {
    return with_metadata(group_json(name, kWaiting, set),
                         R"("annotations":{"berth.dev/made-for":"LeaderWorkerSet serve"})");
  };
  const auto pod = [&](const std::string& name, const std::string& index) {
    return with_metadata(pod_json(name, ""),
                         R"("labels":{"leaderworkerset.sigs.k8s.io/name":"serve",)"
                         R"("leaderworkerset.sigs.k8s.io/group-index":")" +
                             index + "\"}");
  };
  cluster_.serve(kGroups, {group("serve-0-aaaaa"), group("serve-1-bbbbb")});
  cluster_.serve(kPods, {pod("serve-0", "0"), pod("serve-1", "1"), pod("serve-1-1", "1")});
  expect_says(text_of("serve-0-aaaaa"), {"1, 1 without a node"});
  expect_says(text_of("pod/serve-1-1"), {"ml/serve-1-bbbbb", "2, 2 without a node"});
}

TEST_F(WhyCommand, AJobWithoutPodsIsMet) {
  cluster_.serve_body("/apis/batch/v1/namespaces/ml/jobs/later",
                      R"({"metadata":{"name":"later"},"spec":{"suspend":true}})");
  expect_says(text_of("later"), {"Job later has no pods: it is suspended"});
}

TEST_F(WhyCommand, A200WithoutAListIsNoAnswer) {
  for (const std::string body :
       {"", "{}", "null", "[]", R"({"items":[]})", R"({"metadata":{}})",
        R"({"metadata":{},"items":{}})", R"({"metadata":{},"items":[1]})", "<html></html>"}) {
    cluster_.serve_body(kPods, body);
    const Outcome outcome = cluster_.run({"why", "train"});
    EXPECT_EQ(outcome.exit_code, 2) << body;
    EXPECT_EQ(outcome.out, "") << body;
    expect_says(outcome.err, {"pods"});
  }
  cluster_.serve_body(kPods, R"({"metadata":{},"items":null})");
  expect_says(text_of("train"), {"ml/train-pg"});
}

TEST_F(WhyCommand, A200WithoutTheJobIsNoJob) {
  for (const std::string body : {"{}", R"({"metadata":{"name":"other"}})"}) {
    cluster_.serve_body("/apis/batch/v1/namespaces/ml/jobs/later", body);
    EXPECT_EQ(cluster_.run({"why", "later"}).exit_code, 4) << body;
  }
}

TEST_F(WhyCommand, AMissingRightIsOneSentenceWithTheRoleToAskFor) {
  cluster_.forbid(kPods, "list", "pods");
  const Outcome outcome = cluster_.run({"why", "train"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err,
            "user \"alice\" may not list pods in namespace ml: the ClusterRole \"view\" has this "
            "right in a namespace; an administrator grants it: kubectl create rolebinding -n ml "
            "NAME --clusterrole=view --user=alice\n");
}

TEST_F(WhyCommand, AnUnknownJobIsExit4WithASuggestion) {
  const Outcome outcome = cluster_.run({"why", "trian"});
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_EQ(outcome.out, "");
  expect_says(outcome.err,
              {"no PodGroup, owner or pod \"trian\" in namespace ml", "did you mean \"train\"?"});
}

TEST_F(WhyCommand, WithoutDefinitionsItSaysSo) {
  FakeCluster empty;
  const Outcome outcome = empty.run({"why", "train"});
  EXPECT_EQ(outcome.exit_code, 2);
  expect_says(outcome.err, {"has no podgroups.scheduling.volcano.sh in namespace ml",
                            "expected Berth's definitions there (deploy/crds)"});
}

TEST_F(WhyCommand, AJobMayHaveTheNameOfACommand) {
  cluster_.serve(kPods, {pod_json("plan", "", "n1")});
  expect_says(text_of("plan"), {"ml/plan (Pod)", "runs"});
}

}  // namespace
}  // namespace berth::tools
