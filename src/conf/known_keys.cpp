#include "conf/known_keys.h"

#include <algorithm>

#include "berth/base/text.h"
#include "conf/config_keys.h"

namespace berth::conf {

void require_known_keys(document::Reading& reading, const document::Cursor& map,
                        std::string_view section, const std::vector<std::string>& further) {
  std::vector<std::string> names = keys_of(section);
  names.insert(names.end(), further.begin(), further.end());
  if (map.entries().empty()) return;
  for (const document::Member& member : map.value()->members) {
    if (std::find(names.begin(), names.end(), member.key) != names.end()) continue;
    const std::string near = suggestion(member.key, names);
    reading.complain_at(member.position,
                        "unknown key \"" + member.key + "\"" +
                            (section.empty() ? "" : " in " + std::string(section)) + near);
  }
}

}  // namespace berth::conf
