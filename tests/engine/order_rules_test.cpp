#include <gtest/gtest.h>

#include "engine/scheduler.h"
#include "support/stage.h"

// Rows 0.33 to 0.35 and 0.39: which orders of actions work, and the message for the others.

namespace berth::engine {
namespace {

std::string refusal_of(const std::string& actions, const std::string& tiers) {
  const Result<Scheduler> scheduler = Scheduler::create(support::config_of(actions, tiers));
  return scheduler ? "" : scheduler.error().message;
}

constexpr const char* kTiers = "priority gang conformance reservation / predicates nodeorder";

TEST(OrderRules, accept_both_orders_of_the_seed) {
  EXPECT_EQ(refusal_of("enqueue elect allocate backfill reserve", kTiers), "");
  EXPECT_EQ(refusal_of("elect enqueue reserve allocate", kTiers), "");
  EXPECT_EQ(refusal_of("elect enqueue reserve allocate backfill", kTiers), "");
  EXPECT_EQ(refusal_of("enqueue elect allocate reserve backfill", kTiers), "");
  EXPECT_EQ(refusal_of("enqueue allocate backfill", kTiers), "");
}

// ORDER-1
TEST(OrderRules, want_elect_and_reserve_together) {
  EXPECT_EQ(refusal_of("elect allocate", kTiers),
            "actions: \"elect\" without \"reserve\" keeps nothing for the target (rule Y1)");
  EXPECT_EQ(refusal_of("allocate reserve", kTiers),
            "actions: \"reserve\" without \"elect\" has nobody to reserve for (rule Y1)");
}

// ORDER-2
TEST(OrderRules, want_the_plugin) {
  EXPECT_EQ(
      refusal_of("elect reserve allocate", "priority gang / predicates"),
      "actions: \"elect\" and \"reserve\" need the plugin \"reservation\" in a tier (rule Y2)");
}

// ORDER-3
TEST(OrderRules, want_elect_before_who_places) {
  EXPECT_EQ(refusal_of("enqueue allocate elect reserve", kTiers),
            "actions: \"elect\" after \"allocate\", expected before it: others would take in this "
            "session what the target could have (rule Y3)");
  EXPECT_NE(refusal_of("backfill elect reserve allocate", kTiers).find("rule Y3"),
            std::string::npos);
}

// ORDER-4
TEST(OrderRules, want_elect_before_reserve) {
  EXPECT_EQ(refusal_of("reserve elect allocate", kTiers),
            "actions: \"reserve\" before \"elect\", expected after it: nodes would be locked a "
            "session late (rule Y4)");
}

TEST(OrderRules, say_where) {
  const Result<Scheduler> scheduler =
      Scheduler::create(support::config_of("elect allocate", kTiers));
  ASSERT_FALSE(scheduler);
  EXPECT_EQ(scheduler.error().where, "test");
}

TEST(ReservationArguments, are_checked) {
  const auto complaint = [](const std::string& argument) {
    return refusal_of("elect reserve allocate", "gang reservation(" + argument + ")");
  };
  EXPECT_EQ(complaint("lock=node"),
            "argument \"lock\" is \"node\"; expected cluster or multi-node or single-node or "
            "closest-fit");
  EXPECT_EQ(
      complaint("nodes=0"),
      "argument \"nodes\" is \"0\"; expected a whole number from 1 to 1000000, or a part from "
      "1% to 100%");
  EXPECT_NE(complaint("nodes=101%"), "");
  EXPECT_EQ(complaint("nodes=20%"), "");
  EXPECT_NE(complaint("nodes=%"), "");
  EXPECT_NE(complaint("max-locked-nodes=0"), "");
  EXPECT_NE(complaint("max-locked-nodes=1.1"), "");
  EXPECT_EQ(complaint("max-locked-nodes=0.25"), "");
  EXPECT_EQ(complaint("unbounded-after=12h"), "");
  EXPECT_NE(complaint("unbounded-after=-1h"), "");
  EXPECT_NE(complaint("targets=0"), "");
  EXPECT_EQ(
      complaint("request-line=cpu"),
      "argument \"request-line\" is \"cpu\"; expected resources, each once, with amounts above "
      "0: cpu=64,nvidia.com/gpu=8");
  EXPECT_NE(complaint("request-line=cpu=-1"), "");
  EXPECT_EQ(complaint("request-line=nvidia.com/gpu=8"), "");
  EXPECT_NE(complaint("wait-line=0s"), "");
  EXPECT_NE(complaint("give-up=never"), "");
  EXPECT_NE(complaint("nodez=3").find("did you mean \"nodes\""), std::string::npos);
}

}  // namespace
}  // namespace berth::engine
