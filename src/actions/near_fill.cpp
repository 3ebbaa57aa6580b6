#include <algorithm>

#include "actions/near.h"

// TOPO-21. The order in which a domain is filled.

namespace berth::actions {

using namespace engine;

namespace {

// Nodes that are domains by themselves are as near to each other as can be.
bool are_nodes(const TopologyTree& tree, const TreeDomain::Children& domains) {
  return std::all_of(domains.begin(), domains.end(),
                     [&](const auto& each) { return tree.domain(each.second).nodes == 1; });
}

}  // namespace

// Invalid: the whole cluster, the nodes in no domain last.
std::unique_ptr<Within> Near::filled(const NearSet& set, TreeDomainId domain,
                                     const Counts& counts) {
  const auto [shape, most] = most_frequent(counts);
  auto within = std::make_unique<Within>(cluster_);
  if (!shape.is_valid()) return within;
  const TopologyTree& tree = set.nodes->tree();
  if (domain.is_valid() && are_nodes(tree, tree.domain(domain).children)) {
    fill_nodes(set, set.nodes->range(domain), *within);  // as it is, at no cost
    return within;
  }
  const Room room = room_of(set, shape);
  if (domain.is_valid()) {
    fill(set, domain, most, *room, *within);
    return within;
  }
  if (are_nodes(tree, tree.outermost())) {
    fill_nodes(set, set.nodes->all(), *within);
  } else {
    fill_each(set, tree.outermost(), most, *room, *within);
  }
  std::vector<NodeId> others;
  for (std::size_t n = 0; n < cluster_.node_count(); ++n) {
    if (is_among(NodeId(n)) && !set.nodes->domain_of(NodeId(n)).is_valid()) others.emplace_back(n);
  }
  within->add(std::move(others));
  return within;
}

void Near::fill_nodes(const NearSet& set, Range range, Within& within) const {
  std::vector<NodeId> nodes;
  for (const NodeId node : set.nodes->nodes(range)) {
    if (is_among(node)) nodes.push_back(node);
  }
  std::sort(nodes.begin(), nodes.end());
  if (!nodes.empty()) within.add(std::move(nodes));
}

void Near::fill(const NearSet& set, TreeDomainId id, std::int64_t count, const TreeRoom& room,
                Within& within) const {
  const TopologyTree& tree = set.nodes->tree();
  const TreeDomain& domain = tree.domain(id);
  if (are_nodes(tree, domain.children)) return fill_nodes(set, set.nodes->range(id), within);
  fill_each(set, domain.children, count, room, within);
  Range own = set.nodes->range(id);  // those that are in none of the children come first
  own.end = set.nodes->range(domain.children.begin()->second).begin;
  for (const auto& [name, child] : domain.children) {
    own.end = std::min(own.end, set.nodes->range(child).begin);
  }
  fill_nodes(set, own, within);
}

// As few domains as will do: the one that the rest just fits into, or else the one with most room.
void Near::fill_each(const NearSet& set, const TreeDomain::Children& domains, std::int64_t count,
                     const TreeRoom& room, Within& within) const {
  struct Child {
    TreeDomainId id;
    std::int64_t room;
  };
  std::vector<Child> left;
  for (const auto& [name, id] : domains) left.push_back({id, room.in(id)});
  std::stable_sort(left.begin(), left.end(),
                   [](const Child& one, const Child& other) { return one.room > other.room; });
  while (!left.empty()) {
    // The last that is large enough; the first of those with as much.
    auto next = std::partition_point(left.begin(), left.end(),
                                     [&](const Child& each) { return each.room >= count; });
    if (next != left.begin()) {
      --next;
      while (next != left.begin() && (next - 1)->room == next->room) --next;
    }
    if (count <= 0) next = left.begin();
    const Child child = *next;
    left.erase(next);
    fill(set, child.id, std::min(count, child.room), room, within);
    count -= std::min(count, child.room);
  }
}

}  // namespace berth::actions
