#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "history/samples.h"
#include "tools/berth_process.h"

namespace berth::tools::simulate_recorded_test {
namespace {

using history::at;
using nlohmann::json;

struct Times {
  std::string name;
  int submitted = 0;
  std::optional<int> started = {};
  std::optional<int> ended = {};
  bool was_deleted = false;
  std::optional<Duration> limit = {};
};

// A pod that takes a whole node.
std::string job(const Times& times, int time) {
  history::JobFacts facts;
  facts.name = "ml/" + times.name;
  facts.uid = times.name;
  facts.queue = "research";
  facts.submitted = at(times.submitted);
  if (times.started) facts.started = at(*times.started);
  if (times.ended) facts.ended = at(*times.ended);
  facts.was_deleted = times.was_deleted;
  facts.limit = times.limit;
  return history::job_line(facts, history::pods_text({{1, {{"cpu", 4000}}, {}}}), at(time)) + "\n";
}

std::string node(const std::string& name) {
  NodeObject node;
  node.name = name;
  node.allocatable = {{"cpu", 4500}, {"pods", 110}};
  return history::node_line(history::node_text(node), {{"cpu", 500}}, at(10)) + "\n";
}

std::string queue() {
  QueueObject queue;
  queue.name = "research";
  return history::queue_line(history::queue_text(queue), at(10)) + "\n";
}

// Two nodes. `old` was over before; `runs` and `waits` are there at the beginning, `stays` runs and
// `limited` and `unknown` wait at the end; `leaves` is deleted while it waits.
std::string recording() {
  return history::head_line(at(10), at(10)) + "\n" + node("n1") + node("n2") + queue() +
         job({"old", -90, -80, 5}, 10) + job({"runs", -100, -50, 40}, 40) +
         job({"waits", 0, 40, 100}, 100) + job({"leaves", 35, {}, 45, true}, 45) +
         job({"stays", 30, 50}, 60) +
         job({"limited", 60, {}, {}, false, std::chrono::seconds(50)}, 70) +
         job({"unknown", 70}, 80) + history::end_line(at(130)) + "\n";
}

Outcome simulate(std::vector<std::string> arguments,
                 const std::map<std::string, std::string>& files) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory.path() / "history");
  for (const auto& [name, text] : files) directory.write(name, text);
  const std::string here = directory.path().string() + "/";
  for (std::string& argument : arguments) {
    if (const auto found = argument.find("@/"); found != std::string::npos) {
      argument.replace(found, 2, here);
    }
  }
  arguments.insert(arguments.begin(), "simulate");
  Outcome outcome = run_program(arguments);
  while (outcome.err.find(here) != std::string::npos) {
    outcome.err.replace(outcome.err.find(here), here.size(), "@/");
  }
  return outcome;
}

// "ml/a 0-30"
std::vector<std::string> runs_of(const Outcome& outcome) {
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  std::vector<std::string> texts;
  if (outcome.exit_code != 0) return texts;
  const json document = json::parse(outcome.out);
  for (const json& each : document["runs"][0]["jobs"]) {
    std::string text = each["id"].get<std::string>() + " ";
    if (each["cancelled"]) text += "cancelled at " + each["end"].dump();
    if (!each["cancelled"]) text += each["start"].dump() + "-" + each["end"].dump();
    texts.push_back(text);
  }
  return texts;
}

using Texts = std::vector<std::string>;

// HISTORY-12, HISTORY-13
TEST(SimulateRecorded, JobsComeAsTheyCameAndRunAsTheyRan) {
  const Outcome outcome =
      simulate({"--trace", "@/history", "-o", "json"}, {{"history/history-1.jsonl", recording()}});
  EXPECT_EQ(runs_of(outcome), (Texts{"ml/runs 0-30", "ml/waits 1-61", "ml/stays 30-110",
                                     "ml/leaves cancelled at 35", "ml/limited 61-111"}));
  EXPECT_EQ(outcome.err,
            "note: jobs that wait at the end, of unknown run time (see --run-time), left out: 1\n");
  const json run = json::parse(outcome.out)["runs"][0];
  EXPECT_EQ(run["nodes"], 2);
  EXPECT_EQ(run["jobs"][0]["user"], "ml");
  EXPECT_EQ(run["jobs"][0]["queue"], "research");
}

