#include "forecast/rules.h"

#include <algorithm>
#include <map>
#include <string>

namespace berth::forecast {

namespace {

const engine::PluginConfig* find_plugin(const conf::Config& config, const std::string& name) {
  for (const engine::Tier& tier : config.session.tiers) {
    for (const engine::PluginConfig& plugin : tier) {
      if (plugin.plugin.name == name) return &plugin;
    }
  }
  return nullptr;
}

bool has_action(const conf::Config& config, const std::string& name) {
  const auto& actions = config.session.actions;
  return std::any_of(actions.begin(), actions.end(),
                     [&](const auto& action) { return action.name == name; });
}

void read_targets(const conf::Config& config, Rules& rules) {
  const engine::PluginConfig* const reservation = find_plugin(config, "reservation");
  if (reservation == nullptr || !has_action(config, "elect")) return;
  constexpr Duration kLongest = Duration::max();
  engine::Arguments arguments = reservation->arguments;
  rules.target_after = arguments.duration("wait-duration", Duration(0), Duration(0), kLongest);
  const Duration give_up =
      arguments.duration("give-up", std::chrono::hours(24), Duration(0), kLongest);
  if (give_up > Duration()) rules.give_up = give_up;
  rules.locks_all = arguments.text("lock", "") == "cluster";
  rules.targets = static_cast<std::size_t>(arguments.integer("targets", 1, 1, 1'000));
  const std::int64_t most = arguments.thousandths("max-locked-nodes", 1'000, 1, 1'000);
  rules.most_nodes = static_cast<double>(most) / 1'000;
  rules.unbounded_after = arguments.duration("unbounded-after", Duration(0), Duration(0), kLongest);
}

}  // namespace

Rules rules_of(const conf::Config& config) {
  static const std::map<std::string, Rules::Behind> kBehind{
      {"off", Rules::Behind::off},
      {"easy", Rules::Behind::easy},
      {"conservative", Rules::Behind::conservative}};
  Rules rules;
  read_targets(config, rules);
  const auto backfill = config.session.action_arguments.find("backfill");
  if (backfill == config.session.action_arguments.end() || !has_action(config, "backfill")) {
    return rules;
  }
  engine::Arguments arguments = backfill->second;
  rules.behind = kBehind.at(arguments.word("behind", "off", {"off", "easy", "conservative"}));
  const bool is_stated = arguments.word("trust", "stated", {"stated", "enforced"}) == "stated";
  rules.trust = is_stated ? LimitTrust::stated : LimitTrust::enforced;
  return rules;
}

}  // namespace berth::forecast
