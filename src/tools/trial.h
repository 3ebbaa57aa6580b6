#pragma once

#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/engine/configuration.h"
#include "berth/model/event.h"
#include "berth/model/plan.h"
#include "mirror/mirror.h"
#include "tools/cluster_copy.h"

namespace berth::tools {

mirror::Options mirror_options(const std::vector<std::string>& scheduler_names,
                               const std::string& default_queue);

// "What would happen if": a session over other objects than there are. A session is a function, so
// its answer is not a guess.
struct TrialSetting {
  engine::SessionConfig session;
  mirror::Options mirror;
  TimePoint now;
};

// What a trial decided, and on which copy: the plan's ids are the copy's.
struct Trial {
  ClusterCopy copy;
  Plan plan;
};

// The setting's configuration must be one that Scheduler::create accepts.
Trial try_out(const TrialSetting& setting, std::vector<ClusterEvent> objects);

}  // namespace berth::tools
