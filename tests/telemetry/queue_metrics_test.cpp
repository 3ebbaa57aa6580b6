#include "telemetry/queue_metrics.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "telemetry/exposition_lines.h"

namespace berth::telemetry {
namespace {

using views::QueueTable;

// q0000, q0001, ..., of which each has one cpu and two running jobs; resources cpu, memory, odd.
QueueTable table_of(int queues) {
  QueueTable table;
  table.is_divided = true;
  table.resources = {"cpu", "memory", "example.com/gone"};
  for (int i = 0; i < queues; ++i) {
    QueueTable::Row row;
    std::string number = std::to_string(i);
    row.name = "q" + std::string(4 - number.size(), '0') + number;
    row.jobs[static_cast<std::size_t>(GroupPhase::running)] = 2;
    table.rows.push_back(row);
  }
  table.clear_amounts();
  table.total = {8000, 1024, 0};
  for (std::size_t row = 0; row < table.rows.size(); ++row) table.allocated[row * 3] = 1000;
  return table;
}

TEST(QueueMetrics, AreInBaseUnits) {
  QueueTable table = table_of(1);
  table.allocated = {4500, 1024, 0};
  table.deserved = {4000, 2048, 0};
  table.guarantee = {250, 0, 0};
  table.real_capability = {8000, 4096, 0};
  table.rows[0].is_scaled = true;
  table.rows[0].used = 3600;
  const std::string text = queue_exposition(table);
  for (const char* line : {"berth_queue_allocated{queue=\"q0000\",resource=\"cpu\"} 4.5",
                           "berth_queue_allocated{queue=\"q0000\",resource=\"memory\"} 1024",
                           "berth_queue_deserved{queue=\"q0000\",resource=\"cpu\"} 4",
                           "berth_queue_lent{queue=\"q0000\",resource=\"cpu\"} 0.5",
                           "berth_queue_lent{queue=\"q0000\",resource=\"memory\"} 0",
                           "berth_queue_guarantee{queue=\"q0000\",resource=\"cpu\"} 0.25",
                           "berth_queue_real_capability{queue=\"q0000\",resource=\"memory\"} 4096",
                           "berth_queue_jobs{queue=\"q0000\",phase=\"Running\"} 2",
                           "berth_queue_jobs{queue=\"q0000\",phase=\"Pending\"} 0",
                           "berth_queue_guarantee_scaled{queue=\"q0000\"} 1",
                           "berth_queue_decayed_usage{queue=\"q0000\"} 3600",
                           "berth_queue_faulty{queue=\"q0000\"} 0"}) {
    EXPECT_TRUE(has_line(text, line)) << line << "\n" << text;
  }
  EXPECT_NE(text.find("# TYPE berth_queue_allocated gauge\n"), std::string::npos);
}

TEST(QueueMetrics, IdleRoomThatIsUselessIsApart) {
  QueueTable table = table_of(1);
  EXPECT_EQ(queue_exposition(table).find("berth_idle"), std::string::npos);
  table.idle = {{"nvidia.com/gpu", {8, 3}}};
  const std::string text = queue_exposition(table);
  EXPECT_TRUE(has_line(text, "berth_idle{resource=\"nvidia.com/gpu\"} 8")) << text;
  EXPECT_TRUE(has_line(text, "berth_idle_useless{resource=\"nvidia.com/gpu\"} 3")) << text;
}

TEST(QueueMetrics, ResourcesAreThoseThatThereAre) {
  EXPECT_EQ(queue_exposition(table_of(1)).find("example.com/gone"), std::string::npos);
}

TEST(QueueMetrics, AboveTheBoundQueuesAreSummed) {
  QueueTable table = table_of(static_cast<int>(kLabelledQueuesMax) + 3);
  table.rows.back().fault = "odd";
  const std::string text = queue_exposition(table);
  EXPECT_TRUE(has_line(text, "berth_queue_allocated{queue=\"q0199\",resource=\"cpu\"} 1"));
  EXPECT_EQ(text.find("q0200"), std::string::npos);
  EXPECT_TRUE(has_line(text, "berth_queue_allocated{queue=\"_other\",resource=\"cpu\"} 3"));
  EXPECT_TRUE(has_line(text, "berth_queue_jobs{queue=\"_other\",phase=\"Running\"} 6"));
  EXPECT_TRUE(has_line(text, "berth_queue_faulty{queue=\"_other\"} 1"));
}

TEST(QueueMetrics, AmongTheOthersNothingIsCountedTwice) {
  QueueTable table = table_of(static_cast<int>(kLabelledQueuesMax) + 3);
  const std::size_t above = kLabelledQueuesMax;  // has what the two below it have
  for (const std::size_t row : {above + 1, above + 2}) {
    table.rows[row].parent = static_cast<std::uint32_t>(above);
  }
  table.allocated[above * 3] = 2000;
  const std::string text = queue_exposition(table);
  EXPECT_TRUE(has_line(text, "berth_queue_allocated{queue=\"_other\",resource=\"cpu\"} 2"));
}

TEST(QueueMetrics, AllThatIsAllocatedIsCountedOnce) {
  QueueTable table = table_of(4);
  table.rows[3].parent = 2;
  table.allocated[2 * 3] = 1500;  // with what q0003 has
  const std::string text = queue_exposition(table);
  EXPECT_TRUE(has_line(text, "berth_allocated{resource=\"cpu\"} 3.5")) << text;
  EXPECT_TRUE(has_line(text, "berth_allocated{resource=\"memory\"} 0"));
}

TEST(QueueMetrics, OfNodesAreThoseOfQueuesThatAskForSome) {
  QueueTable table = table_of(2);
  EXPECT_EQ(queue_exposition(table).find("berth_queue_nodes"), std::string::npos);
  views::ReservedNodes& nodes = table.rows[1].reservation.emplace();
  nodes.nodes = {"n1", "n2"};
  nodes.amounts = {{"cpu", 4000, 1000, 1500, 0, 1500}, {"memory", 0, 1024, 0, 0, 0}};
  const std::string text = queue_exposition(table);
  for (const char* line :
       {"berth_queue_nodes{queue=\"q0001\"} 2", "berth_queue_nodes_met{queue=\"q0001\"} 0",
        "berth_queue_nodes_enough{queue=\"q0001\"} 1",
        "berth_queue_nodes_missing{queue=\"q0001\",resource=\"cpu\"} 1.5",
        "berth_queue_nodes_missing{queue=\"q0001\",resource=\"memory\"} 0"}) {
    EXPECT_TRUE(has_line(text, line)) << line << "\n" << text;
  }
  EXPECT_EQ(text.find("berth_queue_nodes{queue=\"q0000\""), std::string::npos);
  nodes.is_met = true;
  nodes.lacks = "no more nodes";
  EXPECT_TRUE(has_line(queue_exposition(table), "berth_queue_nodes_met{queue=\"q0001\"} 1"));
  EXPECT_TRUE(has_line(queue_exposition(table), "berth_queue_nodes_enough{queue=\"q0001\"} 0"));
}

TEST(QueueMetrics, OfNodesAboveTheBoundAreMetIfAllAre) {
  QueueTable table = table_of(static_cast<int>(kLabelledQueuesMax) + 3);
  const auto add = [&](std::size_t row, std::size_t count, bool is_met) {
    views::ReservedNodes& nodes = table.rows[row].reservation.emplace();
    nodes.nodes.assign(count, "n");
    nodes.amounts = {{"cpu", 2000, 1000, 0, 0, 1000}};
    nodes.is_met = is_met;
  };
  add(kLabelledQueuesMax, 2, true);
  add(kLabelledQueuesMax + 2, 3, false);
  const std::string text = queue_exposition(table);
  EXPECT_TRUE(has_line(text, "berth_queue_nodes{queue=\"_other\"} 5")) << text;
  EXPECT_TRUE(has_line(text, "berth_queue_nodes_met{queue=\"_other\"} 0"));
  EXPECT_TRUE(has_line(text, "berth_queue_nodes_missing{queue=\"_other\",resource=\"cpu\"} 2"));
}

TEST(QueueMetrics, WithoutSharesThereAreNone) {
  QueueTable table = table_of(1);
  table.is_divided = false;
  const std::string text = queue_exposition(table);
  EXPECT_EQ(text.find("berth_queue_deserved"), std::string::npos);
  EXPECT_NE(text.find("berth_queue_allocated"), std::string::npos);
}

}  // namespace
}  // namespace berth::telemetry
