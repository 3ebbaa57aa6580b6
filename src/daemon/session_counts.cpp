#include "daemon/session_counts.h"

namespace berth::daemon {

telemetry::SessionCounts counts_of(const Plan& plan, std::size_t events, Duration took) {
  telemetry::SessionCounts counts;
  counts.took = took;
  counts.events = events;
  counts.binds = plan.binds.size();
  counts.pipelined = plan.pipelined.size();
  for (const PlannedEviction& each : plan.evictions) {
    ++counts.evictions[{each.action, to_string(each.as)}];
  }
  for (const ConsideredEvictions& each : plan.considered) {
    ++counts.in_vain[{each.action, code(each.why.reason)}];
  }
  counts.admitted = plan.admitted.size();
  for (const Refusal& refusal : plan.refusals) ++counts.waiting[code(refusal.reason)];
  return counts;
}

}  // namespace berth::daemon
