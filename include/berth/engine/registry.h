#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "berth/engine/arguments.h"

namespace berth::engine {

class Action;
class Plugin;
using ActionPtr = std::unique_ptr<Action>;
using PluginPtr = std::unique_ptr<Plugin>;

// Filled before main by BERTH_PLUGIN and BERTH_ACTION, and read-only afterwards. A name used twice
// aborts.
bool register_plugin(std::string name, std::function<PluginPtr(Arguments&)> make);
bool register_action(std::string name, std::function<ActionPtr(Arguments&)> make);

// Sorted.
std::vector<std::string> plugin_names();
std::vector<std::string> action_names();

// Null if the name is unknown.
PluginPtr make_plugin(const std::string& name, Arguments& arguments);
ActionPtr make_action(const std::string& name, Arguments& arguments);

}  // namespace berth::engine
