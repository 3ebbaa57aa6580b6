#include "berth/model/topology_objects.h"

#include <array>
#include <set>

namespace berth {

const char* to_string(TopologyKind kind) {
  constexpr std::array<const char*, 4> kNames{"configuration", "Topology.kueue.x-k8s.io",
                                              "Topology.kai.scheduler",
                                              "HyperNode.topology.volcano.sh"};
  return kNames[static_cast<std::size_t>(kind)];
}

TopologyKind TopologyObject::kind() const {
  const auto* const levels = std::get_if<LevelsObject>(&object);
  return levels == nullptr ? TopologyKind::volcano : levels->kind;
}

const std::string& TopologyObject::name() const {
  return std::visit([](const auto& each) -> const std::string& { return each.name; }, object);
}

// TOPO-3
std::string fault_of(const std::vector<TopologyLevel>& levels) {
  if (levels.empty()) return "it has no levels, expected at least one";
  if (levels.size() > kTopologyLevelsMax) {
    return "it has " + std::to_string(levels.size()) + " levels, expected at most " +
           std::to_string(kTopologyLevelsMax);
  }
  std::set<std::string> names;
  for (const TopologyLevel& level : levels) {
    for (const std::string* name : {&level.label, &level.alias}) {
      const bool is_alias = name == &level.alias;
      if (is_alias && (name->empty() || *name == level.label)) continue;
      if (!names.insert(*name).second) {
        return "a second level \"" + *name + "\", expected each once";
      }
    }
    const bool is_last = &level == &levels.back();
    if (level.label == "kubernetes.io/hostname" && !is_last) {
      return "kubernetes.io/hostname is not its last level, and nothing is within a node";
    }
  }
  return {};
}

}  // namespace berth
