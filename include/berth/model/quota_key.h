#pragma once

#include <string_view>

namespace berth {

// True for a key of a ResourceQuota that counts or bounds objects ("count/pods", "requests.cpu",
// "limits.memory", "services"). No node has such a resource. Controllers that use the quota
// evaluator write these keys beside real resources, as Volcano's do for `minResources`. "cpu",
// "memory", "ephemeral-storage", "pods" and extended resources are real resources.
bool is_quota_key(std::string_view name);

}  // namespace berth
