#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace berth::podview {

struct Refusal {
  std::string reason;  // Unschedulable or SchedulerError
  std::string message;
};

// VIEW-9: kube-scheduler's report that it found no node, in a patch of a pod's status (a strategic
// merge in JSON). None if the patch has no such condition.
std::optional<Refusal> refusal_in(std::string_view patch);

}  // namespace berth::podview
