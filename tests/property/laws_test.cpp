#include <gtest/gtest.h>

#include "property/random_cluster.h"

// Laws that hold for every cluster. World checks after each session: no node over-allocated, no
// gang partly bound, nothing left that could start, a reason for each job that waits, no trace of
// the session, a scheduler without memory decides the same (support/laws.h). A seed that fails is
// printed; BERTH_SEED=<seed> runs it alone, BERTH_LAWS=<n> tries more.

namespace berth::support::laws_test {
namespace {

constexpr std::uint64_t kSeeds = 300;
constexpr int kCycles = 6;

std::unique_ptr<World> world_of(const engine::SessionConfig& config) {
  auto world = World::create(config);
  EXPECT_TRUE(world) << world.error().to_string();
  return std::move(world).value();
}

std::string joined(const std::vector<std::string>& faults) {
  std::string text;
  for (const std::string& fault : faults) text += "  " + fault + "\n";
  return text;
}

// The plans of one story, with events in another order or in the same.
std::vector<NamedPlan> plans_of(std::uint64_t seed, std::uint64_t order, std::string& faults) {
  RandomStory story(seed);
  const auto world = world_of(story.config());
  if (order != 0) world->shuffle_with(order);
  std::vector<NamedPlan> plans;
  world->apply_all(story.opening());
  for (int cycle = 0; cycle < kCycles; ++cycle) {
    plans.push_back(world->plan());
    if (below(story.random(), 4) != 0) world->carry_out();
    world->advance(std::chrono::seconds(1));
    story.happen(*world);
  }
  faults = joined(world->faults());
  return plans;
}

TEST(Laws, HoldInEverySessionOfEveryStory) {
  std::size_t placed = 0;
  for (const std::uint64_t seed : seeds_where_long(kSeeds)) {
    std::string faults;
    for (const NamedPlan& plan : plans_of(seed, 0, faults)) placed += plan.binds.size();
    ASSERT_EQ(faults, "") << "BERTH_SEED=" << seed;
  }
  EXPECT_GT(placed, 0u);
}

TEST(Laws, PlansDoNotDependOnTheOrderOfEvents) {
  for (const std::uint64_t seed : seeds_where_long(kSeeds)) {
    std::string faults;
    const auto plans = plans_of(seed, 0, faults);
    const auto others = plans_of(seed, seed + 1'000'000, faults);
    for (std::size_t p = 0; p < plans.size(); ++p) {
      ASSERT_EQ(plans[p].to_string(), others[p].to_string())
          << "BERTH_SEED=" << seed << ", session " << p + 1;
    }
  }
}

TEST(Laws, TheSameStoryGivesTheSamePlans) {
  for (const std::uint64_t seed : seeds_where_long(kSeeds / 10)) {
    std::string faults;
    EXPECT_EQ(plans_of(seed, 0, faults), plans_of(seed, 0, faults)) << "BERTH_SEED=" << seed;
  }
}

TEST(Laws, ASettledClusterStaysSettled) {
  for (const std::uint64_t seed : seeds_where_long(kSeeds)) {
    RandomStory story(seed);
    const engine::SessionConfig config = story.config();
    // The targets change with time.
    if (config.actions.front().name == "elect" || config.actions[1].name == "elect") continue;
    const auto world = world_of(config);
    world->apply_all(story.opening());
    // A session takes up the claims of the one before it first.
    NamedPlan settled;
    for (int cycles = 0;
         settled.pipelined != world->run().pipelined || !world->last_plan().changes_nothing();) {
      settled = world->last_plan();
      world->advance(std::chrono::seconds(5));  // nodes of queues are chosen this often
      ASSERT_LT(++cycles, 20) << "BERTH_SEED=" << seed;
    }
    settled = world->last_plan();
    for (int again = 0; again < 5; ++again) {
      world->advance(std::chrono::seconds(1));
      ASSERT_EQ(world->run().to_string(), settled.to_string()) << "BERTH_SEED=" << seed;
    }
  }
}

}  // namespace
}  // namespace berth::support::laws_test
