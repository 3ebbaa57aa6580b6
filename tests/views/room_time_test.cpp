#include "views/room_time.h"

#include <gtest/gtest.h>

#include <limits>

namespace berth::views {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(RoomTime, IsRoomTimesTime) {
  RoomTimes sums;
  add(sums, {{"cpu", 1500}, {"memory", 4096}}, seconds(2));
  add(sums, {{"cpu", 500}}, milliseconds(500));
  EXPECT_EQ(format_room_time("cpu", sums["cpu"]), "3.25");
  EXPECT_EQ(format_room_time("memory", sums["memory"]), "8192");
  EXPECT_EQ(room_seconds("cpu", sums["cpu"]), 3.25);
}

TEST(RoomTime, ATimeThatRunsBackwardsCountsAsNone) {
  RoomTimes sums;
  add(sums, {{"cpu", 1500}}, seconds(-2));
  EXPECT_TRUE(sums.empty());
}

TEST(RoomTime, IsExactBeyondWhatADoubleHolds) {
  RoomTimes sums;
  add(sums, {{"memory", std::int64_t{1} << 53}}, seconds(1));
  add(sums, {{"memory", 1}}, Duration(1));
  EXPECT_EQ(format_room_time("memory", sums["memory"]), "9007199254740992.000000001");
}

TEST(RoomTime, TheMostRoomForTheLongestTimeIsHeld) {
  RoomTimes sums;
  add(sums, {{"memory", std::numeric_limits<std::int64_t>::max()}}, Duration::max());
  EXPECT_EQ(format_room_time("memory", sums["memory"]), "85070591730234615847396907784.232501249");
}

TEST(RoomTime, IsReadAsItWasWritten) {
  for (const char* text : {"0", "12.5", "0.000000000001", "85070591730234615847396.907784"}) {
    const auto time = parse_room_time("cpu", text);
    ASSERT_TRUE(time) << text;
    EXPECT_EQ(format_room_time("cpu", *time), text);
  }
  EXPECT_EQ(parse_room_time("memory", "2.5"), RoomTime{2'500'000'000});
}

TEST(RoomTime, WhatIsNoDecimalIsRefused) {
  for (const char* text :
       {"", ".", "1.", ".5", "-1", "1e3", "1.0000000001", " 1", "99999999999999999999999999999"}) {
    EXPECT_FALSE(parse_room_time("memory", text)) << text;
  }
}

}  // namespace
}  // namespace berth::views
