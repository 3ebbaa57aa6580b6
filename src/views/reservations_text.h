#pragma once

#include <string>
#include <vector>

#include "views/reservation_table.h"

namespace berth::views {

// Of what a target still waits for on its nodes: "12 of 16 cpu, 1Gi of 4Gi memory"; empty: nothing.
std::string missing_text(const ReservationTable::Row& row);

// "4800 cpu-seconds, 2560Gi memory-seconds", cut off; "nothing".
std::string held_text(const RoomTimes& held);

// A word on a target: "kept for it", "n1, n2".
struct TargetLine {
  std::string what;
  std::string text;
};
// Since when it is one and why, its nodes, what it waits for and how long.
std::vector<TargetLine> target_lines(const ReservationTable::Row& row);

// For people: the targets, why they are, what they wait for, and what that costs.
std::string reservations_text(const ReservationTable& table, bool bold_headings);

}  // namespace berth::views
