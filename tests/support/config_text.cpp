#include "support/config_text.h"

#include <map>
#include <utility>

#include "berth/base/check.h"
#include "berth/base/text.h"

namespace berth::support {

namespace {

// "overcommit(overcommit-factor=1.5,!jobOrder)", "cleanup(grace-period=1m)"
Result<engine::PluginConfig> read_plugin(const std::string& word, const std::string& where) {
  engine::PluginConfig plugin;
  const std::size_t open = word.find('(');
  plugin.plugin = {word.substr(0, open), where};
  if (open == std::string::npos) return plugin;
  if (word.back() != ')') return Error{"\"" + word + "\" has no closing parenthesis", where};
  std::map<std::string, engine::Arguments::Entry> entries;
  for (const auto& part : split_list(word.substr(open + 1, word.size() - open - 2), ',')) {
    const std::size_t equals = part.find('=');
    if (part.front() == '!') {
      plugin.disabled_points.push_back({part.substr(1), where});
    } else if (equals == std::string::npos) {
      return Error{"\"" + part + "\" is no argument; expected key=value or !point", where};
    } else {
      entries[part.substr(0, equals)] = {part.substr(equals + 1), false, where};
    }
  }
  plugin.arguments = engine::Arguments(std::move(entries));
  return plugin;
}

}  // namespace

Status read_actions(SceneLine& line, engine::SessionConfig& config) {
  config.actions.clear();
  for (std::size_t w = 1; w < line.words().size(); ++w) {
    auto action = read_plugin(line.word(w), line.where());
    if (!action) return action.error();
    config.action_arguments[action.value().plugin.name] = std::move(action.value().arguments);
    config.actions.push_back(std::move(action.value().plugin));
  }
  return Done{};
}

Status read_tiers(SceneLine& line, engine::SessionConfig& config) {
  config.tiers.assign(1, {});
  for (std::size_t w = 1; w < line.words().size(); ++w) {
    if (line.word(w) == "/") {
      config.tiers.emplace_back();
      continue;
    }
    auto plugin = read_plugin(line.word(w), line.where());
    if (!plugin) return plugin.error();
    config.tiers.back().push_back(std::move(plugin).value());
  }
  return Done{};
}

engine::SessionConfig default_session_config() {
  engine::SessionConfig config;
  SceneLine actions("actions enqueue allocate backfill", "default");
  SceneLine tiers("tiers priority gang conformance / overcommit predicates nodeorder", "default");
  BERTH_CHECK(read_actions(actions, config).has_value());
  BERTH_CHECK(read_tiers(tiers, config).has_value());
  return config;
}

}  // namespace berth::support
