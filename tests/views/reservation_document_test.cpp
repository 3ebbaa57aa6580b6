#include "views/reservation_document.h"

#include <gtest/gtest.h>

namespace berth::views::reservation_document_test {
namespace {

constexpr std::int64_t kGi = std::int64_t{1} << 30;

TimePoint second(int s) { return TimePoint(std::chrono::seconds(s)); }

ReservationTable example() {
  ReservationTable table;
  table.at = second(500) + std::chrono::milliseconds(250);
  table.node_count = 10;
  table.total = {{"cpu", 80000}, {"memory", 320 * kGi}};
  table.rows.resize(2);
  ReservationTable::Row& big = table.rows[0];
  big.job = "ml/big";
  big.uid = "big-uid";
  big.queue = "research";
  big.priority = -7;
  big.waits_since = second(100);
  big.elected_since = second(200);
  big.why = "it asks for \"more\"";
  big.scheme = LockScheme::closest_fit;
  big.nodes = {"n1", "n2"};
  big.locked_since = second(201);
  big.is_covered = true;
  big.times_out_at = second(600);
  big.missing = {{"cpu", 2500, 16000}, {"memory", kGi, 4 * kGi}};
  big.locked = {{"cpu", 16000}, {"memory", 64 * kGi}};
  big.idle = {{"cpu", 2500}, {"memory", kGi}};
  big.held = {{"cpu", RoomTime{1'500'000'000'000}}};
  table.rows[1].job = "ml/next";
  table.rows[1].scheme = LockScheme::cluster;
  table.rows[1].gives_up_at = second(900);
  table.held = {{"memory", RoomTime{kGi} * kGi * kGi}};
  table.ended = {3, 1, 0, 0, 2};
  return table;
}

TEST(ReservationDocument, IsReadAsItWasWritten) {
  const std::string text = write_reservation_table(example());
  const auto read = read_reservation_table(text, "test");
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(*read, example()) << text;
}

TEST(ReservationDocument, HoldsQuantitiesAndExactRoomSeconds) {
  const std::string text = write_reservation_table(example());
  for (const char* part :
       {"\"lockedNodes\": 2,", "\"idle\": \"2500m\"",
        "\"idleRoomSeconds\": {\n    \"cpu\": \"1.5\"", "\"at\": \"1970-01-01T00:08:20.25Z\"",
        "\"givesUpAt\": null", "\"given-up\": 1"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_EQ(text.back(), '\n');
}

TEST(ReservationDocument, WhatIsNoSuchDocumentIsRefusedWithItsPlace) {
  const auto refused = [](const std::string& text) {
    const auto read = read_reservation_table(text, "url");
    return read ? std::string("accepted") : read.error().to_string();
  };
  EXPECT_NE(refused("{}").find("expected the document of /reservations"), std::string::npos);
  EXPECT_NE(refused("nothing").find("url:1:1"), std::string::npos);
  EXPECT_NE(refused(R"({"targets":[{}]})").find("job"), std::string::npos);
  EXPECT_NE(refused(R"({"targets":[{"job":"a","lock":"padlock"}]})").find("is no lock"),
            std::string::npos);
  EXPECT_NE(refused(R"({"targets":[],"idleRoomSeconds":{"cpu":"1e9"}})").find("is no decimal"),
            std::string::npos);
}

}  // namespace
}  // namespace berth::views::reservation_document_test
