#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "berth/base/clock.h"
#include "berth/model/expression.h"

// The objects that say which nodes are near each other (docs/design/topology.md). Values without
// invariants, except those noted here.

namespace berth {

// A topology, by who keeps it; where several would do, an earlier one counts.
enum class TopologyKind : std::uint8_t {
  configured,  // `topology.levels` of the configuration
  kueue,       // Topology of kueue.x-k8s.io
  kai,         // Topology of kai.scheduler
  volcano,     // all HyperNodes of topology.volcano.sh together
};

// "Topology.kueue.x-k8s.io", as messages name it.
const char* to_string(TopologyKind kind);

// Nodes with the same value of this label are near each other.
struct TopologyLevel {
  std::string label;
  std::string alias = {};  // another name of the level (KAI); empty: none
  bool operator==(const TopologyLevel&) const = default;
};

// Levels of labels, the outermost first.
struct LevelsObject {
  TopologyKind kind = TopologyKind::kueue;
  std::string name;
  std::vector<TopologyLevel> levels;
  std::string fault;  // in parts that could not be read; empty: none
  bool operator==(const LevelsObject&) const = default;
};

// A regular expression that is looked for in names, as a codec has read it.
struct NamePattern {
  std::string text;
  // Takes time in proportion to the name's length; empty: the text is no expression.
  std::function<bool(std::string_view)> is_in = {};
  bool operator==(const NamePattern& other) const { return text == other.text; }
};

// Some of a HyperNode's members. One selector is set, unless the HyperNode is at fault.
struct HyperNodeMember {
  bool is_hyper_node = false;           // the selector is about HyperNodes, else about nodes
  std::string name;                     // this one
  NamePattern pattern = {};             // those in whose name this is
  std::vector<Expression> labels = {};  // those for whose labels all of these hold
  bool operator==(const HyperNodeMember&) const = default;
};

struct HyperNodeObject {
  std::string name;
  TimePoint created;
  std::int32_t tier = 0;  // lower is nearer
  std::string tier_name;  // empty: none
  std::vector<HyperNodeMember> members;
  std::string fault;  // in parts that could not be read; empty: none
  bool operator==(const HyperNodeObject&) const = default;
};

struct TopologyObject {
  std::variant<LevelsObject, HyperNodeObject> object;
  TopologyKind kind() const;
  const std::string& name() const;
  bool operator==(const TopologyObject&) const = default;
};

struct TopologyDeleted {
  TopologyKind kind = TopologyKind::kueue;
  std::string name;
};

// Kueue's bound, and KAI's.
inline constexpr std::size_t kTopologyLevelsMax = 16;

// TOPO-3. Why these are no levels of a topology. Empty: they are.
std::string fault_of(const std::vector<TopologyLevel>& levels);

}  // namespace berth
