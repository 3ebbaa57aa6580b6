#pragma once

#include <fmt/format.h>

#include <string>

// Manifests as text; every function gives whole documents, to be joined.

namespace berth::daemon {

// n000, n001, ... with that many cpu each.
inline std::string nodes_yaml(int count, int cpu) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += fmt::format(
        "---\n{{apiVersion: v1, kind: Node, metadata: {{name: n{:03}}},"
        " status: {{allocatable: {{cpu: \"{}\", memory: 64Gi, pods: \"110\"}}}}}}\n",
        i, cpu);
  }
  return text;
}

struct PodText {
  std::string name;
  std::string group = {};
  std::string scheduler = "berth";
  int milli_cpu = 1000;
  std::string run_time = {};
  bool is_gated = false;  // by a gate that Berth plans through, and kube-scheduler waits for
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
      pod.is_gated ? "schedulingGates: [{name: berth.dev/plan}], " : "", pod.milli_cpu);
}

inline std::string group_yaml(const std::string& name, int min_member) {
  return fmt::format(
      "---\n{{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup,"
      " metadata: {{name: {}, namespace: ml}}, spec: {{minMember: {}}}}}\n",
      name, min_member);
}

// Members <name>-0, <name>-1, ... that are all needed; the last may be gated.
inline std::string gang_yaml(const std::string& name, int members, int milli_cpu,
                             const std::string& run_time = {}, bool last_is_gated = false) {
  std::string text = group_yaml(name, members);
  for (int i = 0; i < members; ++i) {
    text += pod_yaml({.name = fmt::format("{}-{}", name, i),
                      .group = name,
                      .milli_cpu = milli_cpu,
                      .run_time = run_time,
                      .is_gated = last_is_gated && i + 1 == members});
  }
  return text;
}

}  // namespace berth::daemon
