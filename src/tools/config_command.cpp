#include "tools/config_command.h"

#include "berth/engine/points.h"
#include "berth/engine/registry.h"
#include "conf/default_config.h"
#include "engine/scheduler.h"
#include "kube/files.h"

namespace berth::tools {

Result<conf::Config> open_config(const std::string& file) {
  const conf::KnownNames known{engine::action_names(), engine::plugin_names(),
                               engine::points::names()};
  Result<std::string> text = file.empty()
                                 ? Result<std::string>(std::string(conf::default_config_text()))
                                 : kube::read_file(file);
  if (!text) return text.error();
  Result<conf::Config> config =
      conf::load_config(*text, file.empty() ? "the built-in default" : file, known);
  if (!config) return config.error();
  if (const auto scheduler = engine::Scheduler::create(config->session); !scheduler) {
    return scheduler.error();
  }
  return config;
}

namespace {

// Settings that have no effect in any cluster: plugins report them for an empty one.
std::vector<std::string> notes_on(const conf::Config& config) {
  Result<engine::Scheduler> scheduler = engine::Scheduler::create(config.session);
  if (!scheduler) return {};
  Cluster cluster;
  return scheduler->run(cluster, TimePoint()).notes;
}

}  // namespace

int run_config(const ConfigFlags& flags, Console& console) {
  if (flags.show_default) {
    console.out << conf::default_config_text();
    return kExitDone;
  }
  if (flags.check.empty()) {
    console.err << "--check: missing, expected --check FILE or --default\n";
    return kExitBadInput;
  }
  const Result<conf::Config> config = open_config(flags.check);
  if (!config) {
    console.err << config.error().to_string() << "\n";
    return kExitBadInput;
  }
  for (const std::string& warning : config->warnings) console.err << "warning: " << warning << "\n";
  for (const std::string& note : notes_on(*config)) console.err << "warning: " << note << "\n";
  console.out << flags.check << ": ok\n";
  return kExitDone;
}

}  // namespace berth::tools
