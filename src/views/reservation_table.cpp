#include "views/reservation_table.h"

#include <algorithm>

#include "berth/model/dimensions.h"

namespace berth::views {

namespace {

ReservationTable::Row row_of(const Reservation& reservation, const Cluster& cluster) {
  const Job& job = cluster.job(reservation.job);
  ReservationTable::Row row;
  row.job = job.name;
  row.uid = job.uid;
  row.queue = job.queue_name;
  row.priority = job.priority;
  row.waits_since = job.first_seen;
  row.elected_since = reservation.election.since;
  row.why = reservation.election.why;
  row.scheme = reservation.scheme;
  row.locked_since = reservation.locked_since;
  row.is_covered = reservation.is_covered;
  row.times_out_at = reservation.times_out_at;
  row.gives_up_at = reservation.gives_up_at;
  for (const Reservation::Missing& each : reservation.missing) {
    row.missing.push_back({cluster.dimensions().name(each.dimension), each.idle, each.need});
  }
  Resources locked;
  Resources idle;
  for (const NodeId node : reservation.nodes) {
    row.nodes.push_back(cluster.node(node).name);
    for (std::size_t d = 0; d < cluster.dimensions().size(); ++d) {
      const Dimension dimension(d);
      locked.add(dimension, cluster.allocatable().at(node, dimension));
      idle.add(dimension, std::max<std::int64_t>(0, cluster.idle().at(node, dimension)));
    }
  }
  row.locked = to_named(cluster.dimensions(), locked);
  row.idle = to_named(cluster.dimensions(), idle);
  return row;
}

NamedAmounts sum(const std::vector<ReservationTable::Row>& rows,
                 NamedAmounts ReservationTable::Row::*amounts) {
  NamedAmounts all;
  for (const ReservationTable::Row& row : rows) {
    for (const auto& [resource, amount] : row.*amounts) {
      all[resource] = saturated_sum(all[resource], amount);
    }
  }
  return all;
}

}  // namespace

std::size_t ReservationTable::locked_node_count() const {
  std::size_t count = 0;
  for (const Row& row : rows) count += row.nodes.size();
  return count;
}

NamedAmounts ReservationTable::locked() const { return sum(rows, &Row::locked); }
NamedAmounts ReservationTable::idle() const { return sum(rows, &Row::idle); }

ReservationTable make_reservation_table(const Plan& plan, const Cluster& cluster, TimePoint now) {
  ReservationTable table;
  table.at = now;
  table.node_count = cluster.node_count();
  table.total = to_named(cluster.dimensions(), cluster.total_allocatable());
  for (const Reservation& each : plan.reservations) table.rows.push_back(row_of(each, cluster));
  return table;
}

}  // namespace berth::views
