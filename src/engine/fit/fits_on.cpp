#include "engine/fit/fits_on.h"

#include "engine/shortage.h"

namespace berth::engine {

namespace {

// PREDICATE-6. The reason is the scarcest resource.
Verdict room(const Place& place) {
  const AmountTable& idle = place.cluster.idle();
  Scarcest scarcest(place.cluster, place.shape);
  for (const auto& [dimension, amount] : place.shape.requested) {
    scarcest.consider(dimension, idle.at(place.node.id, dimension), amount);
  }
  if (scarcest.is_none()) return pass();
  return scarcest.refusal();
}

// VOLUME-1, VOLUME-2. kube-scheduler looks at the claims before it looks at any node.
Verdict claims(const Place& place) {
  const std::string& fault = place.shape.constraints.volumes.fault;
  return fault.empty() ? pass() : reject(Reason::claim_not_ready, 0, 0, fault);
}

// VOLUME-9. kube-scheduler asks for these before it looks for volumes.
Verdict claims_for_one_pod(const Place& place) {
  const bool is_in_use = ask(constraints::free_volumes, place).reason == Reason::claim_in_use;
  return is_in_use ? reject(Reason::claim_in_use) : pass();
}

Verdict before_room(const Place& place) {
  for (const Constraint* const each : constraints_before_room()) {
    if (const Verdict verdict = ask(*each, place); !verdict) return verdict;
  }
  return pass();
}

// A volume that is free is not taken by a plan here: kube-scheduler has not heard of it.
Verdict after_room(const Place& place) {
  for (const Constraint* const each : constraints_after_room()) {
    if (each == &constraints::free_volumes) continue;
    if (const Verdict verdict = ask(*each, place); !verdict) return verdict;
    if (each != &constraints::disks) continue;
    if (const Verdict verdict = claims_for_one_pod(place); !verdict) return verdict;
  }
  return pass();
}

}  // namespace

// FIT-6.
Verdict fits_on(const Cluster& cluster, const Shape& shape, NodeId node) {
  const Place place{cluster, shape, cluster.node(node)};
  if (const Verdict verdict = ask(constraints::legible, place); !verdict) return verdict;
  for (const auto asked : {claims, before_room, room, after_room}) {
    if (const Verdict verdict = asked(place); !verdict) return verdict;
  }
  return pass();
}

}  // namespace berth::engine
