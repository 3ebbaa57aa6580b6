#include "daemon/session_counts.h"

namespace berth::daemon {

telemetry::SessionCounts counts_of(const Plan& plan, const Cluster& cluster, std::size_t events,
                                   Duration took) {
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
  for (std::size_t s = 0; s < cluster.shape_count(); ++s) {
    const Shape& shape = cluster.shape(ShapeId(s));
    const Reason reason = shape.constraints.excess.reason;
    if (reason == Reason::none) continue;
    counts.beyond_bounds[code(reason)] += shape.uses;
    if (shape.base != shape.id) --counts.beyond_bounds[code(reason)];  // it is a use of its base
  }
  return counts;
}

}  // namespace berth::daemon
