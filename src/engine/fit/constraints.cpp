#include <algorithm>
#include <array>

#include "berth/engine/fit.h"

namespace berth::engine {

namespace {

constexpr std::array kAll{&constraints::cordon,        &constraints::node_selector,
                          &constraints::node_affinity, &constraints::taints,
                          &constraints::veto,          &constraints::host_ports};

// FIT-3.
Verdict check(const Place& place, bool is_of_specification) {
  for (const Constraint* const each : kAll) {
    if ((each->depends_on == DependsOn::specification) != is_of_specification) continue;
    if (!each->concerns(place.shape)) continue;
    if (const Verdict verdict = each->check(place); !verdict) return verdict;
  }
  return pass();
}

}  // namespace

std::span<const Constraint* const> all_constraints() { return kAll; }

// FIT-2.
DependsOn depends_on(const Shape& shape, std::span<const Constraint* const> among) {
  DependsOn widest = DependsOn::specification;
  for (const Constraint* const each : among) {
    if (each->concerns(shape)) widest = std::max(widest, each->depends_on);
  }
  return widest;
}

Verdict check_specification(const Place& place) { return check(place, true); }

Verdict check_occupants(const Place& place) { return check(place, false); }

}  // namespace berth::engine
