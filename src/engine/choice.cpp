#include "engine/choice.h"

#include "berth/engine/fit.h"
#include "berth/engine/session.h"

namespace berth::engine {

NodeId best_allowed(const Session& session, Ranking& ranking, const Shape& shape) {
  const bool has_relations = shape.has_relations();
  const std::uint64_t opened = session.cluster().relations().opened();
  ranking.take_turn(has_relations ? shape.serial : 0, has_relations ? opened : 0);
  NodeId node = ranking.best();
  if (!has_relations) return node;
  for (; node.is_valid(); node = ranking.best()) {
    if (check_vetoes(session, shape, node) && fits_beside(session, shape, node)) return node;
    ranking.leave_out(node);
  }
  return node;
}

}  // namespace berth::engine
