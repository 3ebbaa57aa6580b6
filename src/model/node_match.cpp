#include "berth/model/node_match.h"

#include <algorithm>

namespace berth {

bool term_holds(const SelectorTerm& term, const Node& node) {
  if (term.labels.empty() && term.fields.empty()) return false;
  return all_hold(term.labels, node.labels) && all_hold(term.fields, [&](const std::string& key) {
           return key == "metadata.name" ? &node.name : nullptr;
         });
}

bool has_labels(const Node& node, const std::map<std::string, std::string>& labels) {
  return std::all_of(labels.begin(), labels.end(), [&node](const auto& label) {
    const auto found = node.labels.find(label.first);
    return found != node.labels.end() && found->second == label.second;
  });
}

bool is_tolerated(const Taint& taint, const std::vector<Toleration>& tolerations) {
  return std::any_of(tolerations.begin(), tolerations.end(), [&](const Toleration& toleration) {
    if (toleration.effect != TaintEffect::any && toleration.effect != taint.effect) {
      return false;
    }
    if (!toleration.key.empty() && toleration.key != taint.key) return false;
    return toleration.exists || (!toleration.key.empty() && toleration.value == taint.value);
  });
}

const Taint* taint_in_the_way(const Node& node, const std::vector<Toleration>& tolerations) {
  const auto found = std::find_if(node.taints.begin(), node.taints.end(), [&](const Taint& taint) {
    return taint.effect != TaintEffect::prefer_no_schedule && !is_tolerated(taint, tolerations);
  });
  return found == node.taints.end() ? nullptr : &*found;
}

}  // namespace berth
