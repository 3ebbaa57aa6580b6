#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/model/event.h"
#include "berth/model/plan.h"
#include "conf/config.h"
#include "engine/configuration.h"
#include "engine/scheduler.h"
#include "mirror/mirror.h"
#include "simulation/cluster_copy.h"

namespace berth::simulation {

mirror::Options mirror_options(const conf::Config& config);

inline constexpr const char* kHostname = "kubernetes.io/hostname";  // a label of nodes

struct TrialSetting {
  engine::SessionConfig session;  // must be accepted by Scheduler::create
  mirror::Options mirror;
  TimePoint now;
};

// "What would happen if": sessions over changed objects. A session is a function, so its answer is
// exact. Making a trial reads all objects; a question runs a session.
class Trial {
 public:
  Trial(const TrialSetting& setting, std::vector<ClusterEvent> objects);

  // The number of pods of this job that a session would place.
  std::size_t placed_of(const std::string& job);
  // The same with this many further nodes like `example`, which are removed afterwards.
  std::size_t placed_of(const std::string& job, const NodeObject& example, std::size_t count);

 private:
  TimePoint now_;
  ClusterCopy copy_;
  engine::Scheduler scheduler_;
};

}  // namespace berth::simulation
