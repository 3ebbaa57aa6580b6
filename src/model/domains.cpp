#include "berth/model/domains.h"

#include <algorithm>
#include <utility>

namespace berth {

DomainId DomainTable::domain_of(Key& key, const Node& node) {
  const auto label = node.labels.find(key.name);
  if (label == node.labels.end()) return DomainId();
  const auto [entry, is_new] = key.by_value.try_emplace(label->second, DomainId(key.values.size()));
  if (is_new) key.values.push_back(label->second);
  return entry->second;
}

void DomainTable::fill(Key& key, const std::vector<Node>& nodes) {
  key.values.clear();
  key.by_value.clear();
  key.of.clear();
  for (const Node& node : nodes) key.of.push_back(domain_of(key, node));
}

TopologyKeyId DomainTable::take(const std::string& name, const std::vector<Node>& nodes) {
  const auto is_it = [&](const Key& key) { return key.uses > 0 && key.name == name; };
  auto found = std::find_if(keys_.begin(), keys_.end(), is_it);
  if (found == keys_.end()) {
    found = std::find_if(keys_.begin(), keys_.end(), [](const Key& key) { return key.uses == 0; });
    if (found == keys_.end()) found = keys_.insert(keys_.end(), Key());
    found->name = name;
    fill(*found, nodes);
  }
  ++found->uses;
  return TopologyKeyId(static_cast<std::size_t>(found - keys_.begin()));
}

void DomainTable::give_back(TopologyKeyId id) {
  Key& key = keys_[id.index()];
  if (--key.uses == 0) key = Key();
}

void DomainTable::reset(const std::vector<Node>& nodes) {
  for (Key& key : keys_) {
    if (key.uses > 0) fill(key, nodes);
  }
}

bool DomainTable::update(NodeId id, const Node& node) {
  bool has_moved = false;
  for (Key& key : keys_) {
    if (key.uses == 0) continue;
    const DomainId now = domain_of(key, node);
    has_moved |= std::exchange(key.of[id.index()], now) != now;
  }
  return has_moved;
}

}  // namespace berth
