#include "berth/engine/fit.h"
#include "berth/engine/session.h"
#include "engine/shortage.h"

namespace berth::engine {

Verdict may_run_on(const Session& session, const Shape& shape, NodeId node) {
  return session.ask(points::predicate, shape, session.cluster().node(node));
}

Verdict check_vetoes(const Session& session, const Shape& shape, NodeId node) {
  const bool is_asked_for_its_base =
      !shape.has_relations() || session.cluster().node(node).vetoed.empty();
  return is_asked_for_its_base ? pass() : may_run_on(session, shape, node);
}

Verdict fits_beside(const Session& session, const Shape& shape, NodeId node, Occupants occupants) {
  if (depends_on(shape) == DependsOn::specification) return pass();
  return session.ask(points::occupancy, shape, session.cluster().node(node), occupants);
}

Verdict fits(const Session& session, ShapeId shape_id, NodeId node, JobId job) {
  const Cluster& cluster = session.cluster();
  const Shape& shape = cluster.shape(shape_id);
  if (const Verdict verdict = may_run_on(session, shape, node); !verdict) return verdict;
  if (const Verdict verdict = session.is_open_to(node, job); !verdict) return verdict;
  const Scarcest scarcest = scarcest_on(cluster, shape, node);
  if (scarcest.is_none()) return fits_beside(session, shape, node);
  return scarcest.refusal();
}

}  // namespace berth::engine
