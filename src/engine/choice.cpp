#include "engine/choice.h"

#include "berth/base/look_up.h"
#include "berth/engine/fit.h"
#include "berth/engine/session.h"
#include "engine/fit/asked_terms.h"

namespace berth::engine {

namespace {

// The nodes that are refused together with one.
enum class Refused : std::uint8_t { nobody, node, group };

// `alike`: the keys of the node's group.
Refused refused_with(Session& session, const Shape& shape, NodeId node,
                     const std::vector<TopologyKeyId>& alike) {
  const Cluster& cluster = session.cluster();
  if (is_outside(session.start(), cluster, shape, node)) {
    const TopologyKeyId key = cluster.relations().term(session.start()->term).key;
    return is_any_of(key, alike) ? Refused::group : Refused::node;
  }
  if (!check_vetoes(session, shape, node)) return Refused::node;
  if (fits_beside(session, shape, node)) return Refused::nobody;
  const Place place{cluster, shape, cluster.node(node)};
  return do_terms_refuse(place, AskedTerms(alike)) ? Refused::group : Refused::node;
}

}  // namespace

NodeId best_allowed(Session& session, Ranking& ranking, const Shape& shape) {
  if (!shape.has_relations()) return ranking.best();
  const Cluster& cluster = session.cluster();
  DomainRanking& nodes = ranking.allowed(cluster, shape);
  // Both only grow.
  nodes.take_turn(shape.serial, cluster.relations().opened() + session.memory().starts, ranking);
  for (NodeId node = nodes.best(); node.is_valid(); node = nodes.best()) {
    switch (refused_with(session, shape, node, nodes.grouped_by())) {
      case Refused::nobody:
        return node;
      case Refused::node:
        nodes.leave_out(node);
        break;
      case Refused::group:
        nodes.leave_out_group_of(node);
        break;
    }
  }
  return NodeId();
}

}  // namespace berth::engine
