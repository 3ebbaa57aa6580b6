#pragma once

#include <string>

#include "berth/model/objects.h"

// The few objects that tests of simulations are made of.

namespace berth {

constexpr std::int64_t kGi = std::int64_t{1} << 30;

inline TimePoint second(int s) { return TimePoint(std::chrono::seconds(s)); }

inline NodeObject node(const std::string& name, std::int64_t cpu) {
  NodeObject object;
  object.name = name;
  object.uid = "node:" + name;
  object.labels = {{"kubernetes.io/hostname", name}};
  object.allocatable = {{"cpu", cpu * 1000}, {"memory", 64 * kGi}, {"pods", 110}};
  return object;
}

inline PodGroupObject group(const std::string& name, std::int32_t min_member) {
  PodGroupObject object;
  object.name_space = "ml";
  object.name = name;
  object.uid = "group:" + name;
  object.min_member = min_member;
  return object;
}

// A pod "ml/<group>-<index>" of a group, or "ml/<index>" of none.
inline PodObject pod(const std::string& group, int index, std::int64_t cpu) {
  PodObject object;
  object.name_space = "ml";
  object.name = group.empty() ? std::to_string(index) : group + "-" + std::to_string(index);
  object.uid = "pod:" + object.name;
  object.group = group;
  object.index = index;
  object.scheduler_name = "berth";
  object.priority = 0;
  object.request = {{"cpu", cpu * 1000}, {"pods", 1}};
  return object;
}

inline PodObject running(PodObject object, const std::string& node_name) {
  object.node_name = node_name;
  object.phase = PodPhase::running;
  return object;
}

}  // namespace berth
