#include "tools/simulate/variants.h"

#include <algorithm>
#include <utility>

#include "berth/base/text.h"
#include "engine/scheduler.h"
#include "tools/config_command.h"

namespace berth::tools {

namespace {

constexpr std::size_t kVariantsMost = 1'000;

struct Setting {
  std::string section;  // plugins or actions
  std::string name;
  std::string argument;
  std::vector<std::string> values;
};

Result<Setting> setting_of(const std::string& text, bool may_have_several, const char* flag) {
  const Error malformed{"\"" + text + "\" is no setting, expected plugins.NAME.ARGUMENT=" +
                            (may_have_several ? "A,B" : "VALUE") + " or actions.NAME.ARGUMENT=...",
                        flag};
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size()) return malformed;
  const std::vector<std::string> path = split_list(text.substr(0, equals), '.');
  if (path.size() < 3 || (path[0] != "plugins" && path[0] != "actions")) return malformed;
  Setting setting{path[0], path[1], {}, {}};
  // Arguments may have dots in their names: binpack.weight.
  setting.argument = text.substr(path[0].size() + path[1].size() + 2,
                                 equals - path[0].size() - path[1].size() - 2);
  const std::string value = text.substr(equals + 1);
  setting.values = may_have_several ? split_list(value, ',') : std::vector<std::string>{value};
  return setting;
}

void put(engine::Arguments& arguments, const Setting& setting, const std::string& value) {
  engine::Arguments former;
  former.take_from(arguments, setting.argument);
  engine::Arguments given({{setting.argument, {value, false, "--set"}}});
  arguments.take_from(given, setting.argument);
}

Status apply(conf::Config& config, const Setting& setting, const std::string& value) {
  engine::SessionConfig& session = config.session;
  const auto is_named = [&](const auto& named) { return named.name == setting.name; };
  if (setting.section == "actions") {
    if (std::none_of(session.actions.begin(), session.actions.end(), is_named)) {
      return Error{"no action \"" + setting.name + "\" in the configuration", "--set"};
    }
    put(session.action_arguments[setting.name], setting, value);
    return Done{};
  }
  bool is_found = false;
  for (engine::Tier& tier : session.tiers) {
    for (engine::PluginConfig& plugin : tier) {
      if (!is_named(plugin.plugin)) continue;
      put(plugin.arguments, setting, value);
      is_found = true;
    }
  }
  if (is_found) return Done{};
  return Error{"no plugin \"" + setting.name + "\" in the configuration", "--set"};
}

std::string file_name(const std::string& path) {
  if (path.empty()) return "default";
  return path.substr(path.find_last_of('/') + 1);
}

}  // namespace

Result<std::vector<Variant>> variants_of(const VariantFlags& flags) {
  std::vector<std::string> files = flags.configs;
  if (files.empty()) files.emplace_back();
  std::vector<Variant> variants;
  for (const std::string& file : files) {
    Result<conf::Config> config = open_config(file);
    if (!config) return config.error();
    variants.push_back({file_name(file), *std::move(config)});
  }
  std::vector<Setting> settings;
  for (const auto* const list : {&flags.set, &flags.sweep}) {
    const bool is_sweep = list == &flags.sweep;
    for (const std::string& text : *list) {
      Result<Setting> setting = setting_of(text, is_sweep, is_sweep ? "--sweep" : "--set");
      if (!setting) return setting.error();
      settings.push_back(*std::move(setting));
    }
  }
  for (const Setting& setting : settings) {
    std::vector<Variant> all;
    for (const Variant& variant : variants) {
      for (const std::string& value : setting.values) {
        Variant with = variant;
        if (const Status applied = apply(with.config, setting, value); !applied) {
          return applied.error();
        }
        with.name += ", " + setting.name + "." + setting.argument + "=" + value;
        all.push_back(std::move(with));
        if (all.size() > kVariantsMost) {
          return Error{"more than " + std::to_string(kVariantsMost) + " runs, expected fewer",
                       "--sweep"};
        }
      }
    }
    variants = std::move(all);
  }
  for (const Variant& variant : variants) {
    const auto scheduler = engine::Scheduler::create(variant.config.session);
    if (!scheduler) return scheduler.error();
  }
  return variants;
}

}  // namespace berth::tools
