#include "world/world.h"

#include <gtest/gtest.h>

#include <random>

#include "support/seeds.h"

// docs/contributing.md says how to run more of them.

namespace berth::world {
namespace {

void expect_laws(const Setup& setup) {
  const Outcome outcome = run(setup);
  for (const std::string& each : outcome.broken) {
    ADD_FAILURE() << "seed " << setup.seed << " (" << outcome.faults << "): " << each;
  }
  EXPECT_EQ(outcome.jobs, setup.jobs) << "seed " << setup.seed;
}

TEST(World, KeepsItsLawsWithoutFaults) {
  for (const std::uint64_t seed : support::seeds_where_long(2)) {
    expect_laws({.seed = seed, .faulty = 12min, .faults = Faults()});
  }
}

TEST(World, KeepsItsLawsWhateverGoesWrong) {
  for (const std::uint64_t seed : support::seeds_where_long(5)) expect_laws({.seed = seed});
}

// Other ones in each run. A failure names its seed.
TEST(World, KeepsItsLawsWithFreshSeeds) {
  std::random_device dice;
  for (int i = 0; i < 3; ++i) {
    expect_laws({.seed = 1'000'000 + dice(), .jobs = 15, .faulty = 4min});
  }
}

// Tables of berthd are bounded by what is there (BOUND-7).
TEST(World, KeepsNothingOfWhatIsGone) {
  expect_laws({.seed = 3, .jobs = 15, .faulty = 4min, .weighs = true});
}

TEST(World, TheSameSeedGivesTheSameLog) {
  const world::Setup setup = {.seed = 7, .jobs = 15, .faulty = 4min};
  const Outcome first = run(setup);
  const Outcome second = run(setup);
  EXPECT_EQ(first.digest, second.digest);
  EXPECT_EQ(first.steps, second.steps);
}

// Jobs that come at the last moment have no time to run.
TEST(World, AJobThatHasNotRunIsReported) {
  const Outcome outcome =
      run({.seed = 1, .jobs = 3, .faulty = 1s, .quiet = 1s, .faults = Faults()});
  ASSERT_FALSE(outcome.broken.empty());
  EXPECT_NE(outcome.broken.front().find("has not run"), std::string::npos);
}

}  // namespace
}  // namespace berth::world
