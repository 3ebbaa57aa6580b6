#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "property/one_gang.h"
#include "support/seeds.h"
#include "support/world.h"

// Gangs that are to be near each other, on small trees: whether they fit, at which level and in how
// few racks is found by trying all. BERTH_SEED=<seed> plays one alone, BERTH_LAWS=<n> tries more.

namespace berth::support::near_gangs_test {
namespace {

constexpr std::uint64_t kSeeds = 2000;

struct Rack {
  int block = 0;
  std::vector<int> nodes;  // idle cpu of each
  int room() const {
    int sum = 0;
    for (const int cpu : nodes) sum += cpu;
    return sum;
  }
};

enum class Level { rack, block, cluster };

struct Problem {
  std::vector<Rack> racks;  // of one block together
  int blocks = 0;
  int pods = 0;
  Level within = Level::cluster;  // they must be
  int part_size = 0;              // of parts that must be in one rack each; 0: of none
};

Problem make(std::uint64_t seed) {
  Random random(seed * 7919 + 3);
  const auto between = [&](int least, int most) {
    return least + static_cast<int>(below(random, static_cast<std::size_t>(most - least + 1)));
  };
  Problem problem;
  problem.blocks = between(1, 3);
  for (int block = 0; block < problem.blocks; ++block) {
    for (int rack = between(1, 3); rack > 0; --rack) {
      problem.racks.push_back({block, {}});
      for (int node = between(1, 3); node > 0; --node) {
        problem.racks.back().nodes.push_back(between(0, 5));
      }
    }
  }
  problem.pods = between(2, 14);
  problem.within = static_cast<Level>(between(0, 2));
  if (between(0, 1) == 1) problem.part_size = between(2, 5);
  if (problem.within == Level::rack) problem.part_size = 0;
  return problem;
}

// Do all parts fit into these racks? At most one part is smaller than the others.
bool do_parts_fit(const std::vector<int>& rooms, int pods, int size) {
  const int rest = pods % size;
  const auto whole_parts = [&](int without) {
    int parts = 0;
    for (std::size_t i = 0; i < rooms.size(); ++i) {
      const int room = rooms[i] - (static_cast<int>(i) == without ? rest : 0);
      parts += std::max(0, room) / size;
    }
    return parts;
  };
  if (rest == 0) return whole_parts(-1) >= pods / size;
  for (std::size_t i = 0; i < rooms.size(); ++i) {
    if (rooms[i] >= rest && whole_parts(static_cast<int>(i)) >= pods / size) return true;
  }
  return false;
}

bool does_fit(const Problem& problem, const std::vector<int>& rooms) {
  int sum = 0;
  for (const int room : rooms) sum += room;
  if (problem.part_size > 0) return do_parts_fit(rooms, problem.pods, problem.part_size);
  return sum >= problem.pods;
}

// The rooms of the racks in each domain of the level.
std::vector<std::vector<int>> domains(const Problem& problem, Level level) {
  std::map<int, std::vector<int>> found;
  for (std::size_t r = 0; r < problem.racks.size(); ++r) {
    int key = 0;
    if (level == Level::rack) key = static_cast<int>(r);
    if (level == Level::block) key = problem.racks[r].block;
    found[key].push_back(problem.racks[r].room());
  }
  std::vector<std::vector<int>> all;
  for (const auto& [key, rooms] : found) all.push_back(rooms);
  return all;
}

int fewest_racks(std::vector<int> rooms, int pods) {
  std::sort(rooms.rbegin(), rooms.rend());
  int racks = 0;
  for (const int room : rooms) {
    if (pods <= 0) break;
    pods -= room;
    ++racks;
  }
  return racks;
}

// The rack of each pod. Empty: they have no place.
std::vector<int> racks_of_pods(const engine::SessionConfig& config, const Problem& problem) {
  mirror::Mirror mirror;
  LevelsObject levels;
  levels.name = "t";
  levels.levels = {{"block"}, {"rack"}};
  mirror.apply(TopologyObject{levels});
  std::map<std::string, int> rack_of;
  for (std::size_t r = 0; r < problem.racks.size(); ++r) {
    for (std::size_t n = 0; n < problem.racks[r].nodes.size(); ++n) {
      NodeObject node;
      node.name = node.uid = "n" + std::to_string(r) + "-" + std::to_string(n);
      node.labels = {{"block", "b" + std::to_string(problem.racks[r].block)},
                     {"rack", "r" + std::to_string(r)}};
      node.allocatable = {{"cpu", problem.racks[r].nodes[n] * 1000}, {"pods", 110}};
      rack_of[node.name] = static_cast<int>(r);
      mirror.apply(node);
    }
  }
  TopologyWish wish;
  NearRule all{.written = "all"};
  (problem.within == Level::cluster ? all.preferred : all.required).name =
      problem.within == Level::block ? "block" : "rack";
  wish.rules.push_back(all);
  if (problem.part_size > 0) {
    wish.rules.push_back(
        {.written = "parts", .required = {.name = "rack"}, .part_size = problem.part_size});
  }
  tidy_up(wish);
  const std::vector<NamedAmounts> requests(static_cast<std::size_t>(problem.pods),
                                           {{"cpu", 1000}, {"pods", 1}});
  const Plan plan = plan_of_gang(config, mirror, requests, wish);
  std::vector<int> racks(plan.binds.size(), -1);
  for (const Placement& each : plan.binds) {
    const Cluster& cluster = mirror.cluster();
    const auto index = static_cast<std::size_t>(cluster.task(each.task).index);
    if (index < racks.size()) racks[index] = rack_of.at(cluster.node(each.node).name);
  }
  return racks;
}

Level level_of(const Problem& problem, const std::vector<int>& racks) {
  std::set<int> blocks;
  for (const int rack : racks) blocks.insert(problem.racks[static_cast<std::size_t>(rack)].block);
  if (std::set(racks.begin(), racks.end()).size() == 1) return Level::rack;
  return blocks.size() == 1 ? Level::block : Level::cluster;
}

class Judge {
 public:
  void look_at(const Problem& problem, const std::vector<int>& racks) {
    std::optional<Level> nearest;
    for (const Level level : {Level::cluster, Level::block, Level::rack}) {
      if (level > problem.within) continue;
      for (const std::vector<int>& rooms : domains(problem, level)) {
        if (does_fit(problem, rooms)) nearest = level;
      }
    }
    EXPECT_EQ(!racks.empty(), nearest.has_value()) << "it is placed if and only if it fits";
    if (racks.empty() || !nearest) return;
    ++fit;
    ASSERT_EQ(racks.size(), static_cast<std::size_t>(problem.pods)) << "and whole";
    EXPECT_EQ(level_of(problem, racks), *nearest);
    for (int i = 0; problem.part_size > 0 && i < problem.pods; ++i) {
      const int first = i / problem.part_size * problem.part_size;
      EXPECT_EQ(racks[static_cast<std::size_t>(i)], racks[static_cast<std::size_t>(first)]);
    }
    if (problem.part_size == 0) count_racks(problem, racks, *nearest);
  }

