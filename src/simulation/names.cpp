#include "simulation/names.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <variant>

#include "berth/base/text.h"

namespace berth::simulation {

Status require_distinct_uids(const std::vector<ClusterEvent>& objects) {
  std::map<std::string_view, const PodObject*> seen;
  for (const ClusterEvent& object : objects) {
    const auto* const pod = std::get_if<PodObject>(&object);
    if (pod == nullptr) continue;
    const auto [entry, is_new] = seen.emplace(pod->uid, pod);
    if (is_new) continue;
    return Error{"Pod \"" + pod->full_name() + "\" has the uid \"" + pod->uid + "\" of Pod \"" +
                     entry->second->full_name() + "\", expected one of its own or none",
                 ""};
  }
  return Done{};
}

std::string unknown_name(const std::string& kind, const std::string& name,
                         std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  auto near = did_you_mean(name, names);
  const auto forgot = std::find_if(names.begin(), names.end(), [&](const std::string& each) {
    return each.ends_with("/" + name);  // the namespace
  });
  if (forgot != names.end()) near = *forgot;
  const std::string message = "no " + kind + " \"" + name + "\"";
  if (near) return message + "; did you mean \"" + *near + "\"?";
  if (names.empty()) return message + "; there are no " + kind + "s at all";
  return message + ", expected namespace/name of one of " + count_text(names.size(), kind) +
         " such as \"" + names.front() + "\"";
}

}  // namespace berth::simulation
