#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mirror/mirror.h"

// The few objects that tests of the daemon's parts are made of; uids are names.

namespace berth::daemon {

inline NodeObject make_node(const std::string& name, std::int64_t cpu) {
  NodeObject node;
  node.name = name;
  node.uid = name;
  node.allocatable = {{"cpu", cpu * 1000}, {"pods", 110}};
  return node;
}

inline PodGroupObject make_group(const std::string& name, std::int32_t min_member) {
  PodGroupObject group;
  group.name_space = "ml";
  group.name = name;
  group.uid = name;
  group.min_member = min_member;
  group.scheduler = "berth";
  return group;
}

// "ml/<group>-<index>"
inline PodObject make_member(const std::string& group, int index, std::int64_t cpu = 1) {
  PodObject pod;
  pod.name_space = "ml";
  pod.name = group + "-" + std::to_string(index);
  pod.uid = pod.name;
  pod.group = group;
  pod.index = index;
  pod.scheduler_name = "berth";
  pod.priority = 0;
  pod.request = {{"cpu", cpu * 1000}, {"pods", 1}};
  return pod;
}

inline PodObject running_on(PodObject pod, const std::string& node) {
  pod.node_name = node;
  pod.phase = PodPhase::running;
  return pod;
}

// A group with its members.
inline void add_gang(mirror::Mirror& mirror, const PodGroupObject& group, int members) {
  mirror.apply(group);
  for (int i = 0; i < members; ++i) mirror.apply(make_member(group.name, i));
}

using PodOnNode = std::pair<std::string, std::string>;

inline Plan plan_of(const mirror::Mirror& mirror, const std::vector<PodOnNode>& binds) {
  Plan plan;
  for (const auto& [pod, node] : binds) {
    plan.binds.push_back({mirror.find_task(pod), mirror.cluster().find_node(node)});
  }
  return plan;
}

// A session's decisions, assumed as the session loop does.
inline Plan assume(mirror::Mirror& mirror, const std::vector<PodOnNode>& binds) {
  mirror.settle(TimePoint());
  Plan plan = plan_of(mirror, binds);
  mirror.assume(plan, TimePoint());
  mirror.settle(TimePoint());
  return plan;
}

inline Refusal refusal_of(const mirror::Mirror& mirror, const std::string& group, Reason reason,
                          std::int64_t have = 0, std::int64_t need = 0) {
  Refusal refusal;
  refusal.job = mirror.find_group("ml/" + group);
  refusal.reason = reason;
  refusal.have = have;
  refusal.need = need;
  return refusal;
}

}  // namespace berth::daemon
