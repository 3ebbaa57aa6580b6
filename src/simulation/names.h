#pragma once

#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/event.h"

namespace berth::simulation {

// For the API and the mirror, two pods with one uid would be one pod.
Status require_distinct_uids(const std::vector<ClusterEvent>& objects);

// `no job "ml/wdie"; did you mean "ml/wide"?`: a namespace/name that is not among `names`. `kind`
// is "job" or "pod".
std::string unknown_name(const std::string& kind, const std::string& name,
                         std::vector<std::string> names);

}  // namespace berth::simulation
