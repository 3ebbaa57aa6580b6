#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "ports/binder.h"

// The scheduler-extender protocol as kube-scheduler implements it: Go's names in requests, and
// answers decoded as in Go (keys in any case, unknown keys and trailing text ignored).

namespace berth::embedded {

// ExtenderArgs with nodeCacheCapable: `pod` is JSON, `names` are plain.
std::string extender_args(std::string_view pod, const std::vector<std::string_view>& names);
std::string binding_args(const ports::Binding& binding);
// ExtenderPreemptionArgs with nodeCacheCapable, and its answer.
struct NodeVictims {
  std::string node;
  std::vector<std::string> uids;
  std::int64_t violations = 0;  // of disruption budgets
};
std::string preemption_args(std::string_view pod, const std::vector<NodeVictims>& nodes);

// ExtenderFilterResult: the kept ones of `asked`, as indices, in the order of the answer. An Error
// if the answer carries one or has another name.
Result<std::vector<std::size_t>> read_filter_result(const std::string& body,
                                                    const std::vector<std::string_view>& asked);
// HostPriorityList: a score for each of `asked`, 0 if it is missing.
Result<std::vector<std::int64_t>> read_priorities(const std::string& body,
                                                  const std::vector<std::string_view>& asked);
// ExtenderPreemptionResult: the nodes on which victims are left.
Result<std::vector<NodeVictims>> read_preemption_result(const std::string& body);
// ExtenderBindingResult.
Status read_binding_result(const std::string& body);

}  // namespace berth::embedded
