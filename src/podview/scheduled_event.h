#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace berth::podview {

// VIEW-20: the uid of the pod that kube-scheduler's event says it has bound. The body is an Event
// of events.k8s.io/v1 in protobuf; None of any other, and of what cannot be read.
std::optional<std::string> pod_of_scheduled_event(std::string_view body);

}  // namespace berth::podview
