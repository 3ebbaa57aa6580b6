#include "berth/model/topology_tree.h"

#include <utility>

#include "berth/base/look_up.h"
#include "berth/base/text.h"

namespace berth {

std::string TreeLevel::text() const {
  const std::string name = label.empty() ? "tier " + std::to_string(tier) : label;
  return alias.empty() ? name : name + " (" + alias + ")";
}

bool ByNaturalOrder::operator()(const std::string& left, const std::string& right) const {
  return natural_compare(left, right) < 0;
}

TreeDomainId TopologyTree::place_of(const std::string& node) const {
  return value_or(place_, node);
}

TreeDomainId TopologyTree::within(TreeDomainId id, std::size_t level) const {
  TreeDomainId outermost;
  while (id.is_valid() && domain(id).level >= level)
    outermost = std::exchange(id, domain(id).parent);
  return outermost;
}

std::string TopologyTree::path_of(TreeDomainId id) const {
  std::string path = domain(id).name;
  for (id = domain(id).parent; id.is_valid(); id = domain(id).parent) {
    path.insert(0, domain(id).name + "/");
  }
  return path;
}

TreeDomainId TopologyTree::open(TreeDomainId parent, const std::string& name, std::size_t level) {
  TreeDomain::Children& siblings =
      parent.is_valid() ? domains_[parent.index()].children : outermost_;
  if (const auto found = siblings.find(name); found != siblings.end()) return found->second;
  const TreeDomainId id = free_.are_none() ? TreeDomainId(domains_.size()) : free_.take();
  siblings.emplace(name, id);
  if (id.index() == domains_.size()) domains_.emplace_back();
  domains_[id.index()] = TreeDomain{name, parent, level, 0, {}};
  return id;
}

// TOPO-6
void TopologyTree::close(TreeDomainId id) {
  const TreeDomain gone = std::exchange(domains_[id.index()], TreeDomain());
  TreeDomain::Children& siblings =
      gone.parent.is_valid() ? domains_[gone.parent.index()].children : outermost_;
  siblings.erase(gone.name);
  free_.add(id);
}

void TopologyTree::place(const std::string& node, TreeDomainId domain) {
  const TreeDomainId before = place_of(node);
  if (before == domain) return;
  for (TreeDomainId id = domain; id.is_valid(); id = domains_[id.index()].parent) {
    ++domains_[id.index()].nodes;
  }
  for (TreeDomainId id = before; id.is_valid();) {
    const TreeDomainId parent = domains_[id.index()].parent;
    if (--domains_[id.index()].nodes == 0) close(id);
    id = parent;
  }
  if (domain.is_valid()) {
    place_[node] = domain;
  } else {
    place_.erase(node);
  }
}

// TOPO-2
void place_by_labels(TopologyTree& tree, const std::string& node,
                     const std::map<std::string, std::string>& labels) {
  TreeDomainId domain;
  for (std::size_t level = 0; level < tree.levels().size(); ++level) {
    const auto label = labels.find(tree.levels()[level].label);
    if (label == labels.end() || label->second.empty()) break;
    domain = tree.open(domain, label->second, level);
  }
  tree.place(node, domain);
}

}  // namespace berth