TEST(SimulateRecorded, ARunTimeIsGivenToJobsThatHaveNone) {
  const Outcome outcome = simulate({"--trace", "@/history", "--run-time", "20s"},
                                   {{"history/history-1.jsonl", recording()}});
  EXPECT_EQ(runs_of(outcome).back(), "ml/unknown 110-130");
  EXPECT_EQ(outcome.err, "");
}

TEST(SimulateRecorded, AFileIsReadAsADirectoryIsOnOtherNodes) {
  const Outcome outcome =
      simulate({"--trace", "@/any.name", "--nodes", "3", "--node", "cpu=8", "--jobs", "2"},
               {{"any.name", recording()}});
  EXPECT_EQ(runs_of(outcome), Texts{"ml/runs 0-30"});  // the first, `old`, was over
  EXPECT_EQ(json::parse(outcome.out)["runs"][0]["nodes"], 3);
}

TEST(SimulateRecorded, ALineThatWasCutIsCounted) {
  const Outcome outcome = simulate({"--trace", "@/history", "--run-time", "20s"},
                                   {{"history/history-1.jsonl", recording() + "{\"kind\":\"Jo"}});
  EXPECT_EQ(runs_of(outcome).size(), 6U);
  EXPECT_EQ(outcome.err, "note: lines that were not finished: 1\n");
}

TEST(SimulateRecorded, ABadLineIsNamedOrLeftOut) {
  const std::string bad = recording() + R"({"kind":"Job","time":"2026-01-01T00:00:00Z"})" + "\n";
  const std::map<std::string, std::string> files{{"history/history-1.jsonl", bad}};
  const Outcome refused = simulate({"--trace", "@/history"}, files);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.err.substr(0, 29), "@/history/history-1.jsonl:13:");
  const Outcome skipped =
      simulate({"--trace", "@/history", "--skip-bad-lines", "--run-time", "20s"}, files);
  EXPECT_EQ(runs_of(skipped).size(), 6U);
  EXPECT_EQ(skipped.err.substr(0, 28), "note: bad lines left out: 1\n");
}

// `runs` has n0 for a minute more, and a pod of others takes a processor of n1.
std::string dump(const std::string& more_of_waiting) {
  return R"(apiVersion: v1
kind: Node
metadata: {name: n0, labels: {berth.dev/locked-for: job.gone}}
status: {allocatable: {cpu: "4", pods: "110"}}
---
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "4", pods: "110"}}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: research}
spec: {weight: 2}
---
apiVersion: v1
kind: Pod
metadata: {name: runs, namespace: ml, uid: u1, creationTimestamp: "2026-01-01T00:00:00Z",
  annotations: {scheduling.volcano.sh/queue-name: research}}
spec: {schedulerName: berth, nodeName: n0, activeDeadlineSeconds: 100,
  terminationGracePeriodSeconds: 0,
  containers: [{name: c, image: i, resources: {requests: {cpu: "4"}}}]}
status: {phase: Running, startTime: "2026-01-01T00:00:00Z"}
---
apiVersion: v1
kind: Pod
metadata: {name: others, namespace: kube-system, creationTimestamp: "2026-01-01T00:00:00Z"}
spec: {schedulerName: default-scheduler, nodeName: n1,
  containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}
status: {phase: Running, startTime: "2026-01-01T00:00:00Z"}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: waits, namespace: ml, creationTimestamp: "2026-01-01T00:00:40Z"}
spec: {minMember: 2, queue: research}
---
apiVersion: v1
kind: Pod
metadata: {name: waits-0, namespace: ml, creationTimestamp: "2026-01-01T00:00:40Z",
  annotations: {scheduling.k8s.io/group-name: waits}}
spec: {schedulerName: berth, )" +
         more_of_waiting +
         R"(containers: [{name: c, image: i, resources: {requests: {cpu: "2"}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: waits-1, namespace: ml, creationTimestamp: "2026-01-01T00:00:40Z",
  annotations: {scheduling.k8s.io/group-name: waits}}
spec: {schedulerName: berth, )" +
         more_of_waiting + R"(containers: [{name: c, image: i, resources: {requests: {cpu: "2"}}}]}
)";
}

// HISTORY-15
TEST(SimulateSnapshot, WhatRunsIsInItsPlaceAndWhatWaitsIsRun) {
  const Outcome outcome =
      simulate({"--snapshot", "@/now.yaml"}, {{"now.yaml", dump("activeDeadlineSeconds: 120, ")}});
  EXPECT_EQ(runs_of(outcome), (Texts{"ml/runs 0-60", "ml/waits 60-180"}));
  const json run = json::parse(outcome.out)["runs"][0];
  EXPECT_EQ(run["jobs"][1]["queue"], "research");
  EXPECT_EQ(run["jobs"][0]["nodes"], json::parse(R"([{"node": "n0", "share": 1}])"));
}

