#include "support/topology_text.h"

#include <cstdlib>

namespace berth::support {

TopologyObject read_topology(SceneLine& line) {
  LevelsObject levels;
  levels.name = line.word(1);
  for (const std::string& label : line.list_of("levels")) levels.levels.push_back({label});
  return {levels};
}

TopologyWish read_wish(SceneLine& line, bool is_of_pods) {
  TopologyWish wish;
  for (std::string text : line.list_of("together")) {
    NearRule rule{.written = "together"};
    rule.pods.say_so = is_of_pods;
    if (const std::size_t star = text.find('*'); star != std::string::npos) {
      rule.part_size = std::atoi(text.c_str());
      text.erase(0, star + 1);
    }
    if (const std::size_t at = text.find('@'); at != std::string::npos) {
      rule.pods.set = text.substr(at + 1);
      text.resize(at);
    }
    const bool is_preferred = !text.empty() && text.back() == '?';
    if (is_preferred) text.pop_back();
    (is_preferred ? rule.preferred : rule.required).name = text;
    wish.rules.push_back(std::move(rule));
  }
  tidy_up(wish);
  return wish;
}

}  // namespace berth::support
