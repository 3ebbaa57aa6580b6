#include "berth/engine/registry.h"

#include <map>

#include "berth/base/check.h"
#include "berth/engine/action.h"
#include "berth/engine/plugin.h"

namespace berth::engine {

namespace {

template <class Made>
using Makers = std::map<std::string, std::function<std::unique_ptr<Made>(Arguments&)>>;

// Functions, not globals: registration runs before main in no defined order.
Makers<Plugin>& plugin_makers() {
  static Makers<Plugin> makers;
  return makers;
}

Makers<Action>& action_makers() {
  static Makers<Action> makers;
  return makers;
}

template <class Made>
std::vector<std::string> keys_of(const Makers<Made>& makers) {
  std::vector<std::string> names;
  for (const auto& [name, make] : makers) names.push_back(name);
  return names;
}

template <class Made>
std::unique_ptr<Made> make_from(const Makers<Made>& makers, const std::string& name,
                                Arguments& arguments) {
  const auto found = makers.find(name);
  return found == makers.end() ? nullptr : found->second(arguments);
}

}  // namespace

bool register_plugin(std::string name, std::function<PluginPtr(Arguments&)> make) {
  BERTH_CHECK(plugin_makers().emplace(std::move(name), std::move(make)).second);
  return true;
}

bool register_action(std::string name, std::function<ActionPtr(Arguments&)> make) {
  BERTH_CHECK(action_makers().emplace(std::move(name), std::move(make)).second);
  return true;
}

std::vector<std::string> plugin_names() { return keys_of(plugin_makers()); }
std::vector<std::string> action_names() { return keys_of(action_makers()); }

PluginPtr make_plugin(const std::string& name, Arguments& arguments) {
  return make_from(plugin_makers(), name, arguments);
}

ActionPtr make_action(const std::string& name, Arguments& arguments) {
  return make_from(action_makers(), name, arguments);
}

}  // namespace berth::engine
