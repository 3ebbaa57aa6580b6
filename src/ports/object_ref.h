#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace berth::ports {

// The kinds of objects that Berth writes on. A PodGroup is Volcano's, or scheduling.x-k8s.io's.
enum class ObjectKind : std::uint8_t { pod, pod_group, sig_pod_group, queue, node };

// "pod", "podgroup", "queue", "node": for messages.
constexpr const char* to_string(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::pod:
      return "pod";
    case ObjectKind::pod_group:
    case ObjectKind::sig_pod_group:
      return "podgroup";
    case ObjectKind::queue:
      return "queue";
    case ObjectKind::node:
      return "node";
  }
  return "object";
}

// An object of the API. The uid is a precondition of each write: another object of the same name is
// left alone.
struct ObjectRef {
  ObjectKind kind = ObjectKind::pod;
  std::string name_space = {};  // empty: of queues and nodes
  std::string name = {};
  std::string uid = {};
  auto operator<=>(const ObjectRef&) const = default;

  // "namespace/name", or "name".
  std::string full_name() const { return name_space.empty() ? name : name_space + "/" + name; }
};

}  // namespace berth::ports
