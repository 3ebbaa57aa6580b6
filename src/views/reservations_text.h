#pragma once

#include <string>
#include <vector>

#include "views/reservation_table.h"
#include "views/text_table.h"

namespace berth::views {

// The missing amounts of a target on its nodes: "12 of 16 cpu, 1Gi of 4Gi memory"; empty: none.
std::string missing_text(const ReservationTable::Row& row);

// "4800 cpu-seconds, 2560Gi memory-seconds", rounded down; "nothing".
std::string held_text(const RoomTimes& held);

// A label and a text about a target: "kept for it", "n1, n2".
struct TargetLine {
  std::string what;
  std::string text;
};
// The election and its reason, the nodes, the missing amounts, and the waiting time.
std::vector<TargetLine> target_lines(const ReservationTable::Row& row);

// For people: the targets, their reasons, their missing amounts, and the cost.
std::string reservations_text(const ReservationTable& table, const TextStyle& style);

}  // namespace berth::views
