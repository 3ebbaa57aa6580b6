// Laws of topologies, over random streams of nodes and objects.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "berth/model/topology_table.h"
#include "model/topology_texts.h"
#include "support/seeds.h"

namespace berth::topology_law_test {
namespace {

using namespace support;

// A small cluster, so that HyperNodes overlap, loop and lose their members often.
class RandomCluster {
 public:
  explicit RandomCluster(std::uint64_t seed) : random_(seed) {}

  // An event for `table`, and for what it should be made of.
  void change(TopologyTable& table) {
    switch (below(8)) {
      case 0:
        return lose_node(table);
      case 1:
        return change_levels(table);
      case 2:
      case 3:
        return change_hyper_node(table);
      case 4:
        return lose_hyper_node(table);
      default:
        return change_node(table);
    }
  }

  TopologyTable built_anew(bool backwards) const {
    TopologyTable table;
    table.set_levels(configured_);
    std::vector<TopologyObject> all;
    for (const auto& [name, object] : objects_) all.push_back(object);
    if (backwards) std::reverse(all.begin(), all.end());
    for (const TopologyObject& object : all) table.put(object);
    table.settle(nodes_);
    return table;
  }
  const NodesByName& nodes() const { return nodes_; }

 private:
  std::size_t below(std::size_t most) { return random_() % most; }
  std::string node_name() { return "n" + std::to_string(below(12)); }
  std::string hyper_node_name() { return "h" + std::to_string(below(8)); }

  void change_node(TopologyTable& table) {
    const std::string name = node_name();
    NodeObject& node = nodes_[name];
    node.name = name;
    node.labels.clear();
    for (const char* label : {"zone", "block", "rack"}) {
      if (below(5) > 0) node.labels[label] = label + std::to_string(below(3));
    }
    table.put_node(name, node.labels);
  }
  void lose_node(TopologyTable& table) {
    const std::string name = node_name();
    nodes_.erase(name);
    table.erase_node(name);
  }
  void change_levels(TopologyTable& table) {
    std::vector<std::string> labels{"zone", "block", "rack", "kubernetes.io/hostname"};
    std::shuffle(labels.begin(), labels.end(), random_);
    labels.resize(below(4));
    if (below(2) == 0) {
      configured_ = labels;
      return table.set_levels(labels);
    }
    std::vector<TopologyLevel> levels;
    for (const std::string& label : labels) levels.push_back({label});
    put(topology(below(2) == 0 ? TopologyKind::kueue : TopologyKind::kai, "t", levels), table);
  }
  void put(const TopologyObject& object, TopologyTable& table) {
    objects_[to_string(object.kind()) + object.name()] = object;
    table.put(object);
  }
  void change_hyper_node(TopologyTable& table) {
    std::vector<HyperNodeMember> members;
    for (std::size_t i = 0, count = below(4); i < count; ++i) {
      switch (below(4)) {
        case 0:
          members.push_back(hyper_node_member(hyper_node_name()));
          break;
        case 1:
          members.push_back(pattern_member("^n[" + std::to_string(below(10)) + "]$|x"));
          break;
        case 2:
          members.push_back(label_member("rack", "rack" + std::to_string(below(3))));
          break;
        default:
          members.push_back(node_member(node_name()));
      }
    }
    const auto tier = static_cast<std::int32_t>(1 + below(3));
    put({hyper_node(hyper_node_name(), tier, members, static_cast<int>(below(3)))}, table);
  }
  void lose_hyper_node(TopologyTable& table) {
    const std::string name = hyper_node_name();
    objects_.erase(to_string(TopologyKind::volcano) + name);
    table.erase({TopologyKind::volcano, name});
  }

  std::mt19937_64 random_;
  NodesByName nodes_;
  std::map<std::string, TopologyObject> objects_;
  std::vector<std::string> configured_;
};

std::string text_of_all(const TopologyTable& table) {
  std::string text;
  for (const auto& [name, tree] : table.trees()) {
    text += name.text() + ":";
    for (const TreeLevel& level : tree->levels()) text += " " + level.text();
    text += "\n  " + text_of(*tree) + "\n";
  }
  for (const auto& [name, sentence] : table.sentences()) text += name + ": " + sentence + "\n";
  return text;
}

// A node has every label of its domain. A domain counts exactly its own nodes.
void expect_consistent(const TopologyTable& table, const NodesByName& nodes) {
  for (const auto& entry : table.trees()) {
    const TopologyTree* const tree = entry.second;
    std::map<std::size_t, std::size_t> counted;
    for (const auto& [node, object] : nodes) {
      std::size_t inner = 99;
      for (TreeDomainId id = tree->place_of(node); id.is_valid(); id = tree->domain(id).parent) {
        const TreeDomain& domain = tree->domain(id);
        ++counted[id.index()];
        ASSERT_LT(domain.level, inner) << "levels go outwards";
        inner = domain.level;
        const std::string& label = tree->levels()[domain.level].label;
        ASSERT_TRUE(label.empty() || object.labels.at(label) == domain.name);
      }
    }
    tree->each_domain([&](TreeDomainId id) {
      EXPECT_EQ(tree->domain(id).nodes, counted[id.index()]) << tree->path_of(id);
      EXPECT_GT(tree->domain(id).nodes, 0U) << "TOPO-6";
    });
  }
}

TEST(TopologyLaw, TOPO7_the_trees_are_those_that_are_built_anew) {
  for (const std::uint64_t seed : support::seeds(300)) {
    SCOPED_TRACE("BERTH_SEED=" + std::to_string(seed));
    RandomCluster cluster(seed);
    TopologyTable table;
    for (int event = 0; event < 60; ++event) {
      cluster.change(table);
      if (event % 3 != 0) continue;
      table.settle(cluster.nodes());
      const std::string text = text_of_all(table);
      ASSERT_EQ(text, text_of_all(cluster.built_anew(false)));
      ASSERT_EQ(text, text_of_all(cluster.built_anew(true))) << "in another order";
      expect_consistent(table, cluster.nodes());
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace berth::topology_law_test
