#pragma once

#include <memory>
#include <string_view>

#include "berth/engine/arguments.h"
#include "berth/engine/registry.h"
#include "berth/engine/session.h"

// Everything that a file of src/actions/ includes from the engine.

namespace berth::engine {

// One phase of a session. It asks the points, tries in statements and decides, without side effects
// outside. The runner switches, times, verifies and explains it.
class Action {
 public:
  virtual ~Action() = default;
  virtual void execute(Session& session) const = 0;
  // Of an action that evicts for one job after the other. The session keeps it.
  virtual std::unique_ptr<RoomMaker> room_maker(Session&) const { return nullptr; }
};

}  // namespace berth::engine

// Registers `type` (constructible from Arguments&) as action `name`.
#define BERTH_ACTION(type, name)                                                      \
  const bool registered_##type = ::berth::engine::register_action(                    \
      name, [](::berth::engine::Arguments& arguments) -> ::berth::engine::ActionPtr { \
        return std::make_unique<type>(arguments);                                     \
      })
