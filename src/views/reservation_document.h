#pragma once

#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "views/reservation_table.h"

// The document that berthd answers /reservations with and `berth reservations -o json` writes;
// docs/reservations.md describes it. Amounts are Kubernetes quantities; those that are 0 are left
// out.

namespace berth::views {

// One JSON object, ending in a line feed.
std::string write_reservation_table(const ReservationTable& table);
// What was written. Fails on what is no such document, with file:line:column.
Result<ReservationTable> read_reservation_table(std::string text, std::string_view file);

}  // namespace berth::views
