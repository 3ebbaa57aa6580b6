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

// FIT-6. In the order of kube-scheduler's filters, after what makes a pod illegible.
constexpr std::array kAsKubeScheduler{&constraints::legible,
                                      &constraints::cordon,
                                      &constraints::taints,
                                      &constraints::node_selector,
                                      &constraints::node_affinity,
                                      &constraints::host_ports,
                                      &room,
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
