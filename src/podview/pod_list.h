#pragma once

#include <string>

#include "berth/base/result.h"
#include "podview/memory.h"
#include "ports/shown_pods.h"

namespace berth::podview {

// VIEW-2: the body of a list, or of one of its pages, as the client gets it: without hidden pods,
// and with the shown ones last, in the order of the table. Fills the memory for the watch that
// follows; the first page of a list needs a new one. Pods that are left out (VIEW-14) and shown
// pods that are not in the list come first in that watch. Anything but a PodList passes as it came.
Result<std::string> filter_list(std::string body, const Managed& schedulers,
                                const ports::ShownPods& table, const ports::Attempts& attempts,
                                Memory& memory);

}  // namespace berth::podview
