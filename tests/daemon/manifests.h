#pragma once

#include <fmt/format.h>

#include <string>

// Manifests as text; every function gives whole documents, to be joined.

namespace berth::daemon {

// n000, n001, ... with that many cpu each. Without its host name as a label, a node takes no pod
// that never comes.
inline std::string nodes_yaml(int count, int cpu, bool with_host_names = false) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += fmt::format(
        "---\n{{apiVersion: v1, kind: Node, metadata: {{name: n{0:03}{2}}},"
        " status: {{allocatable: {{cpu: \"{1}\", memory: 64Gi, pods: \"110\"}}}}}}\n",
        i, cpu,
        with_host_names ? fmt::format(", labels: {{kubernetes.io/hostname: n{:03}}}", i) : "");
  }
  return text;
}

struct PodText {
  std::string name;
  std::string group = {};
  std::string scheduler = "berth";
  int milli_cpu = 1000;
  std::string run_time = {};
  // Where Berth asks no predicates, it is planned, and kube-scheduler finds no node for it as long
  // as nodes have no host names.
  bool never_comes = false;
  int priority = 0;
};

// In namespace "ml", with uid "uid-<name>".
inline std::string pod_yaml(const PodText& pod) {
  std::string annotations;
  if (!pod.group.empty()) annotations += "scheduling.k8s.io/group-name: " + pod.group + ", ";
  if (!pod.run_time.empty()) annotations += "berth.dev/run-time: " + pod.run_time;
  return fmt::format(
      "---\n{{apiVersion: v1, kind: Pod, metadata: {{name: {0}, namespace: ml, uid: uid-{0},"
      " annotations: {{{1}}}}}, spec: {{schedulerName: {2}, priority: {3}, {4}containers:"
      " [{{name: c, image: i, resources: {{requests: {{cpu: {5}m}}}}}}]}}}}\n",
      pod.name, annotations, pod.scheduler, pod.priority,
      pod.never_comes
          ? "schedulingGates: [{name: berth.dev/plan}], affinity: {nodeAffinity:"
            " {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms:"
            " [{matchExpressions: [{key: kubernetes.io/hostname, operator: Exists}]}]}}}, "
          : "",
      pod.milli_cpu);
}

inline std::string group_yaml(const std::string& name, int min_member) {
  return fmt::format(
      "---\n{{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup,"
      " metadata: {{name: {}, namespace: ml}}, spec: {{minMember: {}}}}}\n",
      name, min_member);
}

inline constexpr const char* kSession =
    "actions: \"enqueue, allocate\"\n"
    "tiers: [{plugins: [{name: gang}, {name: predicates}]}]\n";
// For those that never come.
inline constexpr const char* kWithoutPredicates =
    "actions: \"enqueue, allocate\"\n"
    "tiers: [{plugins: [{name: gang}]}]\n";

// Members <name>-0, <name>-1, ... that are all needed; so many of the last never come.
inline std::string gang_yaml(const std::string& name, int members, int milli_cpu,
                             const std::string& run_time = {}, int never_come = 0) {
  std::string text = group_yaml(name, members);
  for (int i = 0; i < members; ++i) {
    text += pod_yaml({.name = fmt::format("{}-{}", name, i),
                      .group = name,
                      .milli_cpu = milli_cpu,
                      .run_time = run_time,
                      .never_comes = i >= members - never_come});
  }
  return text;
}

}  // namespace berth::daemon
