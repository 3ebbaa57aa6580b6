#include "engine/choice.h"

#include "berth/engine/fit.h"
#include "berth/engine/session.h"

namespace berth::engine {

NodeId best_allowed(Session& session, Ranking& ranking, const Shape& shape) {
  const bool has_relations = shape.has_relations();
  const Cluster& cluster = session.cluster();
  // Both only grow.
  const std::uint64_t opened = cluster.relations().opened() + session.memory().starts;
  ranking.take_turn(has_relations ? shape.serial : 0, has_relations ? opened : 0);
  NodeId node = ranking.best();
  if (!has_relations) return node;
  for (; node.is_valid(); node = ranking.best()) {
    if (!is_outside(session.start(), cluster, shape, node) && check_vetoes(session, shape, node) &&
        fits_beside(session, shape, node)) {
      return node;
    }
    ranking.leave_out(node);
  }
  return node;
}

}  // namespace berth::engine
