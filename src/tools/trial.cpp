#include "tools/trial.h"

#include <utility>

#include "berth/engine/scheduler.h"

namespace berth::tools {

mirror::Options mirror_options(const std::vector<std::string>& scheduler_names,
                               const std::string& default_queue) {
  return {.managed_schedulers = scheduler_names, .default_queue = default_queue};
}

Trial try_out(const TrialSetting& setting, std::vector<ClusterEvent> objects) {
  Trial trial{ClusterCopy(std::move(objects), setting.mirror, setting.now), {}};
  trial.copy.begin_cycle(setting.now);
  Result<engine::Scheduler> scheduler = engine::Scheduler::create(setting.session);
  trial.plan = scheduler.value().run(trial.copy.cluster_for_session(), setting.now);
  return trial;
}

}  // namespace berth::tools
