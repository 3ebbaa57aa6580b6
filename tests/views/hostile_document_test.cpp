// Pages of something else than berthd, as `berth queues` and `berth reservations` may get them.
#include <gtest/gtest.h>

#include "support/damage.h"
#include "support/seeds.h"
#include "views/queue_document.h"
#include "views/reservation_document.h"

namespace berth::views {
namespace {

std::string page_of_queues() {
  QueueTable table;
  table.is_divided = true;
  table.resources = {"cpu", "memory"};
  table.rows.resize(2);
  table.rows[0].name = "research";
  table.rows[0].has_children = true;
  table.rows[1].name = "vision";
  table.rows[1].parent = 0;
  table.rows[1].depth = 1;
  table.rows[1].notes = {"odd"};
  ReservedNodes& reserved = table.rows[1].reservation.emplace();
  reserved.nodes = {"n1", "n2"};
  reserved.amounts = {{"cpu", 40000, 28500, 8000, 1000, 3500}};
  reserved.score_millionths = 701'754;
  table.clear_amounts();
  table.total = {8000, 1 << 30};
  table.guarantee[2] = 1250;
  return write_queue_table(table);
}

std::string page_of_reservations() {
  ReservationTable table;
  table.node_count = 10;
  table.total = {{"cpu", 80000}};
  table.rows.resize(1);
  ReservationTable::Row& row = table.rows[0];
  row.job = "ml/big";
  row.nodes = {"n1"};
  row.locked_since = TimePoint(std::chrono::seconds(201));
  row.missing = {{"cpu", 2500, 16000}};
  row.held = {{"cpu", RoomTime{1'500'000'000'000}}};
  table.held = {{"memory", RoomTime{1} << 80}};
  return write_reservation_table(table);
}

TEST(HostileDocument, OfQueuesIsReadOrRefused) {
  const std::string page = page_of_queues();
  ASSERT_TRUE(read_queue_table(page, "page"));
  for (const std::uint64_t seed : support::seeds(2'000)) {
    SCOPED_TRACE("BERTH_SEED=" + std::to_string(seed));
    const auto table = read_queue_table(support::Damage(seed).of(page), "page");
    ASSERT_TRUE(table || !table.error().message.empty());
    if (table) (void)write_queue_table(*table);
  }
}

TEST(HostileDocument, OfReservationsIsReadOrRefused) {
  const std::string page = page_of_reservations();
  ASSERT_TRUE(read_reservation_table(page, "page"));
  for (const std::uint64_t seed : support::seeds(2'000)) {
    SCOPED_TRACE("BERTH_SEED=" + std::to_string(seed));
    const auto table = read_reservation_table(support::Damage(seed).of(page), "page");
    ASSERT_TRUE(table || !table.error().message.empty());
    if (table) (void)write_reservation_table(*table);
  }
}

}  // namespace
}  // namespace berth::views
