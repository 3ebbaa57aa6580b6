#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/checkout.h"
#include "tools/berth_process.h"

// Jobs that are tried with `berth plan` before they are submitted.

namespace berth::tools::plan_jobs_test {
namespace {

using nlohmann::json;

constexpr const char* kNodes = R"(
apiVersion: v1
kind: Node
metadata: {name: n1, uid: u-n1, creationTimestamp: "2026-11-20T00:00:00Z"}
status: {allocatable: {cpu: 4, memory: 32Gi, pods: 110}}
---
apiVersion: v1
kind: Node
metadata: {name: n2, uid: u-n2, creationTimestamp: "2026-11-20T00:00:00Z"}
status: {allocatable: {cpu: 4, memory: 32Gi, pods: 110}}
)";

const std::string kGang = support::source_file("deploy/examples/gang.yaml");

class PlanJobsTest : public testing::Test {
 protected:
  void SetUp() override { directory_.write("nodes.yaml", kNodes); }
  Outcome plan(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"plan", "--cluster", directory_.path().string()};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words);
  }

  TemporaryDirectory directory_;
};

TEST_F(PlanJobsTest, TheGangOfTheExamplesIsPlannedAsItIs) {
  const Outcome outcome = plan({"--cluster", kGang});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "note: Job default/training has no pods in the input; 8 are made\n");
  const json cycle = json::parse(outcome.out)["cycles"][0];
  ASSERT_EQ(cycle["binds"].size(), 8U);
  EXPECT_EQ(cycle["binds"][0]["job"], "default/training");
}

