#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/model/eviction_terms.h"
#include "berth/model/reservation.h"
#include "berth/model/resources.h"
#include "berth/model/topology_wish.h"
#include "berth/model/written_status.h"

// Groups of pods, of each API that has them (berth/model/objects.h).

namespace berth {

// The API group of a PodGroup: scheduling.volcano.sh, scheduling.x-k8s.io (scheduler-plugins), or
// Kubernetes' own scheduling.k8s.io: v1beta1, or v1alpha2 as Kubernetes 1.36 has it. Of two groups
// of one name, the first of these counts.
// A CompositePodGroup is no group; Berth makes one of it and the groups below it.
enum class GroupApi : std::uint8_t { volcano, sig, kubernetes, kubernetes_alpha, composite };

constexpr bool is_of_kubernetes(GroupApi api) {
  return api != GroupApi::volcano && api != GroupApi::sig;
}

enum class GroupPhase : std::uint8_t { pending, inqueue, running, unknown, completed };

struct PodGroupObject {
  std::string name_space;
  std::string name;
  std::string uid;
  TimePoint created;
  std::string queue;  // empty: the namespace's, else the default queue
  std::string priority_class;
  std::int32_t min_member = 1;                          // >= 1
  std::map<std::string, std::int32_t> min_task_member;  // role -> minimum
  std::optional<NamedAmounts> min_resources;
  GroupPhase phase = GroupPhase::pending;
  std::optional<Duration> waiting_limit;  // annotation volcano.sh/sla-waiting-time
  std::optional<Duration> time_limit;     // of its pods that say nothing themselves (TIME-2)
  GroupApi api = GroupApi::volcano;
  std::optional<TimePoint> started;  // status.scheduleStartTime, of scheduling.x-k8s.io
  WrittenStatus written;
  TargetMarks marks;
  std::string owner_uid;          // of its controller; empty: none
  bool is_made_by_berth = false;  // annotation berth.dev/made-for
  std::string scheduler;          // annotation berth.dev/scheduler; empty: none
  EvictionTerms eviction;         // of its pods that say nothing themselves
  TopologyWish topology;
  std::string parent;                     // name of its CompositePodGroup; empty: none
  std::string waits_for;                  // KUBEGROUP-10. Why it may not start yet; empty: it may
  bool leaves_whole = false;              // KUBEGROUP-6: spec.disruptionMode
  bool never_preempts = false;            // KUBEGROUP-7: spec.preemptionPolicy
  std::vector<std::string> not_honoured;  // fields that are set: "spec.resourceClaims"
  std::string fault;                      // in parts that could not be read; empty: none

  std::string full_name() const { return name_space + "/" + name; }
  bool operator==(const PodGroupObject&) const = default;
};

// A group of groups (KUBEGROUP-8).
struct CompositeGroupObject {
  static constexpr int kLevelsMost = 4;  // of composites in each other, as Kubernetes bounds them

  PodGroupObject group;         // what it shares with one
  std::int32_t min_groups = 0;  // groups that start together; 0: each starts by itself
  bool operator==(const CompositeGroupObject&) const = default;
};

struct CompositeGroupDeleted {
  std::string full_name;  // namespace/name
};

const char* to_string(GroupPhase phase);  // as Kubernetes and Volcano write it: "Inqueue"

}  // namespace berth
