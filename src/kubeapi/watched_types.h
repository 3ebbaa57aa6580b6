#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/model/event.h"
#include "kube/codecs.h"
#include "kubeapi/kept_keys.h"
#include "kubeapi/storage_kinds.h"

// The kinds of objects that become events one by one, as the API server has them.

namespace berth::kubeapi {

inline constexpr std::string_view kBudgets = "poddisruptionbudgets";
inline constexpr std::string_view kSigGroups = "podgroups.scheduling.x-k8s.io";
inline constexpr std::string_view kKubeGroups = "podgroups.v1alpha2.scheduling.k8s.io";
inline constexpr const char* kVolcanoVersion = "scheduling.volcano.sh/v1beta1";

inline constexpr const KeptKeys* kInProtobuf = nullptr;  // API-36

struct WatchedType {
  std::string_view name;
  const char* path;
  kube::TypeName type;
  const KeptKeys* keeps;
  std::function<ClusterEvent(const std::string& id)> deletion;
  std::optional<StorageKind> storage = std::nullopt;
};

std::vector<WatchedType> watched_types();
WatchedType kube_groups();                   // only if the API server serves them
WatchedType budgets();                       // API-26
WatchedType storage(StorageKind kind);       // API-32
std::vector<WatchedType> selecting_types();  // API-33
// API-37. Only those that the API server serves. The names are RESOURCE.VERSION.GROUP.
std::vector<WatchedType> topology_types();

}  // namespace berth::kubeapi
