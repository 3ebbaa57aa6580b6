#include <algorithm>
#include <array>

#include "berth/engine/fit.h"

namespace berth::engine {

namespace {

// RELATION-10. Both in the order of kube-scheduler's plugins.
constexpr std::array kOnSpecification{&constraints::legible,       &constraints::cordon,
                                      &constraints::taints,        &constraints::node_selector,
                                      &constraints::node_affinity, &constraints::volume_binding,
                                      &constraints::volume_zone,   &constraints::veto};
// AFFINITY-9
constexpr std::array kOnTasks{
    &constraints::host_ports,        &constraints::disks,
    &constraints::volume_limits,     &constraints::free_volumes,
    &constraints::topology_spread,   &constraints::pod_affinity,
    &constraints::pod_anti_affinity, &constraints::existing_pod_anti_affinity};

// FIT-3.
template <class Constraints>
Verdict first_refusal(const Constraints& constraints, const Place& place) {
  for (const Constraint* const each : constraints) {
    if (each->concerns != nullptr && !each->concerns(place.shape)) continue;
    if (const Verdict verdict = each->check(place); !verdict) return verdict;
  }
  return pass();
}

}  // namespace

std::span<const Constraint* const> constraints_on_specification() { return kOnSpecification; }

std::span<const Constraint* const> constraints_on_tasks() { return kOnTasks; }

// FIT-2.
DependsOn depends_on(const Shape& shape, std::span<const Constraint* const> among) {
  DependsOn widest = DependsOn::specification;
  for (const Constraint* const each : among) {
    if (each->concerns(shape)) widest = std::max(widest, each->depends_on);
  }
  return widest;
}

Verdict check_specification(const Place& place) { return first_refusal(kOnSpecification, place); }

Verdict check_occupants(const Place& place) { return first_refusal(kOnTasks, place); }

}  // namespace berth::engine
