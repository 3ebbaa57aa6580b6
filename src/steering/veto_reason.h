#pragma once

#include <string>
#include <string_view>

namespace berth::steering {

// STEER-12. The part of kube-scheduler's message that says why the planned node does not do: "0/3
// nodes are available: 1 node(s) had no volume, 2 node(s) didn't satisfy plugin(s) [NodeAffinity]."
// becomes "node(s) had no volume". Of another text: "it was not offered".
std::string veto_reason(std::string_view message);

}  // namespace berth::steering
