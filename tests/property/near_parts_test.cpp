#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "property/one_gang.h"
#include "support/seeds.h"
#include "support/world.h"

// Gangs of parts that must be in one rack each: the parts are unlike, or others have to leave for
// them. All ways to divide the parts among the racks are tried. BERTH_SEED=<seed> plays one alone,
// BERTH_LAWS=<n> tries more.

namespace berth::support::near_parts_test {
namespace {

constexpr std::uint64_t kSeeds = 1500;

struct Problem {
  std::vector<int> rooms;   // of the racks, of one node each, in cpu
  std::vector<int> blocks;  // of the racks, of one block together
  bool is_in_block = false;
  std::size_t part_size = 2;
  std::vector<int> pods;  // cpu
  bool is_full = false;   // of pods of a lower priority

  std::vector<int> parts() const {
    std::vector<int> sums(pods.size() / part_size, 0);
    for (std::size_t i = 0; i < pods.size(); ++i) sums[i / part_size] += pods[i];
    return sums;
  }
};

Problem make(std::uint64_t seed, bool is_full) {
  Random random(seed * 6151 + 11);
  const auto between = [&](int least, int most) {
    return least + static_cast<int>(below(random, static_cast<std::size_t>(most - least + 1)));
  };
  Problem problem;
  problem.is_full = is_full;
  problem.is_in_block = between(0, 1) == 1;
  for (int racks = between(2, 5); racks > 0; --racks) {
    problem.rooms.push_back(between(2, 10));
    problem.blocks.push_back(between(0, 1));
  }
  problem.part_size = static_cast<std::size_t>(between(2, 3));
  const std::size_t pods = problem.part_size * static_cast<std::size_t>(between(2, 4));
  for (std::size_t i = 0; i < pods; ++i) problem.pods.push_back(is_full ? 1 : between(1, 3));
  return problem;
}

bool do_fit(std::vector<int>& rooms, const std::vector<int>& parts, std::size_t next) {
  if (next == parts.size()) return true;
  for (int& room : rooms) {
    if (room < parts[next]) continue;
    room -= parts[next];
    const bool fit = do_fit(rooms, parts, next + 1);
    room += parts[next];
    if (fit) return true;
  }
  return false;
}

bool is_feasible(const Problem& problem) {
  if (!problem.is_in_block) {
    std::vector<int> rooms = problem.rooms;
    return do_fit(rooms, problem.parts(), 0);
  }
  for (const int block : {0, 1}) {
    std::vector<int> rooms;
    for (std::size_t r = 0; r < problem.rooms.size(); ++r) {
      if (problem.blocks[r] == block) rooms.push_back(problem.rooms[r]);
    }
    if (do_fit(rooms, problem.parts(), 0)) return true;
  }
  return false;
}

std::string name_of(std::size_t rack) { return "r" + std::to_string(rack); }

void bring_racks(const Problem& problem, mirror::Mirror& mirror) {
  LevelsObject levels;
  levels.name = "t";
  levels.levels = {{"block"}, {"rack"}};
  mirror.apply(TopologyObject{levels});
  for (std::size_t r = 0; r < problem.rooms.size(); ++r) {
    NodeObject node;
    node.name = node.uid = name_of(r);
    node.labels = {{"block", std::to_string(problem.blocks[r])}, {"rack", name_of(r)}};
    node.allocatable = {{"cpu", problem.rooms[r] * 1000}, {"pods", 110}};
    mirror.apply(node);
    if (!problem.is_full) continue;
    PodObject pod;
    pod.name_space = "default";
    pod.name = pod.uid = "running-" + name_of(r);
    pod.scheduler_name = "berth";
    pod.priority = -1;
    pod.node_name = node.name;
    pod.phase = PodPhase::running;
    pod.request = {{"cpu", problem.rooms[r] * 1000}, {"pods", 1}};
    mirror.apply(pod);
  }
}

// The rack of each pod. Empty: they have no place, and get none from others that leave.
std::vector<std::string> racks_of_pods(const engine::SessionConfig& config,
                                       const Problem& problem) {
  mirror::Mirror mirror;
  bring_racks(problem, mirror);
  TopologyWish wish;
  if (problem.is_in_block) wish.rules.push_back({.written = "all", .required = {.name = "block"}});
  wish.rules.push_back({.written = "parts",
                        .required = {.name = "rack"},
                        .part_size = static_cast<std::int32_t>(problem.part_size)});
  tidy_up(wish);
  std::vector<NamedAmounts> requests;
  for (const int cpu : problem.pods) requests.push_back({{"cpu", cpu * 1000}, {"pods", 1}});
  const Plan plan = plan_of_gang(config, mirror, requests, wish);
  std::map<std::int64_t, std::string> racks;
  const Cluster& cluster = mirror.cluster();
  for (const std::vector<Placement>* each : {&plan.binds, &plan.pipelined}) {
    for (const Placement& placed : *each) {
      racks[cluster.task(placed.task).index] = cluster.node(placed.node).name;
    }
  }
  EXPECT_EQ(problem.is_full && !racks.empty(), !plan.evictions.empty());
  std::vector<std::string> in_order;
  for (const auto& [index, rack] : racks) in_order.push_back(rack);
  return in_order;
}

// TOPO-20, TOPO-22. They have places if and only if there are such, and each part is in one rack.
void look_at(const Problem& problem, const std::vector<std::string>& racks) {
  EXPECT_EQ(!racks.empty(), is_feasible(problem));
  if (racks.empty()) return;
  ASSERT_EQ(racks.size(), problem.pods.size());
  for (std::size_t i = 0; i < racks.size(); ++i) {
    EXPECT_EQ(racks[i], racks[i / problem.part_size * problem.part_size]);
  }
}

void keep_the_law(bool is_full) {
  const engine::SessionConfig config = shipped_config();
  int placed = 0;
  int problems = 0;
  for (const std::uint64_t seed : seeds(kSeeds)) {
    SCOPED_TRACE("BERTH_SEED=" + std::to_string(seed));
    const Problem problem = make(seed, is_full);
    const std::vector<std::string> racks = racks_of_pods(config, problem);
    look_at(problem, racks);
    placed += racks.empty() ? 0 : 1;
    ++problems;
    if (::testing::Test::HasFailure()) return;
  }
  std::printf("%d of %d have places\n", placed, problems);
}

TEST(NearParts, ThatAreUnlikeArePlacedWheneverTheyCanBe) { keep_the_law(false); }

TEST(NearParts, AreMadeRoomForWheneverOthersCanLeave) { keep_the_law(true); }

// Each part finds a rack that the parts before it have not taken.
TEST(NearParts, ManyAreMadeRoomFor) {
  Problem problem;
  problem.is_full = true;
  problem.rooms.assign(40, 2);
  problem.blocks.assign(40, 0);
  problem.pods.assign(60, 1);
  look_at(problem, racks_of_pods(shipped_config(), problem));
}

}  // namespace
}  // namespace berth::support::near_parts_test
