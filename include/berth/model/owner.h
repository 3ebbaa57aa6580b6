#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/clock.h"
#include "berth/model/time_limit.h"
#include "berth/model/topology_wish.h"

// The controllers of pods, such as a Job, as far as they decide which pods are one gang
// (docs/design/gangs-of-owners.md). Values without invariants.

namespace berth {

// On a pod, or on a controller of pods: how many of them start together, or "all".
inline constexpr const char* kGangAnnotation = "berth.dev/gang";
// On a PodGroup that Berth made: for what, as "Job training".
inline constexpr const char* kMadeForAnnotation = "berth.dev/made-for";

// The entry of ownerReferences with `controller: true`.
struct OwnerReference {
  std::string api_version;  // "batch/v1"
  std::string kind;         // "Job"
  std::string name;         // in the namespace of what it controls
  std::string uid;          // empty: there is no controller
  bool is_none() const { return uid.empty(); }
  std::string_view group() const;  // "batch"; empty: core
  bool operator==(const OwnerReference&) const = default;
};

// An annotation on gangs as it is written; another value than "all" or a number is the user's
// mistake. An empty key: there is none.
struct GangWish {
  std::string key;
  std::string value;
  bool is_none() const { return key.empty(); }
  bool operator==(const GangWish&) const = default;
};

// The queue that an object names.
struct QueueWish {
  std::string queue;        // by Volcano's annotation or label; empty: none
  std::string local_queue;  // by Kueue's label; counts if there is a Queue of that name
  bool operator==(const QueueWish&) const = default;
};

// An object that makes pods, pod groups, or other such objects.
struct OwnerObject {
  std::string uid;
  bool names_target = false;     // annotation berth.dev/target: "true"
  bool declines_target = false;  // "false"
  TimePoint created = {};
  // All that it names, itself and in its template; an empty one stands for its namespace's.
  std::vector<std::string> queues = {};
  std::string name_space = {};
  OwnerReference self = {};        // as its pods name it
  OwnerReference controller = {};  // its own
  GangWish gang = {};
  QueueWish queue = {};
  TopologyWish topology = {};  // of all its pods
  // Pods that it wants at once; none: Berth does not know for this kind.
  std::optional<std::int32_t> at_once = {};
  // Those of them that it makes before any of them runs, and the field that says so:
  // "podManagementPolicy: OrderedReady". None: all.
  std::optional<std::int32_t> at_first = {};
  std::string in_turn = {};
  bool is_indexed = false;                   // an Indexed Job
  std::optional<JobDeadline> deadline = {};  // of all its pods
  // "Job ml/training"
  std::string text() const { return self.kind + " " + name_space + "/" + self.name; }
  bool operator==(const OwnerObject&) const = default;
};

// Which owners of several pods are gangs without an annotation.
enum class GangRule : std::uint8_t { annotated, indexed, all };

// The gang of an owner that has pods, and the PodGroup that Berth makes for it.
struct OwnedGroup {
  std::string name_space;
  std::string name;
  OwnerReference owner;
  std::int32_t min_member = 1;
  std::string queue;
  TimePoint created;     // of its first pod
  bool is_left = false;  // no pod of the owner is one of the gang any more
  bool is_live = false;  // one of the gang has not finished
  std::string full_name() const { return name_space + "/" + name; }
  bool operator==(const OwnedGroup&) const = default;
};

// The resource of a kind, as RESOURCE.VERSION.GROUP: "jobs.v1.batch" for Job of batch/v1. Other
// versions of the group are of it, too.
bool is_of_resource(std::string_view kind, std::string_view api_group, std::string_view resource);

// The resources whose objects are watched by default: those that make gangs.
std::vector<std::string> default_owner_resources();

}  // namespace berth
