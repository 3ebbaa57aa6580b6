#include "views/reservations_text.h"

#include <gtest/gtest.h>

#include "support/objects.h"

namespace berth::views::reservations_text_test {
namespace {

constexpr RoomTime kSecond = 1'000'000'000;

ReservationTable example() {
  ReservationTable table;
  table.at = second(400);
  table.node_count = 10;
  table.rows.resize(1);
  ReservationTable::Row& row = table.rows[0];
  row.job = "ml/big";
  row.queue = "research";
  row.waits_since = second(70);
  row.elected_since = second(90) + std::chrono::milliseconds(250);
  row.why = "it has waited longest";
  row.nodes = {"n1", "n2"};
  row.is_covered = true;
  row.times_out_at = second(690);
  row.missing = {{"cpu", 12000, 16000}};
  row.locked = {{"cpu", 16000}, {"memory", 64 * kGi}, {"pods", 220}};
  row.idle = {{"cpu", 12000}, {"memory", 16 * kGi}, {"pods", 216}};
  row.held = {{"cpu", 1500 * kSecond}, {"memory", 40 * kGi * kSecond}, {"pods", kSecond}};
  table.held = {{"cpu", 4'800'000 * kSecond}};
  table.ended = {3, 1, 0, 0, 0};
  return table;
}

TEST(ReservationsText, ShowsEachTargetAndTheCosts) {
  EXPECT_EQ(reservations_text(example(), {}),
            R"(TARGET  QUEUE     PRIORITY  WAITS  LOCK        NODES    IDLE OF ITS NEED
ml/big  research  0         5m30s  multi-node  2 of 10  12 of 16 cpu

ml/big
  target       since 1970-01-01T00:01:30Z: it has waited longest
  kept for it  n1, n2 (lock multi-node)
  idle there   12 of 16 cpu
  waits for    pods there to finish
  if not       every usable node is kept for it from 1970-01-01T00:11:30Z
  idle so far  1.5 cpu-seconds, 40Gi memory-seconds

2 of 10 nodes are locked; idle on them: 12 of 16 cpu, 16Gi of 64Gi memory
idle on locked nodes so far: 4800 cpu-seconds; ended reservations: 3 started, 1 given-up
)");
}

TEST(ReservationsText, WithoutTargetsItSaysSo) {
  EXPECT_EQ(reservations_text({}, {}),
            "no node is kept for a job\nidle on locked nodes so far: nothing; ended "
            "reservations: none\n");
}

TEST(ReservationsText, SaysWhenItsNodesAreNotEnough) {
  ReservationTable table = example();
  table.rows[0].is_covered = false;
  const std::string text = reservations_text(table, {});
  EXPECT_NE(text.find("more nodes: it would not fit on these even after other pods end"),
            std::string::npos)
      << text;
}

TEST(ReservationsText, NothingInANameSteersATerminal) {
  ReservationTable table = example();
  table.rows[0].why = table.rows[0].job = "ml/\x1b[2J";
  EXPECT_EQ(reservations_text(table, {}).find('\x1b'), std::string::npos);
}

TEST(ReservationsText, ShowsRoomTimesOfManyNodesAndDays) {
  const RoomTime exbibyte_year = RoomTime{1} << 60 << 25;
  EXPECT_EQ(held_text({{"memory", exbibyte_year * kSecond}}), "36028797018963968Gi memory-seconds");
  EXPECT_EQ(held_text({{"memory", kSecond}}), "nothing") << "less than one Gi";
}

}  // namespace
}  // namespace berth::views::reservations_text_test
