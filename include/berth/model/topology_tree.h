#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "berth/base/free_ids.h"
#include "berth/base/strong_id.h"
#include "berth/model/topology_objects.h"

namespace berth {

using TreeDomainId = StrongId<struct TreeDomainTag>;

// A level of a topology: a label of nodes, or a tier of HyperNodes.
struct TreeLevel {
  std::string label;      // empty: a tier
  std::string alias;      // another name, of users; empty: none
  std::int32_t tier = 0;  // of HyperNodes; lower is nearer
  // "example.com/rack", "tier 2", "tier 2 (spine)"
  std::string text() const;
  bool operator==(const TreeLevel&) const = default;
};

// "rack-2" before "rack-10".
struct ByNaturalOrder {
  bool operator()(const std::string& left, const std::string& right) const;
};

// Nodes that are near each other. It exists while it has a node (TOPO-6).
struct TreeDomain {
  using Children = std::map<std::string, TreeDomainId, ByNaturalOrder>;
  std::string name;       // the value of the label, or the HyperNode's name
  TreeDomainId parent;    // invalid: it is outermost
  std::size_t level = 0;  // of TopologyTree::levels()
  std::size_t nodes = 0;  // here, and in the domains below
  Children children;
};

// A topology: its levels, and its domains with their nodes. A domain is the path of names that
// leads to it. Ids follow the order of events and decide nothing; domains are in the order of their
// names. Session thread only.
class TopologyTree {
 public:
  explicit TopologyTree(std::vector<TreeLevel> levels = {}) : levels_(std::move(levels)) {}

  const std::vector<TreeLevel>& levels() const { return levels_; }  // the outermost first
  const TreeDomain& domain(TreeDomainId id) const { return domains_[id.index()]; }
  const TreeDomain::Children& outermost() const { return outermost_; }
  std::size_t domain_slots() const { return domains_.size(); }  // ids are below
  std::size_t node_count() const { return place_.size(); }      // of nodes in a domain

  // The innermost domain that the node is in. Invalid: it is in none.
  TreeDomainId place_of(const std::string& node) const;
  // Of the domains around this one, and itself: the outermost that is of this level or further in.
  // Invalid: there is none.
  TreeDomainId within(TreeDomainId domain, std::size_t level) const;
  // "europe/block-1/rack-7"
  std::string path_of(TreeDomainId domain) const;
  // Calls do_this(id) for each domain: one before those below it, and in the order of names.
  template <class DoThis>
  void each_domain(DoThis do_this) const {
    each_below(outermost_, do_this);
  }

  // --- for those who keep it --------------------------------------------------------------------
  // The domain of that name below `parent`. A new one has no nodes, and must get one.
  TreeDomainId open(TreeDomainId parent, const std::string& name, std::size_t level);
  // The node is in this domain. Invalid: in none. Domains without nodes are gone.
  void place(const std::string& node, TreeDomainId domain);

 private:
  template <class DoThis>
  void each_below(const TreeDomain::Children& children, DoThis& do_this) const {
    for (const auto& [name, id] : children) {
      do_this(id);
      each_below(domain(id).children, do_this);
    }
  }
  void close(TreeDomainId id);

  std::vector<TreeLevel> levels_;
  std::vector<TreeDomain> domains_;
  FreeIds<TreeDomainId> free_;
  TreeDomain::Children outermost_;
  std::unordered_map<std::string, TreeDomainId> place_;  // look-up only
};

// TOPO-2. Puts the node where its labels say.
void place_by_labels(TopologyTree& tree, const std::string& node,
                     const std::map<std::string, std::string>& labels);

}  // namespace berth
