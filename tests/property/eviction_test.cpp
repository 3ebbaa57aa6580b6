#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <variant>

#include "property/random_evictions.h"

// The laws of the actions that evict (support/eviction_laws.h), in every session of every story,
// and the fixed point that a cluster reaches. BERTH_SEED=<seed> plays one alone, BERTH_LAWS=<n>
// tries more.

namespace berth::support::eviction_test {
namespace {

constexpr std::uint64_t kSeeds = 400;
constexpr int kCycles = 6;
constexpr int kSettledAfter = 30;  // sessions, at most

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

std::string text_of(const engine::SessionConfig& config) {
  std::string text;
  for (const auto& each : config.actions) text += each.name + " ";
  for (const auto& tier : config.tiers) {
    text += "/";
    for (const auto& each : tier) text += " " + each.plugin.name;
  }
  return text;
}

struct Played {
  std::vector<NamedPlan> plans;
  std::string faults;
};

// A few evictions a minute, and a minimum run time.
void limit(engine::SessionConfig& config, std::uint64_t seed) {
  const auto of = static_cast<std::int64_t>(seed);
  config.eviction_limits = {{1 + of % 4, 0}, {1 + of % 3, 0}};
  const std::map<std::string, engine::Arguments::Entry> entries{
      {"min-run-time", {"1m", false, "test"}}};
  for (const char* action : {"preempt", "reclaim"}) {
    config.action_arguments[action] = engine::Arguments(entries);
  }
}

Played play(std::uint64_t seed, std::uint64_t order, bool may_nest, bool with_relations = false,
            bool is_limited = false) {
  RandomEvictions story(seed, may_nest, with_relations);
  engine::SessionConfig config = story.config();
  if (is_limited) limit(config, seed);
  const auto world = world_of(config);
  if (order != 0) world->shuffle_with(order);
  Played played;
  world->apply_all(story.opening());
  for (int cycle = 0; cycle < kCycles; ++cycle) {
    played.plans.push_back(world->plan());
    if (!world->faults().empty()) break;
    if (below(story.random(), 5) != 0) world->carry_out();
    world->advance(std::chrono::seconds(is_limited ? 25 : 1));
    story.happen(*world);
  }
  played.faults = joined(world->faults());
  if (!played.faults.empty()) played.faults += "actions " + text_of(config);
  return played;
}

TEST(Evictions, KeepTheirLawsInEverySessionOfEveryStory) {
  std::map<std::string, int> count;
  int broken = 0;
  for (const std::uint64_t seed : seeds(kSeeds)) {
    const Played played = play(seed, 0, true);
    EXPECT_EQ(played.faults, "") << "BERTH_SEED=" << seed;
    for (const NamedPlan& plan : played.plans) {
      for (const std::string& each : plan.evictions) {
        const std::size_t by = each.find(" by ") + 4;
        ++count[each.substr(by, each.find(' ', by) - by)];
      }
    }
    if (!played.faults.empty() && ++broken == 5) break;
  }
  for (const std::string action : {"preempt", "reclaim", "cleanup", "shuffle"}) {
    RecordProperty(action, count[action]);
  }
  if (seeds(kSeeds).size() >= kSeeds) {
    for (const std::string action : {"preempt", "reclaim", "cleanup", "shuffle"}) {
      EXPECT_GT(count[action], 0) << action;
    }
  }
}

// Nobody leaves in vain: what is promised is accepted once all have left (support/order_law.h).
TEST(Evictions, KeepTheirLawsWherePlacesDependOnOtherPods) {
  int evictions = 0;
  int broken = 0;
  for (const std::uint64_t seed : seeds_where_long(kSeeds)) {
    const Played played = play(seed, 0, true, true);
    EXPECT_EQ(played.faults, "") << "BERTH_SEED=" << seed;
    for (const NamedPlan& plan : played.plans) {
      evictions += static_cast<int>(plan.evictions.size());
    }
    if (!played.faults.empty() && ++broken == 5) break;
  }
  RecordProperty("evictions", evictions);
  if (seeds(kSeeds).size() >= kSeeds) {
    EXPECT_GT(evictions, 0);
  }
}

// LIMIT-1, LIMIT-2, RUNTIME-1: with the least limits, and both with and without a memory of the
// session before.
TEST(Evictions, KeepTheirLawsWithinLimits) {
  int used_up = 0;
  int beyond = 0;
  for (const std::uint64_t seed : seeds(kSeeds / 2)) {
    const Played played = play(seed, 0, true, false, true);
    ASSERT_EQ(played.faults, "") << "BERTH_SEED=" << seed;
    for (const NamedPlan& plan : played.plans) {
      for (const std::string& each : plan.considered) {
        used_up += each.find(" eviction_limit ") != std::string::npos ? 1 : 0;
        beyond += each.find(" evictions_beyond_limit ") != std::string::npos ? 1 : 0;
      }
    }
  }
  RecordProperty("used_up", used_up);
  RecordProperty("beyond", beyond);
  if (seeds(kSeeds).size() < kSeeds) return;
  EXPECT_GT(used_up, 0);
  EXPECT_GT(beyond, 0);
}

// Of flat queues: the order of nested ones is not total.
TEST(Evictions, DoNotDependOnTheOrderOfEvents) {
  for (const std::uint64_t seed : seeds_where_long(kSeeds / 4)) {
    const Played one = play(seed, 0, false);
    const Played other = play(seed, seed + 1'000'000, false);
    ASSERT_EQ(one.plans.size(), other.plans.size()) << "BERTH_SEED=" << seed;
    for (std::size_t p = 0; p < one.plans.size(); ++p) {
      ASSERT_EQ(one.plans[p].to_string(), other.plans[p].to_string())
          << "BERTH_SEED=" << seed << ", session " << p + 1;
    }
  }
}

// Evicted pods come back as their controllers make them: the same name, another uid, and no node.
class Life {
 public:
  Life(World& world, const std::vector<ClusterEvent>& opening) : world_(world) {
    for (const ClusterEvent& each : opening) {
      if (const auto* pod = std::get_if<PodObject>(&each)) pods_[pod->uid] = *pod;
    }
    world.apply_all(opening);
  }

