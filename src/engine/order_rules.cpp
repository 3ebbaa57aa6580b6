#include "engine/order_rules.h"

#include <algorithm>

namespace berth::engine {

namespace {

const Named* find(const SessionConfig& config, std::string_view action) {
  const auto found = std::find_if(config.actions.begin(), config.actions.end(),
                                  [&](const Named& each) { return each.name == action; });
  return found == config.actions.end() ? nullptr : &*found;
}

bool has_plugin(const SessionConfig& config, std::string_view name) {
  return std::any_of(config.tiers.begin(), config.tiers.end(), [&](const Tier& tier) {
    return std::any_of(tier.begin(), tier.end(),
                       [&](const PluginConfig& each) { return each.plugin.name == name; });
  });
}

}  // namespace

Status check_order(const SessionConfig& config) {
  const Named* const elect = find(config, "elect");
  const Named* const reserve = find(config, "reserve");
  if (elect == nullptr && reserve == nullptr) return Done{};
  // ORDER-1
  if (elect == nullptr) {
    return Error{"actions: \"reserve\" without \"elect\" has nobody to reserve for (rule Y1)",
                 reserve->where};
  }
  if (reserve == nullptr) {
    return Error{"actions: \"elect\" without \"reserve\" keeps nothing for the target (rule Y1)",
                 elect->where};
  }
  // ORDER-2
  if (!has_plugin(config, "reservation")) {
    return Error{
        "actions: \"elect\" and \"reserve\" need the plugin \"reservation\" in a tier"
        " (rule Y2)",
        elect->where};
  }
  // ORDER-3. Actions are elements of one vector: a later one has the greater address.
  for (const char* later : {"allocate", "backfill", "preempt", "reclaim", "cleanup"}) {
    const Named* const action = find(config, later);
    if (action == nullptr || elect < action) continue;
    return Error{"actions: \"elect\" after \"" + std::string(later) +
                     "\", expected before it: others would take in this session what the target"
                     " could have (rule Y3)",
                 elect->where};
  }
  // ORDER-4
  if (reserve < elect) {
    return Error{
        "actions: \"reserve\" before \"elect\", expected after it: nodes would be locked"
        " a session late (rule Y4)",
        reserve->where};
  }
  return Done{};
}

}  // namespace berth::engine
