#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

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
  DomainId at(TopologyKeyId key, NodeId node) const { return keys_[key.index()].of[node.index()]; }
  // Domains are dense, from 0; some may have lost all their nodes.
  std::size_t count(TopologyKeyId key) const { return keys_[key.index()].values.size(); }
  const std::string& value(TopologyKeyId key, DomainId domain) const {
    return keys_[key.index()].values[domain.index()];
  }
  const std::string& name(TopologyKeyId key) const { return keys_[key.index()].name; }

  // All nodes are new; so are all domains.
  void reset(const std::vector<Node>& nodes);
  // True if the node has come into another domain.
  bool update(NodeId id, const Node& node);

 private:
  struct Key {
    std::string name;
    std::uint32_t uses = 0;
    std::vector<DomainId> of;  // by node
    std::vector<std::string> values;
    std::unordered_map<std::string, DomainId> by_value;  // look-up only
  };
  static DomainId domain_of(Key& key, const Node& node);
  static void fill(Key& key, const std::vector<Node>& nodes);

  std::vector<Key> keys_;
};

}  // namespace berth
