#include "telemetry/reservation_metrics.h"

#include <gtest/gtest.h>

#include "telemetry/exposition_lines.h"

namespace berth::telemetry {
namespace {

using views::ReservationTable;

ReservationTable table_of_one() {
  ReservationTable table;
  table.at = TimePoint(std::chrono::seconds(100));
  table.total = {{"cpu", 24000}, {"memory", 4096}};
  table.rows.resize(1);
  table.rows[0].job = "ml/big";
  table.rows[0].waits_since = TimePoint(std::chrono::milliseconds(59'500));
  table.rows[0].nodes = {"n1", "n2"};
  table.rows[0].locked = {{"cpu", 16000}, {"memory", 2048}};
  table.rows[0].idle = {{"cpu", 2500}};
  table.held = {{"cpu", views::RoomTime{7'250'000} * 1'000'000}};
  table.ended = {4, 1, 0, 0, 0};
  return table;
}

TEST(ReservationMetrics, AreInBaseUnits) {
  const std::string text = reservation_exposition(table_of_one());
  for (const char* line :
       {"berth_targets 1", "berth_locked_nodes 2", "berth_locked_room{resource=\"cpu\"} 16",
        "berth_locked_room{resource=\"memory\"} 2048",
        "berth_locked_idle_room{resource=\"cpu\"} 2.5",
        "berth_target_wait_seconds{job=\"ml/big\"} 40.5",
        "berth_locked_idle_seconds_total{resource=\"cpu\"} 7.25",
        "berth_reservations_ended_total{how=\"started\"} 4",
        "berth_reservations_ended_total{how=\"given-up\"} 1"}) {
    EXPECT_TRUE(has_line(text, line)) << line << "\n" << text;
  }
  EXPECT_TRUE(has_line(text, "# TYPE berth_locked_idle_room gauge"));
  EXPECT_TRUE(has_line(text, "# TYPE berth_locked_idle_seconds_total counter"));
}

TEST(ReservationMetrics, WhatIsNothingIsZero) {
  ReservationTable table;
  table.total = {{"cpu", 24000}};
  const std::string text = reservation_exposition(table);
  for (const char* line :
       {"berth_targets 0", "berth_locked_nodes 0", "berth_locked_room{resource=\"cpu\"} 0",
        "berth_locked_idle_room{resource=\"cpu\"} 0",
        "berth_locked_idle_seconds_total{resource=\"cpu\"} 0",
        "berth_reservations_ended_total{how=\"displaced\"} 0",
        "berth_reservations_ended_total{how=\"withdrawn\"} 0",
        "berth_reservations_ended_total{how=\"too-many\"} 0"}) {
    EXPECT_TRUE(has_line(text, line)) << line << "\n" << text;
  }
  EXPECT_EQ(text.find("berth_target_wait_seconds{"), std::string::npos);
}

}  // namespace
}  // namespace berth::telemetry
