#pragma once

#include <string>

#include "views/reservation_table.h"

namespace berth::telemetry {

// Targets and locks as series in Prometheus' text exposition, in base units: cores, bytes, pieces.
// Made when they are asked for, so the series of a target that has ended are gone. Resources are
// those that the cluster has.
std::string reservation_exposition(const views::ReservationTable& table);

}  // namespace berth::telemetry
