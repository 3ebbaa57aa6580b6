#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

// The table of keys: the loader accepts them and docs/configuration.md lists them.

namespace berth::conf {

struct ConfigKey {
  std::string_view section;  // path of its map; empty: the top
  std::string_view name;
  std::string_view type;
  std::string_view standard;  // the value of an absent key
  std::string_view meaning;
};

std::span<const ConfigKey> config_keys();

// Names of the keys of a section, in the order of the table.
std::vector<std::string> keys_of(std::string_view section);

// A switch of Volcano's for a plugin, and the points that it switches here (engine/points.h).
struct VolcanoFlag {
  std::string_view name;
  std::string_view points;  // separated by spaces; empty: no point of ours
  bool is_on_by_default;
};

std::span<const VolcanoFlag> volcano_flags();

}  // namespace berth::conf
