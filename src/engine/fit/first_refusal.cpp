#include "engine/fit/first_refusal.h"

#include <algorithm>

#include "berth/engine/session.h"
#include "engine/shortage.h"

namespace berth::engine {

bool passes_before_room(const Place& place) {
  const auto before = constraints_before_room();
  return std::all_of(before.begin(), before.end(), [&](const Constraint* each) {
    return each->depends_on != DependsOn::specification || bool(ask(*each, place));
  });
}

Verdict refusal_from_room_on(const Session& session, const Shape& shape, NodeId node) {
  const Cluster& cluster = session.cluster();
  const Place place{cluster, shape, cluster.node(node)};
  const bool asks_about_nodes = !session.is_silent(points::predicate);
  const bool asks_about_tasks = !session.is_silent(points::occupancy);
  if (asks_about_tasks) {
    if (const Verdict ports = ask(constraints::host_ports, place); !ports) return ports;
  }
  if (const Scarcest scarcest = scarcest_on(cluster, shape, node); !scarcest.is_none()) {
    return scarcest.refusal();
  }
  for (const Constraint* const each : constraints_after_room()) {
    const bool is_about_node = each->depends_on == DependsOn::specification;
    if (!(is_about_node ? asks_about_nodes : asks_about_tasks)) continue;
    if (const Verdict verdict = ask(*each, place); !verdict) return verdict;
  }
  return pass();
}

}  // namespace berth::engine
