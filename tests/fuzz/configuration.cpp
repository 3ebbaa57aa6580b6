// berthd's configuration, with the actions and plugins that it names.
#include "conf/config.h"
#include "engine/scheduler.h"
#include "fuzz/fuzz.h"

namespace berth::fuzz {
namespace {

const conf::KnownNames& known_names() {
  static const conf::KnownNames kNames{engine::action_names(), engine::plugin_names(),
                                       engine::points::names()};
  return kNames;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text = view_of(bytes, size);
  const auto config = conf::load_config(text, "f", known_names());
  if (!config) {
    expect_readable(config.error(), text);
    BERTH_CHECK(config.error().where.starts_with("f"));
    return 0;
  }
  BERTH_CHECK(config->text == text);
  BERTH_CHECK(config->leader_election.renew_deadline < config->leader_election.lease_duration);
  BERTH_CHECK(config->schedule_period > Duration::zero());
  for (const std::string& warning : config->warnings) expect_readable({warning, ""}, text);
  const auto scheduler = engine::Scheduler::create(config->session);
  if (!scheduler) expect_readable(scheduler.error(), text);
  return 0;
}

}  // namespace berth::fuzz