  int fit = 0;
  int with_racks = 0;
  int with_more = 0;
  int most_more = 0;
  int breaks = 0;  // neighbours in rank in two racks, beyond one for each rack but the first

 private:
  void count_racks(const Problem& problem, const std::vector<int>& racks, Level nearest) {
    int fewest = problem.pods;
    for (const std::vector<int>& rooms : domains(problem, nearest)) {
      if (does_fit(problem, rooms)) fewest = std::min(fewest, fewest_racks(rooms, problem.pods));
    }
    const int used = static_cast<int>(std::set(racks.begin(), racks.end()).size());
    ++with_racks;
    with_more += used > fewest ? 1 : 0;
    most_more = std::max(most_more, used - fewest);
    int changes = 0;
    for (std::size_t i = 1; i < racks.size(); ++i) changes += racks[i] != racks[i - 1] ? 1 : 0;
    breaks += changes - (used - 1);
  }
};

// TOPO-16 to TOPO-21.
TEST(NearGangs, AreAsNearAsTheyCanBe) {
  const engine::SessionConfig config = shipped_config();
  Judge judge;
  int problems = 0;
  for (const std::uint64_t seed : seeds_where_long(kSeeds)) {
    SCOPED_TRACE("BERTH_SEED=" + std::to_string(seed));
    const Problem problem = make(seed);
    judge.look_at(problem, racks_of_pods(config, problem));
    ++problems;
    if (HasFailure()) return;
  }
  std::printf("%d of %d fit; %d of %d use more racks than the fewest, at most %d more\n", judge.fit,
              problems, judge.with_more, judge.with_racks, judge.most_more);
  EXPECT_EQ(judge.breaks, 0) << "ranks of one rack follow each other";
  EXPECT_LE(20 * judge.with_more, judge.with_racks) << "as few racks as will do, in 95 %";
}

}  // namespace
}  // namespace berth::support::near_gangs_test
