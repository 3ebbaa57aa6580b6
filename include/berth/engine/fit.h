#pragma once

#include <cstdint>
#include <span>

#include "berth/engine/occupants.h"
#include "berth/engine/verdict.h"
#include "berth/model/cluster.h"
#include "berth/model/room.h"

// The one answer to "does a pod of this shape fit on this node?": constraints, times a view of the
// room there. Both tables, and how to add a constraint: docs/design/fit.md.

namespace berth::engine {

class Session;

// --- constraints ----------------------------------------------------------------------------

// The changes that may change a constraint's answer. Each includes those before it.
enum class DependsOn : std::uint8_t {
  specification,  // the node's labels, taints and the like
  occupants,      // the tasks on the node
  domain,         // the tasks on other nodes of its domain
};

struct Place {
  const Cluster& cluster;
  const Shape& shape;
  const Node& node;
  Occupants occupants = Occupants::all;
};

struct Constraint {
  DependsOn depends_on;
  Verdict (*check)(const Place& place);
  // Of one that depends on tasks. False: pods of this shape pass everywhere.
  bool (*concerns)(const Shape& shape) = nullptr;
};

namespace constraints {
extern const Constraint legible, cordon, node_selector, node_affinity, taints, veto, host_ports,
    disks, volume_binding, volume_zone, free_volumes, volume_limits, topology_spread, pod_affinity,
    pod_anti_affinity, existing_pod_anti_affinity;
}  // namespace constraints

// Pods of this shape may go to nodes that are cordoned.
bool tolerates_cordon(const Shape& shape);

// RELATION-10. All but vetoes, in the order of kube-scheduler's filters: those before its filter of
// room, and those after it.
std::span<const Constraint* const> constraints_before_room();
std::span<const Constraint* const> constraints_after_room();
// Those of them that depend on tasks, in that order.
std::span<const Constraint* const> constraints_on_tasks();
// The changes that may change where pods of this shape fit, room aside.
DependsOn depends_on(const Shape& shape,
                     std::span<const Constraint* const> among = constraints_on_tasks());
// The answer of one of them.
Verdict ask(const Constraint& constraint, const Place& place);
// The constraints on the node's specification, and those on the tasks that are there.
Verdict check_specification(const Place& place);
Verdict check_occupants(const Place& place);

// Of a shape with relations: has kube-scheduler ruled the node out for it? Those of a base are a
// constraint on the specification.
Verdict check_vetoes(const Session& session, const Shape& shape, NodeId node);

// Vetoes are soon over; other refusals by specification are not.
inline bool passes_in_time(const Verdict& verdict) {
  return verdict || verdict.reason == Reason::vetoed;
}

// --- views of room --------------------------------------------------------------------------

// The room that can be given away now without breaking a promise.
struct IdleNow {
  const Cluster& cluster;
  std::int64_t at(NodeId node, Dimension d) const { return cluster.available().at(node, d); }
};

// Once those that leave have left.
struct OnceVacated {
  const Cluster& cluster;
  std::int64_t at(NodeId node, Dimension d) const { return cluster.future_idle(node, d); }
};

// Once all have left but what came with the node. ReachableCapacity (src/engine/fit) is the view
// for one job; there, all stay that never leave by themselves.
struct OnceEmptied {
  const Cluster& cluster;
  std::int64_t at(NodeId node, Dimension d) const {
    return cluster.allocatable().at(node, d) - cluster.of_nodes().at(node, d);
  }
};

// For a task that has its place already: idle now, and what it takes itself.
struct WithOwnPlace {
  const Cluster& cluster;
  const Shape& shape;
  std::int64_t at(NodeId node, Dimension d) const {
    return cluster.idle().at(node, d) + shape.request[d];
  }
};

template <class View>
bool has_room(const View& view, const Shape& shape, NodeId node) {
  return is_covered(shape.requested, [&](Dimension d) { return view.at(node, d); });
}

// How many pods of the shape the node has room for.
template <class View>
std::int32_t room_for(const View& view, const Shape& shape, NodeId node) {
  return times_covered(shape.requested, [&](Dimension d) { return view.at(node, d); });
}

// --- as a session's plugins see it ----------------------------------------------------------

// May a pod of this shape run on the node by its specification?
Verdict may_run_on(const Session& session, const Shape& shape, NodeId node);
// May it run beside the tasks that are there?
Verdict fits_beside(const Session& session, const Shape& shape, NodeId node,
                    Occupants occupants = Occupants::all);
// Does it fit now, for a task of this job? A refusal names the first of: the specification, a lock,
// the scarcest resource, the tasks that are there.
Verdict fits(const Session& session, ShapeId shape, NodeId node, JobId job = JobId());

}  // namespace berth::engine
