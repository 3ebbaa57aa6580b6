#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "berth/base/free_ids.h"
#include "berth/base/strong_id.h"
#include "berth/model/node.h"

namespace berth {

// The topology keys in use, and the domain of each node: those with the same value of the label
// are in one. Session thread only.
class DomainTable {
 public:
  // The key, which is now in use once more. `nodes`: all nodes, by id.
  TopologyKeyId take(const std::string& key, const std::vector<Node>& nodes);
  void give_back(TopologyKeyId key);

  // Invalid: the node lacks the label.
  DomainId at(TopologyKeyId key, NodeId node) const {
    const std::vector<DomainId>& of = keys_[key.index()].of;
    return of.empty() ? DomainId() : of[node.index()];
  }
  // Domains are dense, from 0; some may have lost all their nodes.
  std::size_t count(TopologyKeyId key) const { return keys_[key.index()].values.size(); }
  const std::string& value(TopologyKeyId key, DomainId domain) const {
    return keys_[key.index()].values[domain.index()];
  }
  const std::string& name(TopologyKeyId key) const { return keys_[key.index()].name; }

  // All nodes are new; so are all domains.
  void reset(const std::vector<Node>& nodes);
  // True if the node has come into another domain. `nodes`: how many there are.
  bool update(NodeId id, const Node& node, std::size_t nodes);
  void trim();

 private:
  struct Key {
    std::string name;
    std::uint32_t uses = 0;
    std::vector<DomainId> of;  // by node; empty: no node has the label (BOUND-5)
    std::vector<std::string> values;
    std::unordered_map<std::string, DomainId> by_value;  // look-up only
  };
  static DomainId domain_of(Key& key, const Node& node);
  static bool move(Key& key, NodeId id, const Node& node, std::size_t nodes);
  static void fill(Key& key, const std::vector<Node>& nodes);

  std::vector<Key> keys_;
  FreeIds<TopologyKeyId> free_;
  std::unordered_map<std::string, TopologyKeyId> id_by_name_;  // look-up only
};

}  // namespace berth
