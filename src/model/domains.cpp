#include "berth/model/domains.h"

#include <utility>

namespace berth {

DomainId DomainTable::domain_of(Key& key, const Node& node) {
  const auto label = node.labels.find(key.name);
  if (label == node.labels.end()) return DomainId();
  const auto [entry, is_new] = key.by_value.try_emplace(label->second, DomainId(key.values.size()));
  if (is_new) key.values.push_back(label->second);
  return entry->second;
}

// BOUND-5. A key that no node has as a label costs nothing by node.
bool DomainTable::move(Key& key, NodeId id, const Node& node, std::size_t nodes) {
  const DomainId now = domain_of(key, node);
  if (key.of.empty()) {
    if (!now.is_valid()) return false;
    key.of.resize(nodes);
  }
  return std::exchange(key.of[id.index()], now) != now;
}

void DomainTable::fill(Key& key, const std::vector<Node>& nodes) {
  key = Key{.name = std::move(key.name), .uses = key.uses, .of = {}, .values = {}, .by_value = {}};
  for (std::size_t n = 0; n < nodes.size(); ++n) move(key, NodeId(n), nodes[n], nodes.size());
}

TopologyKeyId DomainTable::take(const std::string& name, const std::vector<Node>& nodes) {
  const auto [entry, is_new] = id_by_name_.try_emplace(name);
  if (is_new) {
    entry->second = free_.take_in(keys_);
    Key& key = keys_[entry->second.index()];
    key.name = name;
    fill(key, nodes);
  }
  ++keys_[entry->second.index()].uses;
  return entry->second;
}

void DomainTable::give_back(TopologyKeyId id) {
  Key& key = keys_[id.index()];
  if (--key.uses > 0) return;
  id_by_name_.erase(key.name);
  key = Key();
  free_.add(id);
}

void DomainTable::trim() {
  free_.trim(keys_, [](const Key& key) { return key.uses == 0; });
}

void DomainTable::reset(const std::vector<Node>& nodes) {
  for (Key& key : keys_) {
    if (key.uses > 0) fill(key, nodes);
  }
}

bool DomainTable::update(NodeId id, const Node& node, std::size_t nodes) {
  bool has_moved = false;
  for (Key& key : keys_) {
    if (key.uses > 0) has_moved |= move(key, id, node, nodes);
  }
  return has_moved;
}

}  // namespace berth
