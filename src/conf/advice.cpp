#include "conf/advice.h"

#include <algorithm>

namespace berth::conf {

namespace {

// Rule TARGET-9 of docs/design/reservation.md. Another check refuses an unreadable wait-duration.
bool elects_every_job(const engine::Arguments& arguments) {
  if (arguments.has("request-line") || arguments.has("wait-line")) return false;
  engine::Arguments copy = arguments;
  return copy.duration("wait-duration", Duration(0), Duration(0), Duration::max()) == Duration(0);
}

}  // namespace

std::vector<std::string> advice_on(const engine::SessionConfig& config) {
  std::vector<std::string> advice;
  const bool elects = std::any_of(config.actions.begin(), config.actions.end(),
                                  [](const engine::Named& each) { return each.name == "elect"; });
  if (!elects) return advice;
  for (const engine::Tier& tier : config.tiers) {
    for (const engine::PluginConfig& each : tier) {
      if (each.plugin.name != "reservation" || !elects_every_job(each.arguments)) continue;
      advice.push_back(each.plugin.where +
                       ": without `wait-duration`, `request-line` or `wait-line`, every "
                       "waiting job becomes a target in turn, even a small one");
    }
  }
  return advice;
}

std::string_view substitute_of(std::string_view action) {
  if (action == "gangpreempt") return "preempt";
  if (action == "gangreclaim") return "reclaim";
  return {};
}

}  // namespace berth::conf
