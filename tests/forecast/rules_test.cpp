#include "forecast/rules.h"

#include <gtest/gtest.h>

#include "berth/engine/points.h"
#include "berth/engine/registry.h"

namespace berth::forecast {
namespace {

Rules rules_from(const std::string& text) {
  const conf::KnownNames known{engine::action_names(), engine::plugin_names(),
                               engine::points::names()};
  return rules_of(conf::load_config(text, "test", known).value());
}

TEST(Rules, AreThoseOfReservationAndBackfill) {
  const Rules rules = rules_from(
      "actions: \"elect, reserve, allocate, backfill\"\n"
      "configurations: [{name: backfill, arguments: {behind: conservative, trust: enforced}}]\n"
      "tiers: [{plugins: [{name: gang}, {name: reservation, arguments: {wait-duration: 30m,"
      " targets: 3, max-locked-nodes: 0.25, unbounded-after: 6h, give-up: 2h}}]}]\n");
  EXPECT_EQ(rules.behind, Rules::Behind::conservative);
  EXPECT_EQ(rules.trust, LimitTrust::enforced);
  EXPECT_EQ(rules.target_after, std::chrono::minutes(30));
  EXPECT_EQ(rules.targets, 3U);
  EXPECT_EQ(rules.most_nodes, 0.25);
  EXPECT_EQ(rules.unbounded_after, std::chrono::hours(6));
  EXPECT_EQ(rules.give_up, std::chrono::hours(2));
}

TEST(Rules, HaveNoTargetsWithoutElections) {
  const Rules rules = rules_from(
      "actions: \"allocate, backfill\"\n"
      "tiers: [{plugins: [{name: gang}, {name: reservation}]}]\n");
  EXPECT_EQ(rules.target_after, Duration::max());
  EXPECT_EQ(rules.behind, Rules::Behind::off);
}

TEST(Rules, ForgetBackfillThatIsNotAmongTheActions) {
  const Rules rules = rules_from(
      "actions: \"allocate\"\n"
      "configurations: [{name: backfill, arguments: {behind: easy}}]\n"
      "tiers: [{plugins: [{name: gang}]}]\n");
  EXPECT_EQ(rules.behind, Rules::Behind::off);
}

}  // namespace
}  // namespace berth::forecast
