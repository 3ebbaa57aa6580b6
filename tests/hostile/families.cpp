#include "hostile/families.h"

#include <utility>

#include "hostile/family_text.h"

namespace berth::hostile {

std::string name(int generation, const std::string& stem, std::size_t i) {
  return stem + n(static_cast<std::size_t>(generation)) + "-" + n(i);
}
std::string required(const std::string& items) {
  return member("requiredDuringSchedulingIgnoredDuringExecution", items);
}
std::string preferred(const std::string& items) {
  return member("preferredDuringSchedulingIgnoredDuringExecution", items);
}
std::string affinity(const std::string& kind, const std::string& what) {
  return member("affinity", "{" + member(kind, "{" + what + "}") + "}");
}
std::string selector(const std::string& label, const std::string& value) {
  return member("labelSelector", "{" + member("matchLabels", "{" + text(label, value) + "}") + "}");
}

Pod with_spec(std::string spec, const std::string& pod_name) {
  Pod made{.metadata = {.name = pod_name}};
  made.spec = std::move(spec);
  return made;
}

std::vector<Family> families() {
  std::vector<Family> all = families_of_relations();
  for (const auto& more : {families_of_constraints(), families_of_groups()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace berth::hostile
