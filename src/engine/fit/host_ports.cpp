#include <algorithm>

#include "berth/engine/fit.h"

namespace berth::engine::constraints {

namespace {

bool collide(const HostPort& left, const HostPort& right) {
  const auto is_any = [](const HostPort& port) { return port.ip == "0.0.0.0" || port.ip.empty(); };
  return left.port == right.port && left.protocol == right.protocol &&
         (left.ip == right.ip || is_any(left) || is_any(right));
}

}  // namespace

// PREDICATE-5, FIT-4. No task that counts holds a host port that the pod wants.
const Constraint host_ports{
    DependsOn::occupants,
    [](const Place& place) {
      const auto& wanted = place.shape.constraints.host_ports;
      for (const TaskId id : place.node.tasks) {
        const Task& task = place.cluster.task(id);
        if (place.occupants == Occupants::staying && !task.never_leaves) continue;
        const bool leaves = task.status == TaskStatus::releasing;
        if (place.occupants == Occupants::once_vacated && leaves) continue;
        for (const HostPort& taken : place.cluster.shape_of(id).constraints.host_ports) {
          const bool collides = std::any_of(wanted.begin(), wanted.end(),
                                            [&](const auto& port) { return collide(taken, port); });
          if (collides) return reject(Reason::host_port_taken);
        }
      }
      return pass();
    },
    [](const Shape& shape) { return shape.has_host_ports; }};

}  // namespace berth::engine::constraints
