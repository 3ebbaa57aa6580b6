#include "engine/scheduler.h"

#include <gtest/gtest.h>

#include "support/stage.h"

namespace berth::engine {
namespace {

std::string refusal(const std::string& actions, const std::string& tiers) {
  const auto scheduler = Scheduler::create(support::config_of(actions, tiers));
  return scheduler ? "" : scheduler.error().to_string();
}

TEST(SchedulerTest, RefusesUnknownNamesAndSaysWhatWasMeant) {
  EXPECT_EQ(refusal("enqueue allocate backfill", "priority gang"), "");
  EXPECT_EQ(refusal("alocate", "gang"),
            "test: unknown action \"alocate\"; did you mean \"allocate\"?");
  EXPECT_EQ(refusal("allocate", "gagn"), "test: unknown plugin \"gagn\"; did you mean \"gang\"?");
  EXPECT_EQ(refusal("allocate", "gang(!jobOrdr)"),
            "test: unknown extension point \"jobOrdr\"; did you mean \"jobOrder\"?");
  EXPECT_EQ(refusal("allocate", "overcommit(overcommit-facter=1.5)"),
            "test: unknown argument \"overcommit-facter\"; did you mean \"overcommit-factor\"?");
}

TEST(SchedulerTest, RefusesArgumentsOutOfTheirRange) {
  EXPECT_NE(refusal("allocate", "overcommit(overcommit-factor=0.9)").find("from 1 to 1000"),
            std::string::npos);
  EXPECT_NE(refusal("allocate", "binpack(binpack.weight=-1)").find("from 0 to 1000"),
            std::string::npos);
  EXPECT_NE(refusal("allocate", "example(example.reverse=maybe)").find("true or false"),
            std::string::npos);
  EXPECT_NE(refusal("allocate", "gang(x=1)"), "");
}

TEST(SchedulerTest, LeavesOutADisabledPoint) {
  const std::string scene = "node n1 cpu=2\njob a min=3\ntask a/0..2 cpu=1\n";
  const auto strict = support::stage(scene, support::config_of("allocate", "gang predicates"));
  EXPECT_EQ(strict->plan().binds.size(), 0u);
  const auto loose =
      support::stage(scene, support::config_of("allocate", "gang(!jobReady) predicates"));
  EXPECT_EQ(loose->plan().binds.size(), 2u);
}

TEST(SchedulerTest, NotifiesTheObserverOfEachAction) {
  struct Observer final : SessionObserver {
    std::vector<std::string> actions;
    void action_done(std::string_view action, std::chrono::nanoseconds) override {
      actions.emplace_back(action);
    }
  } observer;
  auto scheduler = Scheduler::create(support::default_session_config());
  ASSERT_TRUE(scheduler);
  mirror::Mirror mirror;
  mirror.settle(TimePoint());
  static_cast<void>(scheduler->run(mirror.cluster_for_session(), TimePoint(), &observer));
  EXPECT_EQ(observer.actions, (std::vector<std::string>{"enqueue", "allocate", "backfill"}));
}

// CLAIM-6
TEST(SchedulerTest, TheConfigurationSaysHowLongClaimsStand) {
  SessionConfig config = support::default_session_config();
  config.claim_patience = std::chrono::seconds(30);
  const auto world = support::stage(
      "node n1 cpu=2\npod old unmanaged cpu=1 on=n1 terminating\n"
      "job a min=2\ntask a/0..1 cpu=1\n",
      config);
  const auto claims = [&] {
    world->plan();
    return world->cluster().job(world->job("default/a")).claims.size();
  };
  EXPECT_EQ(claims(), 2u);
  world->advance(std::chrono::seconds(29));
  EXPECT_EQ(claims(), 2u);
  world->advance(std::chrono::seconds(1));
  EXPECT_EQ(claims(), 0u);
}

}  // namespace
}  // namespace berth::engine
