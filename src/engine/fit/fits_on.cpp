#include "engine/fit/fits_on.h"

#include <algorithm>
#include <array>

#include "engine/shortage.h"

namespace berth::engine {

namespace {

// PREDICATE-6. The reason is the scarcest resource.
const Constraint room{DependsOn::occupants, [](const Place& place) {
                        const AmountTable& idle = place.cluster.idle();
                        Scarcest scarcest(place.cluster);
                        for (const auto& [dimension, amount] : place.shape.requested) {
                          scarcest.consider(dimension, idle.at(place.node.id, dimension), amount);
                        }
                        if (scarcest.is_none()) return pass();
                        return reject(Reason::insufficient_resource, scarcest.have(),
                                      scarcest.need(), scarcest.name());
                      }};

// VOLUME-1, VOLUME-2. kube-scheduler looks at the claims before it looks at any node.
const Constraint claims{DependsOn::specification, [](const Place& place) {
                          const std::string& fault = place.shape.constraints.volumes.fault;
                          if (fault.empty()) return pass();
                          return reject(Reason::claim_not_ready, 0, 0, fault);
                        }};

// VOLUME-9. A volume that is free is not taken by a plan here: kube-scheduler has not heard of it.
const Constraint claims_for_one_pod{
    DependsOn::domain, [](const Place& place) {
      const bool is_in_use = constraints::free_volumes.concerns(place.shape) &&
                             constraints::free_volumes.check(place).reason == Reason::claim_in_use;
      return is_in_use ? reject(Reason::claim_in_use) : pass();
    }};

// FIT-6. In the order of kube-scheduler's filters, after what makes a pod illegible.
constexpr std::array kAsKubeScheduler{&constraints::legible,
                                      &claims,
                                      &constraints::cordon,
                                      &constraints::taints,
                                      &constraints::node_selector,
                                      &constraints::node_affinity,
                                      &constraints::host_ports,
                                      &room,
                                      &constraints::disks,
                                      &claims_for_one_pod,
                                      &constraints::volume_limits,
                                      &constraints::volume_binding,
                                      &constraints::volume_zone,
                                      &constraints::topology_spread,
                                      &constraints::pod_affinity,
                                      &constraints::pod_anti_affinity,
                                      &constraints::existing_pod_anti_affinity};

}  // namespace

Verdict fits_on(const Cluster& cluster, const Shape& shape, NodeId node) {
  const Place place{cluster, shape, cluster.node(node)};
  for (const Constraint* const each : kAsKubeScheduler) {
    if (each->concerns != nullptr && !each->concerns(shape)) continue;
    if (const Verdict verdict = each->check(place); !verdict) return verdict;
  }
  return pass();
}

}  // namespace berth::engine
