#pragma once

#include <vector>

#include "berth/model/node.h"
#include "berth/model/objects.h"

namespace berth {

// Kubernetes' rules for node selectors and tolerations. Pure functions.

// True if all expressions and fields hold. An empty term never holds. Gt and Lt compare whole
// numbers and do not hold for other labels.
bool term_holds(const SelectorTerm& term, const Node& node);

// The node has every one of these labels.
bool has_labels(const Node& node, const std::map<std::string, std::string>& labels);

// True if a toleration matches key, value and effect.
bool is_tolerated(const Taint& taint, const std::vector<Toleration>& tolerations);

// The first taint that keeps pods with these tolerations off the node. Null: none.
const Taint* taint_in_the_way(const Node& node, const std::vector<Toleration>& tolerations);

}  // namespace berth
