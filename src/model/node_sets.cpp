#include "berth/model/node_sets.h"

#include <algorithm>

#include "berth/base/look_up.h"
#include "berth/model/node_match.h"

namespace berth {

NodeSetRule node_set_rule(const SpreadConstraint& spread, const std::vector<SpreadConstraint>& all,
                          const Constraints& of_pod) {
  NodeSetRule rule;
  for (const SpreadConstraint& each : all) rule.keys.push_back(each.topology_key);
  sort_once(rule.keys);
  if (spread.affinity == NodePolicy::honor) {
    rule.node_selector = of_pod.node_selector;
    if (of_pod.has_required_terms) rule.terms = of_pod.required_terms;
  }
  if (spread.taints == NodePolicy::honor) rule.tolerations = of_pod.tolerations;
  return rule;
}

bool holds(const NodeSetRule& rule, const Node& node) {
  const bool has_keys = std::all_of(rule.keys.begin(), rule.keys.end(),
                                    [&](const auto& key) { return node.labels.contains(key); });
  if (!has_keys || !has_labels(node, rule.node_selector)) return false;
  if (rule.tolerations && taint_in_the_way(node, *rule.tolerations) != nullptr) return false;
  return !rule.terms ||
         std::any_of(rule.terms->begin(), rule.terms->end(),
                     [&](const SelectorTerm& term) { return term_holds(term, node); });
}

void NodeSets::fill(Set& set, const std::vector<Node>& nodes) {
  set.has.resize(nodes.size());
  for (std::size_t n = 0; n < nodes.size(); ++n) set.has[n] = holds(set.rule, nodes[n]);
}

NodeSetId NodeSets::take(const NodeSetRule& rule, const std::vector<Node>& nodes) {
  const auto [at, is_new] = id_by_rule_.try_emplace(rule);
  if (is_new) {
    if (free_.empty()) {
      free_.emplace_back(sets_.size());
      sets_.emplace_back();
    }
    at->second = free_.back();
    free_.pop_back();
    Set& set = sets_[at->second.index()];
    set.rule = rule;
    fill(set, nodes);
  }
  ++sets_[at->second.index()].uses;
  return at->second;
}

void NodeSets::give_back(NodeSetId id) {
  Set& set = sets_[id.index()];
  if (--set.uses > 0) return;
  id_by_rule_.erase(set.rule);
  set = Set();
  free_.push_back(id);
}

void NodeSets::reset(const std::vector<Node>& nodes) {
  for (Set& set : sets_) {
    if (set.uses > 0) fill(set, nodes);
  }
}

bool NodeSets::update(NodeId id, const Node& node) {
  bool has_changed = false;
  for (Set& set : sets_) {
    if (set.uses == 0) continue;
    const bool is_in = holds(set.rule, node);
    has_changed |= is_in != set.has[id.index()];
    set.has[id.index()] = is_in;
  }
  return has_changed;
}

}  // namespace berth
