#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>

#include "berth/model/objects.h"

namespace berth::ports {

// The kinds of objects that Berth writes on. There is a kind of PodGroup for each GroupApi. An
// owner makes pods, and only events are written on it.
enum class ObjectKind : std::uint8_t {
  pod,
  pod_group,
  sig_pod_group,
  kube_pod_group,
  kube_alpha_pod_group,
  composite_pod_group,
  queue,
  node,
  owner
};
inline constexpr std::size_t kObjectKinds = 9;

constexpr ObjectKind kind_of(GroupApi api) {
  if (api == GroupApi::volcano) return ObjectKind::pod_group;
  if (api == GroupApi::sig) return ObjectKind::sig_pod_group;
  if (api == GroupApi::composite) return ObjectKind::composite_pod_group;
  return api == GroupApi::kubernetes ? ObjectKind::kube_pod_group
                                     : ObjectKind::kube_alpha_pod_group;
}

constexpr bool is_of_kubernetes(ObjectKind kind) {
  return kind == ObjectKind::kube_pod_group || kind == ObjectKind::kube_alpha_pod_group ||
         kind == ObjectKind::composite_pod_group;
}

// "pod", "podgroup", "queue", "node": for messages.
constexpr const char* to_string(ObjectKind kind) {
  constexpr std::array<const char*, kObjectKinds> kNames{
      "pod",   "podgroup", "podgroup", "podgroup", "podgroup", "compositepodgroup",
      "queue", "node",     "owner"};
  return kNames[static_cast<std::size_t>(kind)];
}

// The uid of a PodGroup that is to be made is this and its full name.
inline constexpr const char* kToBeMade = "new:";

// An object of the API. The uid is a precondition of each write: another object of the same name is
// left alone.
struct ObjectRef {
  ObjectKind kind = ObjectKind::pod;
  std::string name_space = {};  // empty: of queues and nodes
  std::string name = {};
  std::string uid = {};
  // Of an owner: "batch/v1" and "Job".
  std::string api_version = {};
  std::string type = {};
  auto operator<=>(const ObjectRef&) const = default;

  // "namespace/name", or "name".
  std::string full_name() const { return name_space.empty() ? name : name_space + "/" + name; }
};

}  // namespace berth::ports
