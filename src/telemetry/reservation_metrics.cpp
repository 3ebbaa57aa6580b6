#include "telemetry/reservation_metrics.h"

#include <chrono>
#include <utility>

#include "telemetry/families.h"

namespace berth::telemetry {

namespace {

using views::ReservationTable;

// One series for each resource, also with the value 0.
template <class Value>
MetricFamily by_resource(const ReservationTable& table, MetricFamily family, const Value& value) {
  for (const auto& [resource, amount] : table.total) {
    add_series(family, {{"resource", resource}}, value(resource));
  }
  return family;
}

MetricFamily amounts(const ReservationTable& table, MetricFamily family,
                     const NamedAmounts& amounts) {
  return by_resource(table, std::move(family), [&](const std::string& resource) {
    const auto found = amounts.find(resource);
    if (found == amounts.end()) return 0.0;
    return in_base_unit(resource, static_cast<double>(found->second));
  });
}

MetricFamily single(MetricFamily family, std::size_t value) {
  add_series(family, {}, static_cast<double>(value));
  return family;
}

MetricFamily waits(const ReservationTable& table) {
  MetricFamily family = gauge_family("berth_target_wait_seconds", "How long the target has waited");
  for (const ReservationTable::Row& row : table.rows) {
    const std::chrono::duration<double> waited = table.at - row.waits_since;
    add_series(family, {{"job", row.job}}, waited.count());
  }
  return family;
}

MetricFamily held(const ReservationTable& table) {
  return by_resource(
      table,
      counter_family("berth_locked_idle_seconds_total", "Idle room on locked nodes, times seconds"),
      [&](const std::string& resource) {
        const auto found = table.held.find(resource);
        return found == table.held.end() ? 0 : views::room_seconds(resource, found->second);
      });
}

MetricFamily ends(const ReservationTable& table) {
  MetricFamily family =
      counter_family("berth_reservations_ended_total", "Ended targets, by how they ended");
  for (std::size_t how = 0; how < table.ended.size(); ++how) {
    add_series(family, {{"how", to_string(static_cast<EndedReservation::How>(how))}},
               static_cast<double>(table.ended[how]));
  }
  return family;
}

}  // namespace

std::string reservation_exposition(const ReservationTable& table) {
  const Families families{
      single(gauge_family("berth_targets", "Jobs for which nodes are kept"), table.rows.size()),
      single(gauge_family("berth_locked_nodes", "Nodes that are kept for targets"),
             table.locked_node_count()),
      amounts(table, gauge_family("berth_locked_room", "Allocatable room of locked nodes"),
              table.locked()),
      amounts(table, gauge_family("berth_locked_idle_room", "Idle room on locked nodes"),
              table.idle()),
      waits(table),
      held(table),
      ends(table)};
  return exposition_of(families);
}

}  // namespace berth::telemetry
