#pragma once

#include <string>

#include "views/reservation_table.h"

namespace berth::telemetry {

// Targets and locks as series in Prometheus' text exposition, in base units: cores, bytes, pieces.
// They are built on request, so an ended target has no series. The resources are those of the
// cluster.
std::string reservation_exposition(const views::ReservationTable& table);

}  // namespace berth::telemetry
