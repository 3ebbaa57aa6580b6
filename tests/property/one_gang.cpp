#include "property/one_gang.h"

#include <gtest/gtest.h>

#include "berth/engine/registry.h"
#include "conf/config.h"
#include "conf/default_config.h"

namespace berth::support {

engine::SessionConfig shipped_config() {
  const conf::KnownNames known{engine::action_names(), engine::plugin_names(),
                               engine::points::names()};
  const auto config = conf::load_config(conf::default_config_text(), "default", known);
  EXPECT_TRUE(config);
  return config ? config->session : engine::SessionConfig();
}

Plan plan_of_gang(const engine::SessionConfig& config, mirror::Mirror& mirror,
                  const std::vector<NamedAmounts>& requests, const TopologyWish& wish) {
  const TimePoint now(std::chrono::seconds(1'800'000'000));
  PodGroupObject group;
  group.name_space = "default";
  group.name = group.uid = "g";
  group.scheduler = "berth";
  group.phase = GroupPhase::inqueue;
  group.min_member = static_cast<std::int32_t>(requests.size());
  group.topology = wish;
  mirror.apply(group);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    PodObject pod;
    pod.name_space = "default";
    pod.group = "g";
    pod.name = pod.uid = "g-" + std::to_string(i);
    pod.index = static_cast<std::int64_t>(i);
    pod.scheduler_name = "berth";
    pod.request = requests[i];
    mirror.apply(pod);
  }
  mirror.settle(now);
  auto scheduler = engine::Scheduler::create(config);
  EXPECT_TRUE(scheduler.has_value());
  return scheduler->run(mirror.cluster_for_session(), now);
}

}  // namespace berth::support
