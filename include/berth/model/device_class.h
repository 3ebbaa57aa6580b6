#pragma once

#include <set>
#include <string>

namespace berth {

// A DeviceClass of resource.k8s.io: pods may ask for its devices as for an extended resource.
struct DeviceClassObject {
  std::string name;
  std::string extended_resource;  // spec.extendedResourceName; empty: none
  bool operator==(const DeviceClassObject&) const = default;
};

struct DeviceClassDeleted {
  std::string name;
};

// DIMENSION-4. The resources by which pods may ask for it: the one that it names, and the one that
// Kubernetes makes of its own name.
inline std::set<std::string> resources_of(const DeviceClassObject& object) {
  std::set<std::string> names{"deviceclass.resource.kubernetes.io/" + object.name};
  if (!object.extended_resource.empty()) names.insert(object.extended_resource);
  return names;
}

}  // namespace berth
