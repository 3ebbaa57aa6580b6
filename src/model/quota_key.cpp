#include "berth/model/quota_key.h"

#include <algorithm>
#include <array>

#include "berth/base/look_up.h"

namespace berth {

bool is_quota_key(std::string_view name) {
  constexpr std::array<std::string_view, 8> kObjects{
      "configmaps", "persistentvolumeclaims", "replicationcontrollers", "resourcequotas", "secrets",
      "services",   "services.loadbalancers", "services.nodeports"};
  constexpr std::array<std::string_view, 3> kPrefixes{"count/", "requests.", "limits."};
  constexpr std::string_view kOfStorageClass = ".storageclass.storage.k8s.io/";
  return is_any_of(name, kObjects) ||
         std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); }) ||
         name.find(kOfStorageClass) != std::string_view::npos;
}

}  // namespace berth
