#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tools/berth_process.h"

// The flags of changes, in berth plan and berth simulate. Those of berth when are in
// when_command_test.cpp.

namespace berth::tools::what_if_test {
namespace {

using nlohmann::json;

// At 12:00. n1 is full, n2 is free. `pair` needs two nodes, `one` waits for n1's label.
constexpr const char* kCluster = R"(
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {kubernetes.io/hostname: n1, disk: fast}}
status: {allocatable: {cpu: 4, memory: 8Gi, pods: 10}}
---
apiVersion: v1
kind: Node
metadata: {name: n2, labels: {kubernetes.io/hostname: n2}}
status: {allocatable: {cpu: 4, memory: 8Gi, pods: 10}}
---
apiVersion: v1
kind: Pod
metadata: {namespace: ml, name: runs, uid: u1, creationTimestamp: "2026-11-28T11:00:00Z",
           annotations: {berth.dev/time-limit: 2h}}
spec:
  schedulerName: berth
  nodeName: n1
  containers: [{name: c, resources: {requests: {cpu: 4}}}]
status: {phase: Running, startTime: "2026-11-28T11:00:00Z"}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {namespace: ml, name: pair, uid: u3, creationTimestamp: "2026-11-28T11:50:00Z"}
spec: {minMember: 2}
---
apiVersion: v1
kind: Pod
metadata:
  {namespace: ml, name: pair-0, uid: u4, creationTimestamp: "2026-11-28T11:50:00Z",
   annotations: {scheduling.k8s.io/group-name: pair, berth.dev/time-limit: 1h}}
spec: {schedulerName: berth, containers: [{name: c, resources: {requests: {cpu: 4}}}]}
---
apiVersion: v1
kind: Pod
metadata:
  {namespace: ml, name: pair-1, uid: u5, creationTimestamp: "2026-11-28T11:50:00Z",
   annotations: {scheduling.k8s.io/group-name: pair, berth.dev/time-limit: 1h}}
spec: {schedulerName: berth, containers: [{name: c, resources: {requests: {cpu: 4}}}]}
---
apiVersion: v1
kind: Pod
metadata:
  {namespace: web, name: one, uid: u6, creationTimestamp: "2026-11-28T12:00:00Z",
   annotations: {berth.dev/time-limit: 30m}}
spec:
  schedulerName: berth
  nodeSelector: {disk: fast}
  containers: [{name: c, resources: {requests: {cpu: 1}}}]
)";

constexpr const char* kConfig = R"(
actions: "allocate"
tiers: [{plugins: [{name: priority}, {name: gang}, {name: predicates}]}]
schedulePeriod: 1m
)";

Outcome run_on_cluster(const std::string& command, const std::string& input,
                       const std::vector<std::string>& more) {
  const TemporaryDirectory directory;
  std::vector<std::string> words{command, input, directory.write("cluster.yaml", kCluster),
                                 "--config", directory.write("config.yaml", kConfig)};
  words.insert(words.end(), more.begin(), more.end());
  return run_program(words);
}

json document_of(const std::string& command, const std::string& input,
                 std::vector<std::string> more) {
  more.insert(more.end(), {"-o", "json"});
  const Outcome outcome = run_on_cluster(command, input, more);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.exit_code == 0 ? json::parse(outcome.out) : json();
}

json plan(const std::vector<std::string>& more) { return document_of("plan", "--cluster", more); }

TEST(PlanWhatIf, WithoutChangesThereIsNoDifference) {
  EXPECT_FALSE(plan({}).contains("difference"));
}

TEST(PlanWhatIf, ThePlanIsThatWithTheChanges) {
  const json with = plan({"--add-nodes", "1:like=n2"});
  EXPECT_EQ(with.at("cycles").at(0).at("binds").size(), 2U);
  const json& difference = with.at("difference");
  EXPECT_EQ(difference.at("changes"), json({"--add-nodes 1:like=n2"}));
  ASSERT_EQ(difference.at("jobs").size(), 1U) << difference;
  EXPECT_EQ(difference.at("jobs").at(0), (json{{"job", "ml/pair"},
                                               {"queue", "default"},
                                               {"placed", 2},
                                               {"placedBefore", 0},
                                               {"startedInCycle", 1},
                                               {"startedInCycleBefore", nullptr}}));
}

TEST(PlanWhatIf, AJobIsLeftOutWithItsPods) {
  const json with = plan({"--without-job", "ml/runs"});
  // Its node is free: pair is first.
  EXPECT_EQ(with.at("difference").at("jobs").at(0).at("job"), "ml/pair");
  EXPECT_EQ(with.at("cycles").at(0).at("jobs").size(), 2U);
  const json without = plan({"--without-job", "ml/pair"});
  EXPECT_EQ(without.at("cycles").at(0).at("jobs").size(), 2U);
}

TEST(PlanWhatIf, ANodeGoesAtItsTime) {
  // Sessions at 12:00, 12:01, 12:02, 12:03. runs waits again, and finds room on n2.
  const json with = plan({"--drain", "n1@+2m", "--cycles", "4"});
  const json& cycles = with.at("cycles");
  EXPECT_TRUE(cycles.at(1).at("binds").empty());
  ASSERT_EQ(cycles.at(2).at("binds").size(), 1U) << cycles.at(2);
  EXPECT_EQ(cycles.at(2).at("binds").at(0).at("job"), "ml/runs");
  EXPECT_EQ(cycles.at(2).at("binds").at(0).at("node"), "n2");
}

