#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "ports/binder.h"

// The scheduler-extender protocol as kube-scheduler speaks it: Go's names in requests, answers
// decoded as Go does (keys in any case, unknown ones and what follows the first value ignored).

namespace berth::embedded {

// ExtenderArgs with nodeCacheCapable: `pod` is JSON, `names` are plain.
std::string extender_args(std::string_view pod, const std::vector<std::string_view>& names);
std::string binding_args(const ports::Binding& binding);

// ExtenderFilterResult: which of `asked` were kept, as indices, in the order of the answer. An
// Error if it carries one or a name that was not asked about.
Result<std::vector<std::size_t>> read_filter_result(const std::string& body,
                                                    const std::vector<std::string_view>& asked);
// HostPriorityList: a score for each of `asked`, 0 where there is none.
Result<std::vector<std::int64_t>> read_priorities(const std::string& body,
                                                  const std::vector<std::string_view>& asked);
// ExtenderBindingResult.
Status read_binding_result(const std::string& body);

}  // namespace berth::embedded
