#pragma once

#include <map>
#include <string>

#include "berth/base/clock.h"
#include "berth/model/cluster.h"
#include "berth/model/written_status.h"
#include "reconcile/writes.h"
#include "telemetry/metrics.h"

namespace berth::daemon {

// Counts the work that is lost by evictions, once the API server has accepted them. Session thread.
class EvictedWork {
 public:
  explicit EvictedWork(telemetry::Metrics& metrics) : metrics_(metrics) {}

  // The eviction of the pod begins. It may be gone when the answer comes.
  void begun(const Task& victim, const Cluster& cluster);
  // It has ended.
  void take(const reconcile::Ended& ended, TimePoint now);
  void stop_leading() { under_way_.clear(); }

 private:
  struct Victim {
    NamedAmounts room;
    TimePoint scheduled_at;
  };

  telemetry::Metrics& metrics_;
  std::map<std::string, Victim> under_way_;  // by uid
};

}  // namespace berth::daemon