TEST(PlanWhatIf, ANodeComesAtItsTime) {
  const json with = plan({"--add-nodes", "1:like=n2@+1m", "--cycles", "3"});
  EXPECT_TRUE(with.at("cycles").at(0).at("binds").empty());
  EXPECT_EQ(with.at("cycles").at(1).at("binds").size(), 2U);
  EXPECT_EQ(with.at("difference").at("jobs").at(0).at("startedInCycle"), 2);
}

TEST(PlanWhatIf, TheTableBeginsWithTheDifference) {
  const Outcome table =
      run_on_cluster("plan", "--cluster", {"--add-nodes", "1:like=n2", "-o", "wide"});
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_TRUE(table.out.starts_with("with --add-nodes 1:like=n2\n1 job has more places"))
      << table.out;
  EXPECT_NE(table.out.find("CHANGED"), std::string::npos) << table.out;
}

TEST(PlanWhatIf, EvictionsThatTheChangeCausesAreNamed) {
  const TemporaryDirectory directory;
  std::string cluster = kCluster;
  cluster += R"(
---
apiVersion: v1
kind: Pod
metadata: {namespace: ml, name: urgent, uid: u7, creationTimestamp: "2026-11-28T11:00:00Z"}
spec:
  schedulerName: berth
  priority: 100
  containers: [{name: c, resources: {requests: {cpu: 4}}}]
)";
  const Outcome outcome = run_program(
      {"plan", "--cluster", directory.write("cluster.yaml", cluster), "--config",
       directory.write(
           "config.yaml",
           "actions: \"allocate, preempt\"\n"
           "tiers: [{plugins: [{name: priority}, {name: gang}, {name: predicates}]}]\n"),
       "--remove-node", "n2", "-o", "json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json difference = json::parse(outcome.out).at("difference");
  ASSERT_EQ(difference.at("evictions").size(), 1U) << difference;
  EXPECT_EQ(difference.at("evictions").at(0).at("pod"), "ml/runs");
  EXPECT_TRUE(difference.at("noEvictions").empty());
}

TEST(PlanWhatIf, BadInputIsNamed) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> all{
      {{"--without-job", "ml/none"}, "--without-job: \"ml/none\" is no job"},
      {{"--drain", "n9"}, "--drain: \"n9\" is no node of the input"},
      {{"--set", "plugins.gang"}, "\"plugins.gang\" is no setting"},
  };
  for (const auto& [words, text] : all) {
    const Outcome outcome = run_on_cluster("plan", "--cluster", words);
    EXPECT_EQ(outcome.exit_code, 2) << words.front();
    EXPECT_NE(outcome.err.find(text), std::string::npos) << outcome.err;
  }
}

// Of each run, when that job starts.
std::map<std::string, json> starts_in(const json& simulation, const std::string& job) {
  std::map<std::string, json> starts;
  for (const json& run : simulation.at("runs")) {
    for (const json& each : run.at("jobs")) {
      if (each.at("id") == job) starts[run.at("config")] = each.at("start");
    }
  }
  return starts;
}

// runs ends at 13:00, and has a grace period of 30 s.
TEST(SimulateWhatIf, EachConfigurationRunsAsItIsAndWithTheChanges) {
  const json simulation = document_of("simulate", "--snapshot", {"--add-nodes", "1:like=n2"});
  ASSERT_EQ(simulation.at("runs").size(), 2U);
  EXPECT_EQ(
      starts_in(simulation, "ml/pair"),
      (std::map<std::string, json>{{"config.yaml", 3630.0}, {"config.yaml, with changes", 1.0}}));
}

TEST(SimulateWhatIf, ANodeIsDrainedAtATime) {
  const json simulation = document_of("simulate", "--snapshot", {"--drain", "n1@+30m"});
  // It has an hour behind it, and begins its two hours anew on n2.
  EXPECT_EQ(
      starts_in(simulation, "ml/runs"),
      (std::map<std::string, json>{{"config.yaml", 0.0}, {"config.yaml, with changes", 1800.0}}));
}

TEST(SimulateWhatIf, NodesOfALogOrARecordingAreChanged) {
  const TemporaryDirectory directory;
  const std::string log = directory.write("t.swf",
                                          "1 0 -1 100 1 -1 -1 1 100 -1 1 1 1 1 1 1 -1 -1\n2 0 -1 "
                                          "100 1 -1 -1 1 100 -1 1 1 1 1 1 1 -1 -1\n");
  const Outcome outcome = run_program({"simulate", "--trace", log, "--nodes", "1", "--add-nodes",
                                       "1:like=node-00000@+10s", "-o", "json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(starts_in(json::parse(outcome.out), "2"),
            (std::map<std::string, json>{{"default", 100.0}, {"default, with changes", 10.0}}));
}

TEST(SimulateWhatIf, AJobIsLeftOut) {
  const json simulation = document_of("simulate", "--snapshot", {"--without-job", "ml/runs"});
  EXPECT_EQ(
      starts_in(simulation, "ml/pair"),
      (std::map<std::string, json>{{"config.yaml", 3630.0}, {"config.yaml, with changes", 1.0}}));
  const Outcome none = run_on_cluster("simulate", "--snapshot", {"--without-job", "ml/none"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("--without-job: \"ml/none\" is no job"), std::string::npos) << none.err;
}

}  // namespace
}  // namespace berth::tools::what_if_test
