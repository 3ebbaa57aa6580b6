#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/checkout.h"
#include "tools/berth_process.h"

// The owners of groups and the annotations of controllers, as `berth plan` reads them in a dump.

namespace berth::tools::plan_owners_test {
namespace {

using nlohmann::json;

constexpr const char* kNodes = R"(
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata: {name: n1}
  status: {allocatable: {cpu: 8, memory: 32Gi, nvidia.com/gpu: 4}}
- apiVersion: v1
  kind: Node
  metadata: {name: n2}
  status: {allocatable: {cpu: 8, memory: 32Gi, nvidia.com/gpu: 4}}
)";

class PlanOwnersTest : public testing::Test {
 protected:
  void SetUp() override { directory_.write("nodes.yaml", kNodes); }
  Outcome plan(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"plan", "-o", "json", "--cluster", directory_.path().string()};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words);
  }
  static json job(const Outcome& outcome, const std::string& name) {
    const json jobs = json::parse(outcome.out)["cycles"].back()["jobs"];
    for (const json& each : jobs) {
      if (each["job"] == name) return each;
    }
    return {};
  }

  TemporaryDirectory directory_;
};

// Issue 9, row 1.
TEST_F(PlanOwnersTest, AJobOfVolcanosControllerIsPlacedWhateverQuotasItNames) {
  directory_.write("berth.conf", R"(
schedulerNames: [berth, volcano]
actions: "enqueue, allocate, backfill"
tiers:
- plugins: [{name: priority}, {name: gang}]
- plugins: [{name: overcommit}, {name: predicates}, {name: proportion}]
)");
  const Outcome outcome =
      plan({"--cluster", support::source_file("tests/e2e/fixtures/volcano-job.yaml"), "--config",
            (directory_.path() / "berth.conf").string()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json mnist = job(outcome, "default/mnist-5c0d8e3b-6f0e-4c8e-9a57-3f1b7a9d2c44");
  EXPECT_EQ(mnist["placed"], 3) << mnist;
}

// Issue 9, row 2.
TEST_F(PlanOwnersTest, GroupsOfOthersAreNoJobsAndThoseOfNobodyAreNoted) {
  directory_.write("groups.yaml", R"(
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: nobodys}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: theirs, annotations: {berth.dev/scheduler: volcano}}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: ours, annotations: {berth.dev/scheduler: berth}}
spec: {networkTopology: {mode: hard}}  # and there is no topology
)");
  const Outcome outcome = plan();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out)["cycles"].back()["jobs"].size(), 1u) << outcome.out;
  EXPECT_NE(outcome.err.find("note: 1 pod group without pods is ignored, because nothing names its "
                             "scheduler: default/nobodys;"),
            std::string::npos)
      << outcome.err;
  // Row 12.
  const std::string message = job(outcome, "default/ours")["message"];
  EXPECT_NE(message.find("; spec.networkTopology (hard; no topology is known) is not honoured; the "
                         "job is placed without it"),
            std::string::npos)
      << message;

  const Outcome nobodys = plan({"--explain", "default/nobodys"});
  EXPECT_EQ(nobodys.exit_code, 2);
  EXPECT_NE(nobodys.err.find("berth.dev/scheduler"), std::string::npos) << nobodys.err;
  EXPECT_NE(plan({"--explain", "default/theirs"}).err.find("belongs to another scheduler"),
            std::string::npos);
}

// Issue 9, row 9.
TEST_F(PlanOwnersTest, WhatMadeAJobNamesItAsATarget) {
  directory_.write("jobs.yaml", R"(
apiVersion: batch/v1
kind: Job
metadata: {name: j, uid: u-1, annotations: {berth.dev/target: "true"}}
---
apiVersion: v1
kind: Pod
metadata: {name: small}
spec:
  schedulerName: berth
  restartPolicy: Never
  nodeName: n1
  containers: [{name: c, resources: {requests: {cpu: 1}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: small-2}
spec:
  schedulerName: berth
  restartPolicy: Never
  nodeName: n2
  containers: [{name: c, resources: {requests: {cpu: 1}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: big, ownerReferences: [{kind: Job, uid: u-1, controller: true}]}
spec:
  schedulerName: berth
  restartPolicy: Never
  containers: [{name: c, resources: {requests: {cpu: 8}}}]
)");
  directory_.write("berth.conf", R"(
actions: "elect, enqueue, reserve, allocate, backfill"
tiers:
- plugins: [{name: priority}, {name: gang}, {name: reservation, arguments: {wait-duration: 1h}}]
- plugins: [{name: predicates}]
)");
  const Outcome outcome = plan({"--config", (directory_.path() / "berth.conf").string()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json targets = json::parse(outcome.out)["cycles"].back()["targets"];
  ASSERT_EQ(targets.size(), 1u) << outcome.out;
  EXPECT_EQ(targets[0]["why"], "its user names it");
  EXPECT_EQ(outcome.err.find("without pods"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace berth::tools::plan_owners_test
