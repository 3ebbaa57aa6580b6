#pragma once

#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "views/reservation_table.h"

// The document of berthd's /reservations and `berth reservations -o json`; docs/reservations.md
// describes it. Amounts are Kubernetes quantities; zero amounts are left out.

namespace berth::views {

// One JSON object, ending in a line feed.
std::string write_reservation_table(const ReservationTable& table);
// One of its targets, without a line feed.
std::string reservation_text(const ReservationTable::Row& row);
// Reads such a document. An Error has file:line:column.
Result<ReservationTable> read_reservation_table(std::string text, std::string_view file);

}  // namespace berth::views