TEST(SimulateSnapshot, AJobOfUnknownRunTimeIsNamed) {
  const std::map<std::string, std::string> files{{"now.yaml", dump("")}};
  const Outcome refused = simulate({"--snapshot", "@/now.yaml"}, files);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("--run-time: job \"ml/waits\" has no time limit and no annotation "
                             "berth.dev/run-time, expected either, or this flag"),
            std::string::npos)
      << refused.err;
  EXPECT_EQ(runs_of(simulate({"--snapshot", "@/now.yaml", "--run-time", "30s"}, files)),
            (Texts{"ml/runs 0-60", "ml/waits 60-90"}));
}

TEST(SimulateSnapshot, WhatRunsWithoutALimitStays) {
  std::string text = dump("activeDeadlineSeconds: 120, ");
  const std::string limit = "activeDeadlineSeconds: 100,";
  text.erase(text.find(limit), limit.size());
  const Outcome outcome = simulate({"--snapshot", "@/now.yaml"}, {{"now.yaml", text}});
  EXPECT_EQ(runs_of(outcome), (Texts{"ml/runs 0-null", "ml/waits null-null"}));
  EXPECT_NE(outcome.err.find("note: jobs that run without a time limit, and so do not end: 1\n"),
            std::string::npos)
      << outcome.err;
}

TEST(SimulateSnapshot, JobsOfATraceComeOnTop) {
  const std::map<std::string, std::string> files{
      {"now.yaml", dump("activeDeadlineSeconds: 120, ")},
      {"t.swf", "1 5 -1 20 1 -1 -1 1 30 -1 1 7 1 -1 1 -1 -1 -1\n"},
      {"history/history-1.jsonl", recording()}};
  EXPECT_EQ(
      runs_of(simulate({"--snapshot", "@/now.yaml", "--trace", "@/t.swf", "--pod-processors", "1"},
                       files)),
      (Texts{"ml/runs 0-60", "ml/waits 60-180", "1 5-25"}));
  const Texts both = runs_of(simulate({"--snapshot", "@/now.yaml", "--trace", "@/history"}, files));
  EXPECT_EQ(both.size(), 7U);
}

struct Refused {
  const char* name;
  std::vector<std::string> arguments;
  std::string says;
};

class SimulateRecordedBadInput : public testing::TestWithParam<Refused> {};

TEST_P(SimulateRecordedBadInput, IsRefused) {
  const Outcome outcome =
      simulate(GetParam().arguments, {{"r.jsonl", recording()},
                                      {"now.yaml", dump("")},
                                      {"t.swf", "1 0 -1 9 1 -1 -1 1 9 -1 1 7 1 -1 1 -1 -1 -1\n"}});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find(GetParam().says), std::string::npos) << outcome.err;
}

// HISTORY-14
INSTANTIATE_TEST_SUITE_P(
    Command, SimulateRecordedBadInput,
    testing::Values(
        Refused{"Nothing", {"--nodes", "3"}, "--trace: missing, expected a file, or --snapshot"},
        Refused{"EmptyDirectory",
                {"--trace", "@/history"},
                "@/history: no files, expected some named history-*.jsonl"},
        Refused{"SnapshotAndNodes",
                {"--snapshot", "@/now.yaml", "--nodes", "3"},
                "--snapshot: given with --nodes or --node-list, expected one of them"},
        Refused{"RunTimeOfALog",
                {"--trace", "@/t.swf", "--nodes", "3", "--run-time", "1h"},
                "--run-time: given with a trace that has run times"},
        Refused{"RunTimeIsNoTime",
                {"--trace", "@/r.jsonl", "--run-time", "long"},
                "--run-time: \"long\" is no time above 0"},
        Refused{"QueuesOfARecording",
                {"--trace", "@/r.jsonl", "--queues", "user"},
                "--queues: given with a recording, which has pods and queues of its own"},
        Refused{"PodsOfARecording",
                {"--trace", "@/r.jsonl", "--pod-processors", "1"},
                "--pod-processors: given with a recording"},
        Refused{"NoSuchSnapshot", {"--snapshot", "@/no.yaml"}, "@/no.yaml: "}),
    [](const testing::TestParamInfo<Refused>& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace berth::tools::simulate_recorded_test
