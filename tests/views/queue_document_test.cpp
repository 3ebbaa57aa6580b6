#include "views/queue_document.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace berth::views::queue_document_test {
namespace {

QueueTable example() {
  QueueTable table;
  table.is_divided = true;
  table.resources = {"cpu", "memory"};
  table.rows.resize(2);
  table.rows[0].name = "research";
  table.rows[0].has_children = true;
  table.rows[0].weight = 3;
  table.rows[0].priority = -2;
  table.rows[0].used = 86400;
  table.rows[1].name = "vision";
  table.rows[1].parent = 0;
  table.rows[1].depth = 1;
  table.rows[1].state = QueueState::closing;
  table.rows[1].closed_above = "research";
  table.rows[1].fault = "its guarantee is \"odd\"";
  table.rows[1].is_scaled = true;
  table.rows[1].is_reclaimable = false;
  table.rows[1].is_fifo = true;
  table.rows[1].notes = {"spec.affinity is not honoured", "odd"};
  table.rows[1].jobs = {1, 2, 3, 4, 5};
  table.rows[1].groups = {0, 1, 2, 3, 4};
  table.clear_amounts();
  table.total = {8000, std::int64_t{1} << 34};
  table.written[2] = 2500;
  table.guarantee[2] = 1250;
  table.deserved[1] = std::int64_t{3} << 30;
  table.allocated[1] = 7;
  table.demand[0] = 1;
  table.real_capability[3] = 12;
  table.due[2] = 4000;
  table.piece[2] = 1000;
  return table;
}

TEST(QueueDocument, IsReadAsItWasWritten) {
  const std::string text = write_queue_table(example());
  const auto read = read_queue_table(text, "test");
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(*read, example()) << text;
}

// vision asks for amounts, research for nodes.
QueueTable with_reservations() {
  QueueTable table = example();
  ReservedNodes& vision = table.rows[1].reservation.emplace();
  vision.nodes = {"n1", "n2"};
  vision.amounts = {{"cpu", 40000, 28500, 8000, 1000, 3500},
                    {"memory", std::int64_t{1} << 30, 0, std::int64_t{1} << 30, 0, 0}};
  vision.score_millionths = 701'754;
  vision.clipped = "no node has example.com/gpu";
  ReservedNodes& research = table.rows[0].reservation.emplace();
  research.is_guaranteed = research.evicts = true;
  research.asked_nodes = 3;
  research.lacks = "no more nodes";
  return table;
}

TEST(QueueDocument, HoldsWhatQueuesHaveOfTheirNodes) {
  const std::string text = write_queue_table(with_reservations());
  const auto read = read_queue_table(text, "test");
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(*read, with_reservations()) << text;
  const auto document = nlohmann::json::parse(text);
  EXPECT_EQ(document["queues"][1]["reservation"],
            nlohmann::json::parse(R"({"policy": "Best-Effort", "evicts": false,
                "asked": {"resource": {"cpu": "40", "memory": "1Gi"}}, "nodes": ["n1", "n2"],
                "amounts": [{"resource": "cpu", "asked": "40", "idle": "28500m", "own": "8",
                             "leaving": "1", "missing": "3500m"},
                            {"resource": "memory", "asked": "1Gi", "idle": "0", "own": "1Gi",
                             "leaving": "0", "missing": "0"}],
                "met": false, "missing": {"cpu": "3500m"}, "score": 0.701754, "lacks": "",
                "clipped": "no node has example.com/gpu"})"));
  EXPECT_EQ(document["queues"][0]["reservation"]["asked"], (nlohmann::json{{"nodes", 3}}));
  EXPECT_EQ(document["queues"][0]["reservation"]["policy"], "Guaranteed");
  EXPECT_TRUE(
      nlohmann::json::parse(write_queue_table(example()))["queues"][0]["reservation"].is_null());
}

TEST(QueueDocument, HoldsQuantitiesAndNoZeros) {
  const std::string text = write_queue_table(example());
  EXPECT_NE(text.find("\"guaranteeInSpec\": {\n    \"cpu\": \"2500m\"\n   }"), std::string::npos)
      << text;
  EXPECT_NE(text.find("\"memory\": \"3Gi\""), std::string::npos);
  EXPECT_EQ(text.find("\"0\""), std::string::npos);
  EXPECT_EQ(text.back(), '\n');
}

TEST(QueueDocument, WhatIsNoSuchDocumentIsRefusedWithItsPlace) {
  const auto refused = [](const std::string& text) {
    const auto read = read_queue_table(text, "url");
    return read ? std::string("accepted") : read.error().to_string();
  };
  EXPECT_NE(refused("{}").find("expected the document of /queues"), std::string::npos);
  EXPECT_NE(refused("nothing").find("url:1:1"), std::string::npos) << refused("nothing");
  EXPECT_NE(refused(R"({"queues":[{"queue":"a","parent":"b"}]})").find("no queue listed before"),
            std::string::npos);
  EXPECT_NE(refused(R"({"queues":[{"queue":"a","weight":"x"}]})").find("weight"),
            std::string::npos);
  EXPECT_NE(refused(R"({"queues":[{}]})").find("queue"), std::string::npos);
  EXPECT_NE(refused(R"({"queues":[{"queue":"a","reservation":{"score":2}}]})").find("from 0 to 1"),
            std::string::npos);
  EXPECT_NE(refused(R"({"queues":[{"queue":"a","reservation":{"amounts":[{"resource":"cpu",)"
                    R"("idle":"x"}]}}]})")
                .find("idle"),
            std::string::npos);
}

}  // namespace
}  // namespace berth::views::queue_document_test
