#pragma once

#include <memory>
#include <string>
#include <vector>

#include "berth/engine/plugin.h"
#include "berth/engine/session.h"
#include "support/stage.h"

namespace berth::support {

// A session that a test keeps open, with these plugins.
class OpenSession {
 public:
  OpenSession(World& world, const std::vector<std::string>& plugins)
      : session(world.mirror().cluster_for_session(), memory_, world.now()) {
    for (const std::string& name : plugins) {
      engine::Arguments arguments;
      plugins_.push_back(engine::make_plugin(name, arguments));
      session.open_plugin(0, nullptr);
      plugins_.back()->on_session_open(session);
    }
    session.start({"elect"});
  }

 private:
  engine::Memory memory_;
  std::vector<engine::PluginPtr> plugins_;

 public:
  engine::Session session;
};

}  // namespace berth::support