TEST_F(PlanJobsTest, AGangThatDoesNotFitIsExplained) {
  directory_.write("busy.yaml", R"(
apiVersion: v1
kind: Pod
metadata: {name: busy, uid: u-p, creationTimestamp: "2026-11-21T00:00:00Z"}
spec: {nodeName: n1, containers: [{name: c, resources: {requests: {cpu: 1}}}]}
status: {phase: Running}
)");
  const Outcome outcome =
      plan({"--cluster", kGang, "--explain", "default/training", "-o", "table"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("7 of 8 members could be placed"), std::string::npos) << outcome.out;
}

// It is tried beside what waits already, not in front of it.
TEST_F(PlanJobsTest, AJobThatIsTriedIsTheNewest) {
  directory_.write("waiting.yaml", R"(
apiVersion: v1
kind: Pod
metadata: {name: older, uid: u-o, creationTimestamp: "2026-11-21T00:00:00Z"}
spec:
  schedulerName: berth
  containers: [{name: c, resources: {requests: {cpu: 1}}}]
)");
  const Outcome outcome = plan({"--cluster", kGang, "-o", "json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json cycle = json::parse(outcome.out)["cycles"][0];
  ASSERT_EQ(cycle["binds"].size(), 1U) << outcome.out;
  EXPECT_EQ(cycle["binds"][0]["pod"], "default/older");
  EXPECT_NE(plan({"--cluster", kGang, "-o", "table"}).out.find("cycle 1, 2026-11-21T00:00:01Z: "),
            std::string::npos);
  const std::string now = "2026-11-22T00:00:00Z";
  EXPECT_NE(plan({"--cluster", kGang, "-o", "table", "--now", now}).out.find("cycle 1, " + now),
            std::string::npos);
}

// The only job of the plan that waits.
json waiting_job(const Outcome& outcome) {
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const json document = json::parse(outcome.out);
  for (const json& job : document["cycles"].back()["jobs"]) {
    if (job["placed"] == 0) return job;
  }
  ADD_FAILURE() << "no job waits: " << outcome.out;
  return {};
}

constexpr const char* kPodTemplate =
    "template: {spec: {schedulerName: berth, restartPolicy: Never, containers: [{name: c, "
    "resources: {requests: {cpu: 1}}}]}}";

TEST_F(PlanJobsTest, AnAnnotatedJobIsAGangWithoutAPodGroup) {
  const auto job = [](const std::string& metadata) {
    return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: train" + metadata +
           "}\nspec: {parallelism: 9, " + kPodTemplate + "}\n";
  };
  directory_.write("job.yaml", job(", annotations: {berth.dev/gang: all}"));
  const json gang = waiting_job(plan());
  EXPECT_EQ(gang["minAvailable"], 9) << gang;
  EXPECT_TRUE(std::string(gang["job"]).starts_with("default/train-")) << gang;
  directory_.write("job.yaml", job(""));
  const json alone = waiting_job(plan());
  EXPECT_EQ(alone["minAvailable"], 1);
  EXPECT_NE(std::string(alone["message"]).find("berth.dev/gang"), std::string::npos) << alone;
}

TEST_F(PlanJobsTest, AnAnnotatedJobSetIsOneGangOfAllItsJobs) {
  directory_.write("set.yaml",
                   std::string("apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\n"
                               "metadata: {name: s, annotations: {berth.dev/gang: all}}\n"
                               "spec:\n  replicatedJobs:\n  - name: a\n    replicas: 3\n"
                               "    template: {spec: {parallelism: 3, completions: 3, ") +
                       kPodTemplate + "}}\n");
  const json gang = waiting_job(plan());
  EXPECT_EQ(gang["minAvailable"], 9) << gang;
  EXPECT_TRUE(std::string(gang["job"]).starts_with("default/s-")) << gang;
}

TEST_F(PlanJobsTest, EachGroupOfAnAnnotatedLeaderWorkerSetIsAGang) {
  directory_.write("set.yaml",
                   "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\n"
                   "metadata: {name: l, annotations: {berth.dev/gang: all}}\n"
                   "spec:\n  replicas: 3\n  leaderWorkerTemplate:\n    size: 3\n"
                   "    workerTemplate: {spec: {schedulerName: berth, containers: [{name: c, "
                   "resources: {requests: {cpu: 1}}}]}}\n");
  const Outcome outcome = plan();
  EXPECT_EQ(waiting_job(outcome)["minAvailable"], 3) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out)["cycles"][0]["binds"].size(), 6U);
}

TEST_F(PlanJobsTest, ATypingErrorIsRefusedWithItsPlace) {
  std::string text = read_text(kGang);
  text.replace(text.find("resources:"), 10, "resorces:");
  const std::string file = directory_.write("job.yaml", text);
  const Outcome outcome = plan();
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, file +
                             ":27:11: spec.template.spec.containers[0].resorces: no such field; "
                             "did you mean \"resources\"?\n");
}

TEST_F(PlanJobsTest, AFieldOfANewerKubernetesIsAWarning) {
  const std::string file = directory_.write("pod.yaml", R"(
apiVersion: v1
kind: Pod
metadata: {name: p}
spec: {schedulerName: berth, entanglement: strong, containers: [{name: c}]}
)");
  const Outcome outcome = plan();
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "warning: " + file +
                             ":5:30: spec.entanglement: no such field in the Kubernetes that berth "
                             "knows; it is ignored\n");
}

TEST_F(PlanJobsTest, ManyObjectsAreSummedUp) {
  std::string text;
  for (int i = 0; i < 12; ++i) {
    text += "---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: j" + std::to_string(i) +
            "}\nspec:\n  parallelism: 2\n  template:\n    spec: {schedulerName: berth, "
            "restartPolicy: Never, containers: [{name: c}]}\n";
  }
  directory_.write("jobs.yaml", text);
  const Outcome outcome = plan();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("note: Job default/j11 has no pods in the input; 2 are made\n"),
            std::string::npos);
  EXPECT_NE(outcome.err.find("note: 4 pods are made of 2 more objects\n"), std::string::npos)
      << outcome.err;
}

}  // namespace
}  // namespace berth::tools::plan_jobs_test
