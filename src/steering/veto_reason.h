#pragma once

#include <string>
#include <string_view>

namespace berth::steering {

// STEER-12. The part of kube-scheduler's message that says why the planned node does not do: "0/3
// nodes are available: 1 node(s) had no volume, 2 node(s) didn't satisfy plugin(s) [NodeAffinity]."
// becomes "node(s) had no volume". Of another text: "it was not offered".
std::string veto_reason(std::string_view message);

// HINT-6. The same for users, with the numbers of nodes: "1 node(s) had no volume". Of a hint, the
// reasons of all nodes. Of another text: the text.
std::string refusal_text(std::string_view message, bool is_hint);

// Whether it finds no node at all for a hint, and no node is left out by us.
bool is_refused_everywhere(std::string_view message);

}  // namespace berth::steering
