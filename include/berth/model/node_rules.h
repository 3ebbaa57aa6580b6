#pragma once

#include <map>
#include <string>
#include <vector>

#include "berth/model/constraints.h"

namespace berth {

// The constraints that labels and taints of nodes decide about. Pods with equal ones may run on the
// same nodes.
struct NodeRules {
  explicit NodeRules(const Constraints& of)
      : node_selector(of.node_selector),
        has_required_terms(of.has_required_terms),
        required_terms(of.required_terms),
        tolerations(of.tolerations) {}

  std::map<std::string, std::string> node_selector;
  bool has_required_terms;
  std::vector<SelectorTerm> required_terms;
  std::vector<Toleration> tolerations;
  auto operator<=>(const NodeRules&) const = default;
};

}  // namespace berth
