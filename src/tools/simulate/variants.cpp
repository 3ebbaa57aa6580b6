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
  const char* flag;
};

Result<Setting> setting_of(const std::string& text, bool may_have_several, const char* flag) {
  const Error malformed{"\"" + text + "\" is no setting, expected plugins.NAME.ARGUMENT=" +
                            (may_have_several ? "A,B" : "VALUE") + " or actions.NAME.ARGUMENT=...",
                        flag};
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size()) return malformed;
  const std::vector<std::string> path = split_list(text.substr(0, equals), '.');
  if (path.size() < 3 || (path[0] != "plugins" && path[0] != "actions")) return malformed;
  Setting setting{path[0], path[1], {}, {}, flag};
  // Arguments may have dots in their names: binpack.weight.
  setting.argument = text.substr(path[0].size() + path[1].size() + 2,
                                 equals - path[0].size() - path[1].size() - 2);
  const std::string value = text.substr(equals + 1);
  setting.values = may_have_several ? split_list(value, ',') : std::vector<std::string>{value};
  if (setting.values.empty()) return malformed;
  return setting;
}

Error unknown(const Variant& variant, const Setting& setting, const char* kind,
              const std::vector<std::string>& names) {
  std::string expected;
  for (const std::string& name : names) expected += (expected.empty() ? "" : ", ") + name;
  return Error{"no " + std::string(kind) + " \"" + setting.name + "\" in " + variant.name +
                   ", expected one of " + expected,
               setting.flag};
}

void put(engine::Arguments& arguments, const Setting& setting, const std::string& value) {
  engine::Arguments former;
  former.take_from(arguments, setting.argument);
  engine::Arguments given({{setting.argument, {value, false, setting.flag}}});
  arguments.take_from(given, setting.argument);
}

Status set_of_action(Variant& variant, const Setting& setting, const std::string& value) {
  engine::SessionConfig& session = variant.config.session;
  std::vector<std::string> names;
  for (const auto& action : session.actions) names.push_back(action.name);
  if (std::find(names.begin(), names.end(), setting.name) == names.end()) {
    return unknown(variant, setting, "action", names);
  }
  put(session.action_arguments[setting.name], setting, value);
  return Done{};
}

Status set_of_plugin(Variant& variant, const Setting& setting, const std::string& value) {
  std::vector<std::string> names;
  bool is_found = false;
  for (engine::Tier& tier : variant.config.session.tiers) {
    for (engine::PluginConfig& plugin : tier) {
      names.push_back(plugin.plugin.name);
      if (plugin.plugin.name != setting.name) continue;
      put(plugin.arguments, setting, value);
      is_found = true;
    }
  }
  if (is_found) return Done{};
  return unknown(variant, setting, "plugin", names);
}

Status apply(Variant& variant, const Setting& setting, const std::string& value) {
  return setting.section == "actions" ? set_of_action(variant, setting, value)
                                      : set_of_plugin(variant, setting, value);
}

std::string file_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

// The name of the file; its path, where another has the same name.
std::string name_among(const std::vector<std::string>& files, const std::string& file) {
  if (file.empty()) return "default";
  const auto is_namesake = [&](const std::string& other) {
    return file_name(other) == file_name(file);
  };
  return std::count_if(files.begin(), files.end(), is_namesake) > 1 ? file : file_name(file);
}

}  // namespace

Result<std::vector<Variant>> variants_of(const VariantFlags& flags) {
  std::vector<std::string> files = flags.configs;
  if (files.empty()) files.emplace_back();
  std::vector<Variant> variants;
  for (const std::string& file : files) {
    Result<conf::Config> config = open_config(file);
    if (!config) return config.error();
    variants.push_back({name_among(files, file), *std::move(config)});
  }
  return varied(std::move(variants), flags);
}

Result<std::vector<Variant>> varied(std::vector<Variant> variants, const VariantFlags& flags) {
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
        if (const Status applied = apply(with, setting, value); !applied) {
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
