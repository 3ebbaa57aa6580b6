#include "views/reserved_nodes.h"

namespace berth::views {

NamedAmounts ReservedNodes::idle() const {
  NamedAmounts named;
  for (const Amount& each : amounts) {
    if (each.idle != 0) named[each.resource] = each.idle;
  }
  return named;
}

ReservedNodes make_reserved_nodes(const Cluster& cluster, const Plan& plan,
                                  const QueueReservation& reservation) {
  ReservedNodes made;
  made.is_guaranteed = reservation.evicts;
  made.evicts = reservation.evicts && plan.reclaims;
  made.asked_nodes = reservation.asked_nodes;
  // Nodes are in the order of their names.
  for (const NodeId node : reservation.nodes) made.nodes.push_back(cluster.node(node).name);
  for (const QueueReservation::Amount& each : reservation.amounts) {
    made.amounts.push_back({cluster.dimensions().name(each.dimension), each.asked, each.idle,
                            each.own, each.leaving, each.missing()});
  }
  made.is_met = reservation.is_met;
  if (!reservation.spared.empty()) made.in_the_way = why_spared(reservation.spared.front().reason);
  made.score_millionths = reservation.choice.score_millionths;
  made.lacks = reservation.choice.lacks;
  made.clipped = reservation.clipped;
  return made;
}

}  // namespace berth::views