  const NamedPlan& cycle() {
    const NamedPlan& plan = world_.plan();
    // A pod that leaves is gone from the next session on.
    for (const std::string& uid : leaving_) come_back(uid);
    leaving_.clear();
    for (const auto& [uid, pod] : pods_) {
      const TaskId task = world_.task(uid);
      if (task.is_valid() && world_.cluster().task(task).is_evicted) leaving_.push_back(uid);
    }
    world_.carry_out();
    world_.advance(std::chrono::seconds(1));
    return plan;
  }

 private:
  void come_back(const std::string& uid) {
    PodObject pod = pods_.at(uid);
    pods_.erase(uid);
    pod.uid = pod.full_name() + "#" + std::to_string(++births_);
    pod.created = world_.now();
    pod.node_name.clear();
    pod.phase = PodPhase::pending;
    pod.started.reset();
    pods_[pod.uid] = pod;
    world_.apply(pod);
  }

  World& world_;
  std::map<std::string, PodObject> pods_;  // by uid
  std::vector<std::string> leaving_;
  int births_ = 0;
};

void expect_fixed_points(std::uint64_t most, bool with_relations) {
  std::map<int, int> sessions;
  int broken = 0;
  for (const std::uint64_t seed : seeds_where_long(most)) {
    RandomEvictions story(seed, true, with_relations);
    const engine::SessionConfig config = story.config();
    const auto world = world_of(config);
    Life life(*world, story.opening());
    int last_change = 0;
    std::string text;
    for (int cycle = 1; cycle <= kSettledAfter + 5; ++cycle) {
      const NamedPlan& plan = life.cycle();
      if (plan.changes_nothing()) continue;
      last_change = cycle;
      text += "session " + std::to_string(cycle) + "\n";
      for (const std::string& each : plan.binds) text += "  bind " + each + "\n";
      for (const std::string& each : plan.evictions) text += "  evict " + each + "\n";
    }
    ++sessions[last_change];
    EXPECT_LE(last_change, kSettledAfter) << "BERTH_SEED=" << seed << "\n"
                                          << text << text_of(config);
    EXPECT_EQ(joined(world->faults()), "") << "BERTH_SEED=" << seed << "\n" << text_of(config);
    if (testing::Test::HasFailure() && ++broken == 5) break;
  }
  std::string histogram;
  for (const auto& [last, count] : sessions) {
    histogram += std::to_string(last) + ":" + std::to_string(count) + " ";
  }
  testing::Test::RecordProperty("last session that changes anything", histogram);
  if (std::getenv("BERTH_LAWS") != nullptr) std::printf("last change: %s\n", histogram.c_str());
}

TEST(Evictions, EndInAFixedPoint) { expect_fixed_points(kSeeds / 2, false); }

TEST(Evictions, EndInAFixedPointWherePlacesDependOnOtherPods) {
  expect_fixed_points(kSeeds / 8, true);
}

}  // namespace
}  // namespace berth::support::eviction_test
