#pragma once

#include <map>
#include <regex>
#include <string>
#include <vector>

#include "berth/model/topology_table.h"

// Topologies as tests state and read them.

namespace berth::support {

// "b1:2 b1/r1:2": each domain with the number of its nodes.
inline std::string text_of(const TopologyTree& tree) {
  std::string text;
  tree.each_domain([&](TreeDomainId id) {
    text +=
        (text.empty() ? "" : " ") + tree.path_of(id) + ":" + std::to_string(tree.domain(id).nodes);
  });
  return text;
}

inline HyperNodeMember node_member(const std::string& name) { return {false, name}; }
inline HyperNodeMember hyper_node_member(const std::string& name) { return {true, name}; }
inline HyperNodeMember pattern_member(const std::string& pattern) {
  const auto is_in = [expression = std::regex(pattern)](std::string_view name) {
    return std::regex_search(name.begin(), name.end(), expression);
  };
  return {false, {}, {pattern, is_in}};
}
inline HyperNodeMember label_member(const std::string& key, const std::string& value) {
  return {false, {}, {}, {{key, Operator::in, {value}}}};
}

// Made at this second.
inline HyperNodeObject hyper_node(const std::string& name, std::int32_t tier,
                                  std::vector<HyperNodeMember> members, int made = 0) {
  HyperNodeObject object;
  object.name = name;
  object.created = TimePoint(std::chrono::seconds(made));
  object.tier = tier;
  object.members = std::move(members);
  return object;
}

inline TopologyObject topology(TopologyKind kind, const std::string& name,
                               std::vector<TopologyLevel> levels) {
  return {LevelsObject{kind, name, std::move(levels), {}}};
}

inline NodesByName nodes_with(
    const std::map<std::string, std::map<std::string, std::string>>& all) {
  NodesByName nodes;
  for (const auto& [name, labels] : all) {
    nodes[name].name = name;
    nodes[name].labels = labels;
  }
  return nodes;
}

}  // namespace berth::support
