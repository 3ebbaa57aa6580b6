#include "shipped.h"

#include <utility>

#include "berth/engine/registry.h"
#include "conf/config.h"
#include "conf/default_config.h"

namespace berth::bench {

engine::SessionConfig shipped(std::initializer_list<const char*> actions) {
  const conf::KnownNames known{engine::action_names(), engine::plugin_names(),
                               engine::points::names()};
  auto config = conf::load_config(conf::default_config_text(), "default", known);
  engine::SessionConfig session = std::move(config->session);
  if (actions.size() > 0) session.actions.clear();
  for (const char* action : actions) session.actions.push_back({action, ""});
  return session;
}

}  // namespace berth::bench
