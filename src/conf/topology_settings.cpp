#include "conf/topology_settings.h"

#include "berth/base/label_syntax.h"
#include "berth/model/topology_objects.h"
#include "conf/known_keys.h"

namespace berth::conf {

using document::Cursor;

// TOPO-1, TOPO-3
void read_topology(document::Reading& reading, const Cursor& from, TopologySettings& to) {
  require_known_keys(reading, from, "topology");
  const Cursor list = from["levels"];
  std::vector<TopologyLevel> levels;
  for (const Cursor& item : list.items()) {
    const std::string label = item.text();
    if (!is_label_key(label)) {
      item.complain("\"" + label + "\" is no label, expected one such as \"example.com/rack\"");
    }
    to.levels.push_back(label);
    levels.push_back({label});
  }
  if (levels.empty()) return;
  if (const std::string fault = fault_of(levels); !fault.empty()) list.complain(fault);
}

}  // namespace berth::conf
