#include "views/topology_overview.h"

#include <algorithm>
#include <utility>

#include "berth/model/dimensions.h"

namespace berth::views {

namespace {

// Sums by dimension, of each domain of a tree and of those within it.
class DomainRooms {
 public:
  DomainRooms(const Cluster& cluster, const TopologyTree& tree)
      : cluster_(cluster), tree_(tree), all_(tree.domain_slots()), free_(tree.domain_slots()) {
    for (std::size_t n = 0; n < cluster.node_count(); ++n) add(NodeId(n));
  }

  TopologyOverview::Room of(TreeDomainId id) const {
    return {to_named(cluster_.dimensions(), all_[id.index()]),
            to_named(cluster_.dimensions(), free_[id.index()])};
  }

 private:
  // TOPO-15. Room of a cordoned node is not free.
  void add(NodeId node) {
    const bool is_open = !cluster_.node(node).is_unschedulable;
    TreeDomainId id = tree_.place_of(cluster_.node(node).name);
    for (; id.is_valid(); id = tree_.domain(id).parent) {
      for (std::size_t d = 0; d < cluster_.dimensions().size(); ++d) {
        const Dimension dimension(d);
        const std::int64_t all = cluster_.allocatable().at(node, dimension);
        if (all == 0) continue;
        const std::int64_t free = cluster_.available().at(node, dimension);
        all_[id.index()].add(dimension, all);
        if (is_open && free > 0) free_[id.index()].add(dimension, free);
      }
    }
  }

  const Cluster& cluster_;
  const TopologyTree& tree_;
  std::vector<Resources> all_;
  std::vector<Resources> free_;
};

void add_most(NamedAmounts& most, const NamedAmounts& free) {
  for (const auto& [resource, amount] : free) most[resource] = std::max(most[resource], amount);
}

void add_sum(NamedAmounts& sum, const NamedAmounts& free) {
  for (const auto& [resource, amount] : free) {
    sum[resource] = saturated_sum(sum[resource], amount);
  }
}

TopologyOverview::Topology topology_of(const Cluster& cluster, const TopologyName& name,
                                       const TopologyTree& tree) {
  TopologyOverview::Topology topology;
  topology.title = name.text();
  topology.kind = to_string(name.kind);
  topology.name = name.name;
  topology.nodes = tree.node_count();
  for (const TreeLevel& level : tree.levels()) {
    TopologyOverview::Level& row = topology.levels.emplace_back();
    row.name = level.text();
    row.label = level.label;
    row.alias = level.alias;
    if (level.label.empty()) row.tier = level.tier;
  }
  const DomainRooms rooms(cluster, tree);
  std::map<std::size_t, std::size_t> depths;  // by id
  tree.each_domain([&](TreeDomainId id) {
    const TreeDomain& domain = tree.domain(id);
    TopologyOverview::Domain& row = topology.domains.emplace_back();
    row.name = domain.name;
    row.path = tree.path_of(id);
    row.level = domain.level;
    row.depth = domain.parent.is_valid() ? depths.at(domain.parent.index()) + 1 : 0;
    depths[id.index()] = row.depth;
    row.nodes = domain.nodes;
    row.room = rooms.of(id);
    TopologyOverview::Level& level = topology.levels[domain.level];
    ++level.domains;
    level.nodes += domain.nodes;
    add_sum(level.free, row.room.free);
    add_most(level.most, row.room.free);
  });
  return topology;
}

void add_wishes(const Job& job, const TopologyTable& topologies,
                std::vector<TopologyOverview::Wish>& wishes) {
  for (const NearRule& rule : job.topology.rules) {
    TopologyOverview::Wish wish{job.name, rule.written, rule.pods_text(), rule.nearness_text(), {},
                                {}};
    const LevelName& level = rule.required.is_none() ? rule.preferred : rule.required;
    if (!level.is_none()) {
      const Result<FoundLevel> found = topologies.find_level(level);
      if (found) wish.topology = found->topology.text();
      if (!found) wish.why = found.error().message;
    }
    wishes.push_back(std::move(wish));
  }
  for (const std::string& fault : job.topology.faults) {
    wishes.push_back({job.name, {}, {}, {}, {}, fault});
  }
}

}  // namespace

TopologyOverview make_topology_overview(const Cluster& cluster) {
  TopologyOverview overview;
  overview.nodes = cluster.node_count();
  const TopologyTable& topologies = cluster.topologies();
  for (const auto& [name, tree] : topologies.trees()) {
    overview.topologies.push_back(topology_of(cluster, name, *tree));
  }
  overview.sentences = topologies.sentences();
  for (std::size_t j = 0; j < cluster.job_slots(); ++j) {
    const Job& job = cluster.job(JobId(j));
    if (job.exists && job.is_ours()) add_wishes(job, topologies, overview.wishes);
  }
  std::stable_sort(overview.wishes.begin(), overview.wishes.end(),
                   [](const auto& left, const auto& right) { return left.job < right.job; });
  return overview;
}

}  // namespace berth::views
