#pragma once

#include <vector>

#include "berth/model/node.h"
#include "berth/model/objects.h"

namespace berth::engine {

// Kubernetes' rules for node selector terms and tolerations, shared by predicates and scores.

// True if all expressions and fields hold. An empty term never holds. Gt and Lt compare whole
// numbers and do not hold for other labels.
bool term_holds(const SelectorTerm& term, const Node& node);

// True if a toleration matches key, value and effect.
bool is_tolerated(const Taint& taint, const std::vector<Toleration>& tolerations);

}  // namespace berth::engine
