#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/strong_id.h"
#include "berth/model/constraints.h"
#include "berth/model/node.h"

namespace berth {

// The nodes whose pods count for a spread, and whose domains it has. SPREAD-2, SPREAD-3.
struct NodeSetRule {
  std::vector<std::string> keys;                     // sorted; the node has all of these labels
  std::map<std::string, std::string> node_selector;  // and these values
  std::optional<std::vector<SelectorTerm>> terms;    // one must hold; none are asked: all nodes
  std::optional<std::vector<Toleration>>
      tolerations;  // of all its taints; none: taints are allowed
  auto operator<=>(const NodeSetRule&) const = default;
};

// Of one of these spreads of a pod. The keys of all of them count.
NodeSetRule node_set_rule(const SpreadConstraint& spread, const std::vector<SpreadConstraint>& all,
                          const Constraints& of_pod);

bool holds(const NodeSetRule& rule, const Node& node);

// The node sets in use. Equal rules share one. Session thread only.
class NodeSets {
 public:
  // The set, which is now in use once more. `nodes`: all nodes, by id.
  NodeSetId take(const NodeSetRule& rule, const std::vector<Node>& nodes);
  void give_back(NodeSetId id);

  bool has(NodeSetId id, NodeId node) const { return sets_[id.index()].has[node.index()]; }
  std::size_t node_count(NodeSetId id) const { return sets_[id.index()].has.size(); }
  std::size_t size() const { return id_by_rule_.size(); }

  // All nodes are new.
  void reset(const std::vector<Node>& nodes);
  // True if the node has come into a set, or has left one.
  bool update(NodeId id, const Node& node);

 private:
  struct Set {
    NodeSetRule rule;
    std::uint32_t uses = 0;
    std::vector<bool> has;  // by node
  };
  static void fill(Set& set, const std::vector<Node>& nodes);

  std::vector<Set> sets_;
  std::vector<NodeSetId> free_;
  std::map<NodeSetRule, NodeSetId> id_by_rule_;
};

}  // namespace berth
