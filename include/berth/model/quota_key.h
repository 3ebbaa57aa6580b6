#pragma once

#include <string_view>

namespace berth {

// Is this a key of a ResourceQuota that counts or bounds objects ("count/pods", "requests.cpu",
// "limits.memory", "services")? No node has such a thing. Controllers that ask the quota evaluator
// how much pods use, as Volcano's do for `minResources`, write them beside real resources. "cpu",
// "memory", "ephemeral-storage", "pods" and extended resources are both, and are none of these.
bool is_quota_key(std::string_view name);

}  // namespace berth
