#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "property/one_gang.h"
#include "support/seeds.h"
#include "support/world.h"

// Gangs of unlike pods on a few nodes: what fits is placed, by the shipped configuration. Whether
// it fits is found by trying all ways. BERTH_SEED=<seed> plays one alone, BERTH_LAWS=<n> tries
// more.

namespace berth::support::unlike_gangs_test {
namespace {

constexpr std::uint64_t kSeeds = 1500;
constexpr std::size_t kResources = 2;

using Amounts = std::vector<std::int64_t>;  // by resource

struct Shape {
  Amounts request;
  int count = 0;
};

// Nodes with idle room, and a gang of two to four kinds of pods that all are needed.
struct Problem {
  std::vector<Amounts> nodes;
  std::vector<Shape> shapes;
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed * 104729 + 11) {}

  Problem make() {
    Problem problem;
    resources_ = between(1, kResources);
    const bool are_alike = below(random_, 2) == 0;
    Amounts all = amounts(4, 9);
    for (std::int64_t n = between(1, 5); n > 0; --n) {
      problem.nodes.push_back(are_alike ? all : amounts(4, 9));
    }
    // Shares of what there is, so that about half of the gangs fit, and just so.
    std::vector<Amounts> left = problem.nodes;
    for (std::int64_t s = between(2, 4); s > 0; --s) {
      Shape shape{amounts(1, s == 1 ? 7 : 4), 0};
      const std::int64_t most = between(1, 8);
      for (Amounts& room : left) {
        while (shape.count < most && takes(room, shape.request)) ++shape.count;
      }
      if (shape.count > 0) problem.shapes.push_back(shape);
    }
    if (below(random_, 3) == 0) ++problem.shapes.front().count;
    return problem;
  }

 private:
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least +
           static_cast<std::int64_t>(below(random_, static_cast<std::size_t>(most - least + 1)));
  }
  Amounts amounts(std::int64_t least, std::int64_t most) {
    Amounts found(kResources, 0);
    for (std::int64_t r = 0; r < resources_; ++r) {
      found[static_cast<std::size_t>(r)] = between(least, most);
    }
    return found;
  }
  static bool takes(Amounts& room, const Amounts& request) {
    for (std::size_t r = 0; r < room.size(); ++r) {
      if (room[r] < request[r]) return false;
    }
    for (std::size_t r = 0; r < room.size(); ++r) room[r] -= request[r];
    return true;
  }

  Random random_;
  std::int64_t resources_ = 1;
};

bool fits(std::vector<Amounts>& rooms, const std::vector<Shape>& shapes, std::size_t shape,
          int count, std::size_t node) {
  if (count == 0) {
    if (++shape == shapes.size()) return true;
    return fits(rooms, shapes, shape, shapes[shape].count, 0);
  }
  if (node == rooms.size()) return false;
  const Amounts& request = shapes[shape].request;
  const Amounts before = rooms[node];
  for (int here = 0; here <= count; ++here) {
    if (fits(rooms, shapes, shape, count - here, node + 1)) return true;
    for (std::size_t r = 0; r < request.size(); ++r) rooms[node][r] -= request[r];
    if (*std::min_element(rooms[node].begin(), rooms[node].end()) < 0) break;
  }
  rooms[node] = before;
  return false;
}

NamedAmounts named(const Amounts& amounts) {
  return {{"cpu", amounts[0] * 1000}, {"memory", amounts[1] << 30}, {"pods", 1}};
}

// Is the gang placed in one session?
bool is_placed(const engine::SessionConfig& config, const Problem& problem, std::uint64_t seed) {
  mirror::Mirror mirror;
  for (std::size_t n = 0; n < problem.nodes.size(); ++n) {
    NodeObject node;
    node.name = node.uid = "n" + std::to_string(n);
    node.allocatable = named(problem.nodes[n]);
    node.allocatable["pods"] = 110;
    mirror.apply(node);
  }
  std::vector<NamedAmounts> requests;
  for (const Shape& shape : problem.shapes) {
    requests.insert(requests.end(), static_cast<std::size_t>(shape.count), named(shape.request));
  }
  Random random(seed);
  shuffle(requests, random);
  return plan_of_gang(config, mirror, requests).binds.size() == requests.size();
}

TEST(UnlikeGangs, ALLOCATE11WhatFitsIsPlaced) {
  const engine::SessionConfig config = shipped_config();
  int fit = 0;
  int missed = 0;
  for (const std::uint64_t seed : seeds(kSeeds)) {
    const Problem problem = Generator(seed).make();
    std::vector<Amounts> rooms = problem.nodes;
    const bool does_fit = fits(rooms, problem.shapes, 0, problem.shapes[0].count, 0);
    const bool placed = is_placed(config, problem, seed);
    EXPECT_TRUE(does_fit || !placed) << "BERTH_SEED=" << seed;
    fit += does_fit ? 1 : 0;
    missed += does_fit && !placed ? 1 : 0;
    if (does_fit && !placed) std::printf("BERTH_SEED=%d: it fits, and is not placed\n", int(seed));
  }
  std::printf("%d of %d that fit were not placed\n", missed, fit);
  EXPECT_LE(1000 * missed, fit);
}

}  // namespace
}  // namespace berth::support::unlike_gangs_test
