#pragma once

#include <memory>
#include <string_view>

#include "berth/engine/arguments.h"
#include "berth/engine/registry.h"
#include "berth/engine/session.h"

// Everything that a file of plugins/ includes from the engine.

namespace berth::engine {

// A set of rules. It is made when the configuration is loaded; its constructor reads its arguments.
// Session thread only.
class Plugin {
 public:
  virtual ~Plugin() = default;
  // Attaches its rules to the points (points.h), nothing else.
  virtual void on_session_open(Session& session) = 0;
};

}  // namespace berth::engine

// Registers `type` (constructible from Arguments&) as plugin `name`. At namespace scope of the
// plugin's own .cpp; the configuration names it.
#define BERTH_PLUGIN(type, name)                                                      \
  const bool registered_##type = ::berth::engine::register_plugin(                    \
      name, [](::berth::engine::Arguments& arguments) -> ::berth::engine::PluginPtr { \
        return std::make_unique<type>(arguments);                                     \
      })
