#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

// The table of keys: what the loader accepts and what docs/configuration.md lists.

namespace berth::conf {

struct ConfigKey {
  std::string_view section;  // path of the map it stands in; empty: the top
  std::string_view name;
  std::string_view type;
  std::string_view standard;  // what holds when it is absent
  std::string_view meaning;
};

std::span<const ConfigKey> config_keys();

// Names of the keys of a section, in the order of the table.
std::vector<std::string> keys_of(std::string_view section);

// Volcano's switch of a plugin and what it switches here, by the names of engine/points.h.
struct VolcanoFlag {
  std::string_view name;
  std::string_view points;  // separated by spaces; empty: nothing of ours
  bool is_on_by_default;
};

std::span<const VolcanoFlag> volcano_flags();

}  // namespace berth::conf
