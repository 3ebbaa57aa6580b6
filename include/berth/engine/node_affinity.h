#pragma once

#include <vector>

#include "berth/model/node.h"
#include "berth/model/objects.h"

namespace berth::engine {

// Kubernetes' rules for node selector terms and tolerations, shared by predicates and scores.

// All expressions and fields hold; a term without any holds nowhere. Gt and Lt compare whole
// numbers and do not hold where the label is none.
bool term_holds(const SelectorTerm& term, const Node& node);

// Some toleration matches key, value and effect.
bool is_tolerated(const Taint& taint, const std::vector<Toleration>& tolerations);

}  // namespace berth::engine
