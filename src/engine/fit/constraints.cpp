#include <algorithm>
#include <array>
#include <vector>

#include "berth/engine/fit.h"

namespace berth::engine {

namespace {

constexpr std::array kBeforeRoom{&constraints::legible,       &constraints::cordon,
                                 &constraints::taints,        &constraints::node_selector,
                                 &constraints::node_affinity, &constraints::host_ports};
constexpr std::array kAfterRoom{&constraints::disks,
                                &constraints::volume_limits,
                                &constraints::volume_binding,
                                &constraints::free_volumes,
                                &constraints::volume_zone,
                                &constraints::topology_spread,
                                &constraints::pod_affinity,
                                &constraints::pod_anti_affinity,  // AFFINITY-9
                                &constraints::existing_pod_anti_affinity};

std::vector<const Constraint*> those_on_specification(bool are_wanted) {
  std::vector<const Constraint*> all(kBeforeRoom.begin(), kBeforeRoom.end());
  all.insert(all.end(), kAfterRoom.begin(), kAfterRoom.end());
  std::erase_if(all, [are_wanted](const Constraint* each) {
    return (each->depends_on == DependsOn::specification) != are_wanted;
  });
  if (are_wanted) all.push_back(&constraints::veto);
  return all;
}

const std::vector<const Constraint*> kOnSpecification = those_on_specification(true);
const std::vector<const Constraint*> kOnTasks = those_on_specification(false);

// FIT-3.
Verdict first_refusal(const std::vector<const Constraint*>& constraints, const Place& place) {
  for (const Constraint* const each : constraints) {
    if (const Verdict verdict = ask(*each, place); !verdict) return verdict;
  }
  return pass();
}

}  // namespace

std::span<const Constraint* const> constraints_before_room() { return kBeforeRoom; }

std::span<const Constraint* const> constraints_after_room() { return kAfterRoom; }

std::span<const Constraint* const> constraints_on_tasks() { return kOnTasks; }

Verdict ask(const Constraint& constraint, const Place& place) {
  const bool concerns = constraint.concerns == nullptr || constraint.concerns(place.shape);
  return concerns ? constraint.check(place) : pass();
}

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
