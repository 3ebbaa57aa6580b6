#include "berth/model/hyper_nodes.h"

#include <algorithm>
#include <tuple>

#include "berth/base/printable.h"

// Which HyperNodes count, and where nodes are among them. Of two that cannot both be there, the
// older one stays, so that a new HyperNode never takes a tree apart that is in use.

namespace berth {

namespace {

// BOUND-1's length of a name, in sentences.
std::string shown_name(const std::string& name) { return "\"" + shortened(name, 80) + "\""; }

}  // namespace

bool HyperNodes::Entry::operator<(const Entry& other) const {
  return std::tie(object.created, object.name) < std::tie(other.object.created, other.object.name);
}

void HyperNodes::put(const HyperNodeObject& object) {
  Entry& entry = entries_[object.name];
  if (entry.object == object && !entry.object.name.empty()) return;
  objects_changed_ = true;
  entry.object = object;
  entry.fault = object.fault;
  if (object.members.empty() && entry.fault.empty()) {
    entry.fault = "it has no members, expected at least one";
  }
}

void HyperNodes::erase(const std::string& name) {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return;
  objects_changed_ = true;
  entries_.erase(found);
  held_.clear();  // until settle() makes them anew
  clear_index();
}

// --- selectors --------------------------------------------------------------------------------

void HyperNodes::clear_index() {
  by_node_name_.clear();
  by_label_.clear();
  by_other_labels_.clear();
  by_pattern_.clear();
}

void HyperNodes::index() {
  clear_index();
  for (auto& [name, entry] : entries_) {
    if (!entry.fault.empty()) continue;
    for (const HyperNodeMember& member : entry.object.members) {
      if (member.is_hyper_node) continue;
      if (!member.name.empty()) by_node_name_[member.name].push_back(&entry);
      if (!member.labels.empty()) index_labels(entry, member);
      if (member.pattern.is_in) by_pattern_.push_back({&entry, &member});
    }
  }
}

void HyperNodes::index_labels(Entry& entry, const HyperNodeMember& member) {
  const auto one = std::find_if(member.labels.begin(), member.labels.end(), [](const auto& each) {
    return each.op == Operator::in && each.values.size() == 1;
  });
  if (one == member.labels.end()) {
    by_other_labels_.push_back({&entry, &member});
  } else {
    by_label_[{one->key, one->values.front()}].push_back({&entry, &member});
  }
}

// The HyperNodes of which the node is a member itself.
std::vector<HyperNodes::Entry*> HyperNodes::selecting(
    const std::string& node, const std::map<std::string, std::string>& labels) const {
  std::vector<Entry*> found;
  if (const auto named = by_node_name_.find(node); named != by_node_name_.end()) {
    found = named->second;
  }
  const auto look = [&](const std::vector<Selection>& selections) {
    for (const Selection& each : selections) {
      if (all_hold(each.member->labels, labels)) found.push_back(each.entry);
    }
  };
  for (const auto& label : labels) {
    if (by_label_.empty()) break;
    const auto selections = by_label_.find({label.first, label.second});
    if (selections != by_label_.end()) look(selections->second);
  }
  look(by_other_labels_);
  for (const Selection& each : by_pattern_) {
    if (each.member->pattern.is_in(node)) found.push_back(each.entry);
  }
  std::sort(found.begin(), found.end(),
            [](const Entry* left, const Entry* right) { return *left < *right; });
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

// --- nodes ------------------------------------------------------------------------------------

bool HyperNodes::is_around(const Entry* outer, const Entry* inner) {
  while (inner != nullptr && inner->object.tier < outer->object.tier) inner = inner->parent;
  return inner == outer;
}

// Is each of those that count around the next?
bool HyperNodes::is_on_one_way(const std::vector<Entry*>& entries) {
  const Entry* innermost = nullptr;
  for (const Entry* const each : entries) {
    if (!each->refused.empty()) return false;  // it may count without this node
    if (innermost == nullptr || is_around(innermost, each)) {
      innermost = each;
    } else if (!is_around(each, innermost)) {
      return false;
    }
  }
  return true;
}

void HyperNodes::put_node(const std::string& name,
                          const std::map<std::string, std::string>& labels) {
  if (objects_changed_) return;  // settle() looks at all nodes
  std::vector<Entry*> by = selecting(name, labels);
  const auto found = held_.find(name);
  if (found == held_.end() ? by.empty() : found->second.by == by) return;
  const bool was_simple = found == held_.end() || is_on_one_way(found->second.by);
  if (!was_simple || !is_on_one_way(by)) overlaps_changed_ = true;
  if (by.empty()) {
    held_.erase(found);
    return tree_.place(name, TreeDomainId());
  }
  Held& held = held_[name];
  held = {std::move(by), nullptr};
  if (overlaps_changed_) return;  // settle() places it
  for (Entry* const each : held.by) {
    if (held.place == nullptr || is_around(held.place, each)) held.place = each;
  }
  tree_.place(name, open_domain(*held.place));
}

void HyperNodes::erase_node(const std::string& name) {
  const auto found = held_.find(name);
  if (found == held_.end()) return;
  // Without settle(), a parent may be gone.
  if (!objects_changed_ && !is_on_one_way(found->second.by)) overlaps_changed_ = true;
  held_.erase(found);
  tree_.place(name, TreeDomainId());
}

void HyperNodes::settle(const NodesByName& nodes) {
  if (objects_changed_) {
    index();
    held_.clear();
    for (const auto& [name, node] : nodes) {
      if (std::vector<Entry*> by = selecting(name, node.labels); !by.empty()) {
        held_.emplace(name, Held{std::move(by), nullptr});
      }
    }
  }
  if (!objects_changed_ && !overlaps_changed_) return;
  objects_changed_ = overlaps_changed_ = false;
  resolve();
  rebuild_tree();
}

// --- which of them count ----------------------------------------------------------------------

std::vector<HyperNodes::Entry*> HyperNodes::by_age() {
  std::vector<Entry*> order;
  for (auto& [name, entry] : entries_) order.push_back(&entry);
  std::sort(order.begin(), order.end(),
            [](const Entry* left, const Entry* right) { return *left < *right; });
  return order;
}

// TOPO-5. Each round looks anew at those that are left, since a HyperNode that is refused counts as
// if it was not there: not for its members, and not for the one around it.
void HyperNodes::resolve() {
  const std::vector<Entry*> order = by_age();
  for (Entry* const each : order) each->refused = each->fault;
  do {
    find_parents(order);
  } while (refuse_overlaps(order));
}

void HyperNodes::find_parents(const std::vector<Entry*>& order) {
  bool is_refused = true;
  while (is_refused) {
    is_refused = false;
    for (Entry* const each : order) each->parent = nullptr;
    for (Entry* const each : order) {
      if (!each->refused.empty()) continue;
      each->refused = claim_children(*each);
      is_refused = is_refused || !each->refused.empty();
    }
  }
}

// Says why the HyperNode cannot be around its members. Empty: it is, now.
std::string HyperNodes::claim_children(Entry& entry) {
  std::vector<Entry*> children;
  for (const HyperNodeMember& member : entry.object.members) {
    if (!member.is_hyper_node) continue;
    const auto found = entries_.find(member.name);
    if (found == entries_.end() || !found->second.refused.empty()) continue;
    Entry& child = found->second;
    const std::string its_member = "its member " + shown_name(member.name);
    if (child.object.tier >= entry.object.tier) {
      return its_member + (&child == &entry ? " is itself" : " has tier ") +
             (&child == &entry ? "" : std::to_string(child.object.tier)) +
             ", expected one below its own tier " + std::to_string(entry.object.tier) +
             ", so that no loop can be";
    }
    if (child.parent != nullptr && child.parent != &entry) {
      return its_member + " is in the older " + shown_name(child.parent->object.name) +
             " already, expected one around it";
    }
    children.push_back(&child);
  }
  for (Entry* const child : children) child->parent = &entry;
  return {};
}

// Places the nodes. True if a HyperNode was refused for one of them.
bool HyperNodes::refuse_overlaps(const std::vector<Entry*>& order) {
  std::map<const Entry*, std::vector<std::pair<const std::string*, Held*>>> nodes;
  for (auto& [name, held] : held_) {
    held.place = nullptr;
    for (const Entry* const each : held.by) {
      if (each->refused.empty()) nodes[each].emplace_back(&name, &held);
    }
  }
  bool is_refused = false;
  for (Entry* const each : order) {
    const auto found = nodes.find(each);
    if (found == nodes.end()) continue;
    for (const auto& [name, held] : found->second) {
      const bool is_free =
          held->place == nullptr || is_around(held->place, each) || is_around(each, held->place);
      if (is_free) continue;
      each->refused = "its node " + shown_name(*name) + " is in the older " +
                      shown_name(held->place->object.name) +
                      " too, and neither is around the other";
      is_refused = true;
      break;
    }
    if (!each->refused.empty()) continue;
    for (const auto& [name, held] : found->second) {
      if (held->place == nullptr || is_around(held->place, each)) held->place = each;
    }
  }
  return is_refused;
}

// --- the tree ---------------------------------------------------------------------------------

void HyperNodes::rebuild_tree() {
  std::map<std::int32_t, std::set<std::string>> tiers;  // and their names
  for (const auto& [name, entry] : entries_) {
    if (!entry.refused.empty()) continue;
    std::set<std::string>& names = tiers[entry.object.tier];
    if (!entry.object.tier_name.empty()) names.insert(entry.object.tier_name);
  }
  std::vector<TreeLevel> levels;
  level_of_tier_.clear();
  for (auto each = tiers.rbegin(); each != tiers.rend(); ++each) {
    level_of_tier_[each->first] = levels.size();
    const std::string alias = each->second.empty() ? std::string() : *each->second.begin();
    levels.push_back({.label = {}, .alias = alias, .tier = each->first});
  }
  tree_ = TopologyTree(std::move(levels));
  for (const auto& [name, held] : held_) {
    if (held.place != nullptr) tree_.place(name, open_domain(*held.place));
  }
}

TreeDomainId HyperNodes::open_domain(const Entry& entry) {
  std::vector<const Entry*> way;
  for (const Entry* each = &entry; each != nullptr; each = each->parent) way.push_back(each);
  TreeDomainId domain;
  for (auto each = way.rbegin(); each != way.rend(); ++each) {
    const HyperNodeObject& object = (*each)->object;
    domain = tree_.open(domain, object.name, level_of_tier_.at(object.tier));
  }
  return domain;
}

std::map<std::string, std::string> HyperNodes::sentences() const {
  std::set<std::string> there;
  tree_.each_domain([&](TreeDomainId id) { there.insert(tree_.domain(id).name); });
  std::map<std::string, std::string> sentences;
  for (const auto& [name, entry] : entries_) {
    std::string& sentence = sentences[name];
    sentence = entry.refused;
    if (!sentence.empty()) continue;
    std::size_t missing = 0;
    std::string first;
    for (const HyperNodeMember& member : entry.object.members) {
      if (!member.is_hyper_node || entries_.contains(member.name)) continue;
      if (missing++ == 0) first = member.name;
    }
    if (missing > 0) {
      sentence = "its member " + shown_name(first) +
                 (missing > 1 ? " and " + std::to_string(missing - 1) + " more are" : " is") +
                 " not there";
    }
    if (!there.contains(name))
      sentence += (sentence.empty() ? "" : "; ") + std::string("no node is in it");
  }
  std::erase_if(sentences, [](const auto& each) { return each.second.empty(); });
  return sentences;
}

}  // namespace berth
