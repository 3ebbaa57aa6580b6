#pragma once

#include <string_view>

#include "berth/model/objects.h"

// The APIs that have PodGroups, and what differs between the versions of Kubernetes' own
// (docs/design/kubernetes-groups.md).

namespace berth::kube {

inline constexpr const char* kGroupsOfKubernetes = "scheduling.k8s.io/v1beta1";
inline constexpr const char* kGroupsOfKubernetes136 = "scheduling.k8s.io/v1alpha2";
inline constexpr const char* kCompositeGroups = "scheduling.k8s.io/v1alpha3";

constexpr GroupApi group_api(std::string_view api_version) {
  if (api_version.starts_with("scheduling.x-k8s.io/")) return GroupApi::sig;
  if (api_version == kGroupsOfKubernetes136) return GroupApi::kubernetes_alpha;
  return api_version.starts_with("scheduling.k8s.io/") ? GroupApi::kubernetes : GroupApi::volcano;
}

// The condition of a group, by its version (KUBEGROUP-5).
constexpr const char* scheduled_condition(GroupApi api) {
  if (api == GroupApi::composite) return "CompositePodGroupInitiallyScheduled";
  return api == GroupApi::kubernetes_alpha ? "PodGroupScheduled" : "PodGroupInitiallyScheduled";
}

}  // namespace berth::kube
