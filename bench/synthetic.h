#pragma once

#include <chrono>
#include <cstdint>
#include <random>
#include <string>

#include "engine/scheduler.h"
#include "mirror/mirror.h"

// Generated clusters for benchmarks. Equal seeds give equal clusters.

namespace berth::bench {

inline constexpr std::int64_t kGi = std::int64_t{1} << 30;
inline constexpr TimePoint kNow{std::chrono::hours(24 * 365 * 50)};  // of all benchmarks

// The requirement of a gang's pods of each other. Each gang has labels and selectors of its own.
enum class Related : std::uint8_t {
  no,
  one_a_node,        // anti-affinity by host name
  one_zone,          // affinity by zone
  over_zones,        // spread over the zones, as evenly as can be
  apart_and_spread,  // one a node, and over the zones
};

struct Load {
  std::size_t nodes = 5'000;
  std::size_t pending_pods = 100'000;  // in gangs of 16 to 512
  std::size_t running_pods = 0;        // in gangs too, spread over the nodes
  std::size_t shapes = 16;             // different requests among the gangs
  std::size_t queues = 0;              // of the gangs; 0: only the default one
  Related related = Related::no;
  std::int64_t gpus = 0;  // of each node; pods ask for 1, 2 or 4, and in 1 of 8 gangs for none
  // The level that must hold each gang: "rack" (of 32 nodes) or "block" (of 16 racks); empty: none.
  std::string together = {};
  bool zones_in_a_row = false;  // each of the three zones is a row of nodes; else they take turns
  std::uint64_t seed = 1;
};

void fill(mirror::Mirror& mirror, const Load& load);

// The memory of this process in MiB. Run one benchmark alone for a meaningful value.
double resident_mib();

// The default configuration: enqueue, allocate, backfill; priority, gang, conformance; overcommit,
// predicates, nodeorder.
engine::SessionConfig default_config();
// The same with drf and proportion.
engine::SessionConfig config_with_queues();

}  // namespace berth::bench
