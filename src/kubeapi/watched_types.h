#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/model/event.h"
#include "berth/model/volumes.h"
#include "kube/codecs.h"
#include "kubeapi/kept_keys.h"

// The kinds of objects that become events one by one, as the API server has them.

namespace berth::kubeapi {

inline constexpr std::string_view kBudgets = "poddisruptionbudgets";
inline constexpr std::string_view kSigGroups = "podgroups.scheduling.x-k8s.io";

inline constexpr const KeptKeys* kInProtobuf = nullptr;  // API-36

struct WatchedType {
  std::string_view name;
  kube::TypeName type;
  const KeptKeys* keeps;
  std::function<ClusterEvent(const std::string& id)> deletion;
  std::optional<StorageKind> storage = std::nullopt;

  std::string path() const;  // "/api/v1/nodes"
};

std::vector<WatchedType> watched_types();
WatchedType budgets();                       // API-26
std::vector<WatchedType> storage_types();    // API-32
std::vector<WatchedType> selecting_types();  // API-33
// KUBEGROUP-1, API-37. Those that the API server may not serve. The names are
// RESOURCE.VERSION.GROUP; of several versions of one resource, the first that is served is watched.
std::vector<WatchedType> types_if_served();

}  // namespace berth::kubeapi
