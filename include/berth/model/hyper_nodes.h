#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "berth/model/objects.h"
#include "berth/model/topology_objects.h"
#include "berth/model/topology_tree.h"

namespace berth {

using NodesByName = std::map<std::string, NodeObject>;

// Volcano's HyperNodes as one tree (TOPO-4 to TOPO-7 of docs/design/topology.md). A change of a
// node moves that node at once. A change of a HyperNode is looked at with the next settle(). After
// that, all depends only on the objects. Session thread only.
class HyperNodes {
 public:
  HyperNodes() = default;
  HyperNodes(HyperNodes&&) = default;  // entries keep their addresses
  HyperNodes& operator=(HyperNodes&&) = default;

  void put(const HyperNodeObject& object);
  void erase(const std::string& name);
  void put_node(const std::string& name, const std::map<std::string, std::string>& labels);
  void erase_node(const std::string& name);
  // `nodes`: all of them.
  void settle(const NodesByName& nodes);

  bool are_none() const { return entries_.empty(); }
  const TopologyTree& tree() const { return tree_; }
  // By name, why a HyperNode counts as if it was not there, or what of it names nothing.
  std::map<std::string, std::string> sentences() const;

 private:
  struct Entry {
    HyperNodeObject object;
    std::string fault;    // of the object itself
    std::string refused;  // why it does not count; empty: it does
    Entry* parent = nullptr;
    bool operator<(const Entry& other) const;  // is it older?
  };
  // A node that some HyperNode selects.
  struct Held {
    std::vector<Entry*> by;  // the oldest first
    Entry* place = nullptr;  // the innermost of those that count; null: none counts
  };

  static bool is_around(const Entry* outer, const Entry* inner);
  static bool is_on_one_way(const std::vector<Entry*>& entries);
  void index();
  void clear_index();
  void index_labels(Entry& entry, const HyperNodeMember& member);
  std::vector<Entry*> selecting(const std::string& node,
                                const std::map<std::string, std::string>& labels) const;
  std::vector<Entry*> by_age();
  void find_parents(const std::vector<Entry*>& order);
  std::string claim_children(Entry& entry);
  bool refuse_overlaps(const std::vector<Entry*>& order);
  void resolve();
  void rebuild_tree();
  TreeDomainId open_domain(const Entry& entry);

  std::map<std::string, Entry> entries_;
  std::map<std::string, Held> held_;  // nodes
  bool objects_changed_ = false;
  bool overlaps_changed_ = false;
  TopologyTree tree_;
  std::map<std::int32_t, std::size_t> level_of_tier_;
  // Selectors, by how they are looked up.
  using Label = std::pair<std::string, std::string>;
  struct Selection {
    Entry* entry = nullptr;
    const HyperNodeMember* member = nullptr;
  };
  std::unordered_map<std::string, std::vector<Entry*>> by_node_name_;  // look-up only
  std::map<Label, std::vector<Selection>> by_label_;                   // by one that must be there
  std::vector<Selection> by_other_labels_;
  std::vector<Selection> by_pattern_;
};

}  // namespace berth
