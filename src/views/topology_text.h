#pragma once

#include <string>

#include "views/text_table.h"
#include "views/topology_overview.h"

namespace berth::views {

struct TopologyStyle {
  TextStyle text;
  std::string level;     // domains down to this one; empty: all but single nodes
  std::string resource;  // only this one; empty: all
};

// For people.
std::string topology_text(const TopologyOverview& overview, const TopologyStyle& style);

}  // namespace berth::views
