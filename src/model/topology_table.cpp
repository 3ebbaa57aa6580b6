#include "berth/model/topology_table.h"

#include <algorithm>
#include <utility>

#include "berth/base/check.h"
#include "berth/base/look_up.h"
#include "berth/base/printable.h"
#include "berth/base/text.h"

namespace berth {

std::string TopologyName::text() const {
  if (kind == TopologyKind::configured) return "topology.levels of the configuration";
  const std::string of_kind = to_string(kind);
  return name.empty() ? of_kind : of_kind + " \"" + shortened(name, 80) + "\"";
}

void TopologyTable::set_levels(const std::vector<std::string>& labels) {
  ++version_;
  const TopologyName name{TopologyKind::configured, {}};
  std::vector<TopologyLevel> levels;
  for (const std::string& label : labels) levels.push_back({label});
  if (!levels.empty()) return put_levels(name, levels, {});
  if (by_labels_.erase(name) > 0) ++levels_version_;
}

void TopologyTable::put(const TopologyObject& object) {
  ++version_;
  if (const auto* const levels = std::get_if<LevelsObject>(&object.object)) {
    return put_levels({levels->kind, levels->name}, levels->levels, levels->fault);
  }
  hyper_nodes_.put(std::get<HyperNodeObject>(object.object));
}

void TopologyTable::put_levels(const TopologyName& name, const std::vector<TopologyLevel>& levels,
                               const std::string& fault) {
  const auto [entry, is_new] = by_labels_.try_emplace(name);
  Kept& kept = entry->second;
  const std::string why = fault.empty() ? fault_of(levels) : fault;
  if (!is_new && kept.levels == levels && kept.fault == why) return;
  ++levels_version_;
  kept.levels = levels;
  kept.fault = why;
  kept.is_new = true;
  std::vector<TreeLevel> of_tree;
  for (const TopologyLevel& level : levels) {
    if (kept.fault.empty()) of_tree.push_back({level.label, level.alias, 0});
  }
  kept.tree = TopologyTree(std::move(of_tree));
}

void TopologyTable::erase(const TopologyDeleted& gone) {
  ++version_;
  if (gone.kind == TopologyKind::volcano) return hyper_nodes_.erase(gone.name);
  if (by_labels_.erase({gone.kind, gone.name}) > 0) ++levels_version_;
}

void TopologyTable::put_node(const std::string& name,
                             const std::map<std::string, std::string>& labels) {
  ++version_;
  for (auto& [topology, kept] : by_labels_) {
    if (!kept.is_new) place_by_labels(kept.tree, name, labels);
  }
  hyper_nodes_.put_node(name, labels);
}

void TopologyTable::erase_node(const std::string& name) {
  ++version_;
  for (auto& [topology, kept] : by_labels_) kept.tree.place(name, TreeDomainId());
  hyper_nodes_.erase_node(name);
}

void TopologyTable::settle(const NodesByName& nodes) {
  ++version_;
  for (auto& [topology, kept] : by_labels_) {
    if (!std::exchange(kept.is_new, false)) continue;
    for (const auto& [name, node] : nodes) place_by_labels(kept.tree, name, node.labels);
  }
  hyper_nodes_.settle(nodes);
  if (hyper_levels_ == hyper_nodes_.tree().levels()) return;
  hyper_levels_ = hyper_nodes_.tree().levels();
  ++levels_version_;
}

// TOPO-1
std::vector<std::pair<TopologyName, const TopologyTree*>> TopologyTable::trees() const {
  std::vector<std::pair<TopologyName, const TopologyTree*>> trees;
  for (const auto& [name, kept] : by_labels_) {
    if (kept.fault.empty()) trees.emplace_back(name, &kept.tree);
  }
  if (!hyper_nodes_.are_none()) {
    trees.emplace_back(TopologyName{TopologyKind::volcano, {}}, &hyper_nodes_.tree());
  }
  return trees;
}

const TopologyTree* TopologyTable::find(const TopologyName& name) const {
  if (name.kind == TopologyKind::volcano) return &hyper_nodes_.tree();
  const auto found = by_labels_.find(name);
  return found == by_labels_.end() ? nullptr : &found->second.tree;
}

std::map<std::string, std::string> TopologyTable::sentences() const {
  std::map<std::string, std::string> sentences;
  for (const auto& [name, kept] : by_labels_) {
    if (!kept.fault.empty()) sentences[name.text()] = kept.fault;
  }
  for (auto& [name, sentence] : hyper_nodes_.sentences()) {
    sentences[TopologyName{TopologyKind::volcano, name}.text()] = sentence;
  }
  return sentences;
}

std::string TopologyTable::known_levels() const {
  std::vector<std::string> names;
  for (const auto& [topology, tree] : trees()) {
    for (const TreeLevel& level : tree->levels()) {
      const std::string text = level.text();
      if (!is_any_of(text, names)) names.push_back(text);
    }
  }
  if (names.empty()) return "and no topology is known: see docs/topology.md";
  return "expected one of: " + first_names(names);
}

namespace {

bool is_meant(const TreeLevel& level, const LevelName& name) {
  const bool is_tier = level.label.empty();
  if (name.tier) return is_tier && level.tier <= *name.tier;
  if (!name.tier_name.empty()) return is_tier && level.alias == name.tier_name;
  return level.label == name.name || level.alias == name.name;
}

}  // namespace

// TOPO-10
Result<FoundLevel> TopologyTable::find_level(const LevelName& name) const {
  BERTH_CHECK(!name.is_none());
  bool is_topology_known = name.topology.empty();
  for (const auto& [topology, tree] : trees()) {
    if (!name.topology.empty() && topology.name != name.topology) continue;
    is_topology_known = true;
    const std::vector<TreeLevel>& levels = tree->levels();
    const auto found = std::find_if(levels.begin(), levels.end(),
                                    [&](const TreeLevel& level) { return is_meant(level, name); });
    if (found == levels.end()) continue;
    const bool is_above_all = name.tier && found == levels.begin() && found->tier < *name.tier;
    if (is_above_all) return FoundLevel{topology, std::nullopt};
    return FoundLevel{topology, static_cast<std::size_t>(found - levels.begin())};
  }
  if (!is_topology_known) {
    return Error{"no topology has the name \"" + shortened(name.topology, 80) + "\"", ""};
  }
  return Error{"no level is \"" + name.text() + "\", " + known_levels(), ""};
}

}  // namespace berth
