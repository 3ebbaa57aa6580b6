#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/hyper_nodes.h"
#include "berth/model/topology_objects.h"
#include "berth/model/topology_tree.h"
#include "berth/model/topology_wish.h"

namespace berth {

struct TopologyName {
  TopologyKind kind = TopologyKind::configured;
  std::string name;  // of the object; empty: there is no other of the kind
  auto operator<=>(const TopologyName&) const = default;
  // "topology.levels of the configuration", "Topology.kueue.x-k8s.io \"gpu\""
  std::string text() const;
};

// A level of one of the topologies.
struct FoundLevel {
  TopologyName topology;
  std::optional<std::size_t> level;  // of its tree; none: the whole cluster is near enough
};

// All topologies of a cluster: docs/design/topology.md. Session thread only.
class TopologyTable {
 public:
  void set_levels(const std::vector<std::string>& labels);  // of the configuration
  void put(const TopologyObject& object);
  void erase(const TopologyDeleted& gone);
  // A node came, or has other labels.
  void put_node(const std::string& name, const std::map<std::string, std::string>& labels);
  void erase_node(const std::string& name);
  // Takes up changed objects. `nodes`: all nodes.
  void settle(const NodesByName& nodes);

  // Changes with the levels that there are.
  std::uint64_t levels_version() const { return levels_version_; }
  // Changes with the trees, and with the nodes in their domains.
  std::uint64_t version() const { return version_; }
  // TOPO-1. In the order in which they count. Valid until the next change.
  std::vector<std::pair<TopologyName, const TopologyTree*>> trees() const;
  const TopologyTree* find(const TopologyName& name) const;  // null: there is none
  // Objects that do not count, and why; and parts that name nothing. By name.
  std::map<std::string, std::string> sentences() const;

  // TOPO-10. The level that is meant, or why there is none.
  Result<FoundLevel> find_level(const LevelName& name) const;

 private:
  struct Kept {
    TopologyTree tree;
    std::vector<TopologyLevel> levels;
    std::string fault;
    bool is_new = true;  // its nodes are not placed yet
  };
  void put_levels(const TopologyName& name, const std::vector<TopologyLevel>& levels,
                  const std::string& fault);
  std::string known_levels() const;

  std::map<TopologyName, Kept> by_labels_;
  HyperNodes hyper_nodes_;
  std::vector<TreeLevel> hyper_levels_;  // as they were last
  std::uint64_t levels_version_ = 1;
  std::uint64_t version_ = 1;
};

}  // namespace berth
