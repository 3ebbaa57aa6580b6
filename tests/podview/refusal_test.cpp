#include "podview/refusal.h"

#include <gtest/gtest.h>

namespace berth::podview {
namespace {

TEST(RefusalTest, VIEW9ThePatchOfAFailedAttemptIsARefusal) {
  const auto refusal = refusal_in(
      R"({"status":{"$setElementOrder/conditions":[{"type":"PodScheduled"}],"conditions":[)"
      R"({"type":"Ready","status":"False"},{"lastProbeTime":null,"message":"0/3 nodes \"fit\"",)"
      R"("reason":"Unschedulable","status":"False","type":"PodScheduled"}],)"
      R"("nominatedNodeName":null}})");
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->reason, "Unschedulable");
  EXPECT_EQ(refusal->message, "0/3 nodes \"fit\"");
}

TEST(RefusalTest, VIEW9OtherPatchesAreNone) {
  for (const char* patch : {
           R"({"status":{"nominatedNodeName":"n1"}})",
           R"({"status":{"conditions":[{"type":"PodScheduled","status":"True"}]}})",
           R"({"status":{"conditions":[{"type":"Ready","status":"False"}]}})",
           R"({"status":{"conditions":{"type":"PodScheduled","status":"False"}}})",
           R"({"status":[],"conditions":[]})",
           R"({"status":{"conditions":[null,7,"PodScheduled",[]]}})",
           R"([{"status":{}}])",
           R"({"status":{"conditions":[{"type":"PodScheduled","status":"False"})",
           "null",
           "",
           "\xff\xfe",
       }) {
    EXPECT_FALSE(refusal_in(patch)) << patch;
  }
}

TEST(RefusalTest, TextsOfOtherTypesAreEmpty) {
  const auto refusal = refusal_in(
      R"({"status":{"conditions":[{"type":"PodScheduled","status":"False","message":7}]}})");
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->message, "");
  EXPECT_EQ(refusal->reason, "");
}

TEST(RefusalTest, DeepNestingDoesNoHarm) {
  EXPECT_FALSE(refusal_in(std::string(1'000'000, '[')));
  EXPECT_FALSE(refusal_in(std::string(500'000, '[') + std::string(500'000, ']')));
}

}  // namespace
}  // namespace berth::podview
