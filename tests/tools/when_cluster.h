#pragma once

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/berth_process.h"

// A cluster for tests of docs/when.md.

namespace berth::tools::when_command_test {

using nlohmann::json;

// At 12:00. n1 is full for six minutes more, n2 for an hour. `wide` needs both, `small` one; both
// come later than what runs.
inline constexpr const char* kCluster = R"(
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {kubernetes.io/hostname: n1}}
status: {allocatable: {cpu: 4, memory: 8Gi, pods: 10}}
---
apiVersion: v1
kind: Node
metadata: {name: n2, labels: {kubernetes.io/hostname: n2}}
status: {allocatable: {cpu: 4, memory: 8Gi, pods: 10}}
---
apiVersion: v1
kind: Pod
metadata: {namespace: ml, name: short, uid: u1, creationTimestamp: "2026-11-28T11:00:00Z"}
spec:
  schedulerName: berth
  nodeName: n1
  activeDeadlineSeconds: 600
  terminationGracePeriodSeconds: 0
  containers: [{name: c, resources: {requests: {cpu: 4}}}]
status: {phase: Running, startTime: "2026-11-28T11:56:00Z"}
---
apiVersion: v1
kind: Pod
metadata: {namespace: ml, name: long, uid: u2, creationTimestamp: "2026-11-28T11:00:00Z"}
spec:
  schedulerName: berth
  nodeName: n2
  activeDeadlineSeconds: 7200
  terminationGracePeriodSeconds: 0
  containers: [{name: c, resources: {requests: {cpu: 4}}}]
status: {phase: Running, startTime: "2026-11-28T11:00:00Z"}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {namespace: ml, name: wide, uid: u3, creationTimestamp: "2026-11-28T11:50:00Z"}
spec: {minMember: 2}
---
apiVersion: v1
kind: Pod
metadata:
  {namespace: ml, name: wide-0, uid: u4, creationTimestamp: "2026-11-28T11:50:00Z",
   annotations: {scheduling.k8s.io/group-name: wide, berth.dev/time-limit: 1h}}
spec: {schedulerName: berth, containers: [{name: c, resources: {requests: {cpu: 4}}}]}
---
apiVersion: v1
kind: Pod
metadata:
  {namespace: ml, name: wide-1, uid: u5, creationTimestamp: "2026-11-28T11:50:00Z",
   annotations: {scheduling.k8s.io/group-name: wide, berth.dev/time-limit: 1h}}
spec: {schedulerName: berth, containers: [{name: c, resources: {requests: {cpu: 4}}}]}
---
apiVersion: v1
kind: Pod
metadata:
  {namespace: web, name: small, uid: u6, creationTimestamp: "2026-11-28T12:00:00Z",
   annotations: {berth.dev/time-limit: 30m}}
spec: {schedulerName: berth, containers: [{name: c, resources: {requests: {cpu: 4}}}]}
)";

// In the order of arrival, and behind the first only by time limits.
inline constexpr const char* kEasy = R"(
actions: "allocate, backfill"
configurations: [{name: backfill, arguments: {behind: easy}}]
tiers: [{plugins: [{name: priority}, {name: gang}, {name: predicates}]}]
defaultQueueStrategy: fifo
)";

inline Outcome when(const std::vector<std::string>& more, const std::string& cluster = kCluster,
                    const std::string& config = kEasy) {
  const TemporaryDirectory directory;
  std::vector<std::string> words{"when"};
  words.insert(words.end(), more.begin(), more.end());
  words.insert(words.end(), {"--cluster", directory.write("cluster.yaml", cluster), "--config",
                             directory.write("config.yaml", config)});
  return run_program(words);
}

inline json document(const std::vector<std::string>& more, const std::string& cluster = kCluster) {
  std::vector<std::string> words = more;
  words.insert(words.end(), {"-o", "json"});
  const Outcome outcome = when(words, cluster);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return json::parse(outcome.out);
}

// Of each job, when it starts: seconds, or null.
inline std::map<std::string, json> starts_of(const json& forecast) {
  std::map<std::string, json> starts;
  for (const json& job : forecast.at("jobs")) starts[job.at("job")] = job.at("startsInSeconds");
  return starts;
}

inline std::map<std::string, json> changed_starts_of(const json& forecast) {
  std::map<std::string, json> starts;
  for (const json& job : forecast.at("jobs")) {
    const json& changed = job.at("changed");
    starts[job.at("job")] = changed.is_null() ? json("left out") : changed.at("startsInSeconds");
  }
  return starts;
}

using Starts = std::map<std::string, json>;

}  // namespace berth::tools::when_command_test
