#pragma once

#include <cstdint>
#include <vector>

#include "berth/engine/points.h"
#include "berth/model/cluster.h"

// Preferences of pods about other pods and images, in integer points of 0 to 100 a node. Rules:
// docs/design/nodeorder.md.

namespace berth::plugins {

// The nodes that pass the predicates: 1 or 0, by node.
using Passes = std::vector<std::uint8_t>;

// Each adds `weight` times the points of each node that passes.
// AFFINITY-10
void add_affinity_points(const Cluster& cluster, const Shape& shape, const Passes& passes,
                         std::int32_t weight, engine::ScoreSums sums);
// SPREAD-9
void add_spread_points(const Cluster& cluster, const Shape& shape, const Passes& passes,
                       std::int32_t weight, engine::ScoreSums sums);
// NODEORDER-6
void add_image_points(const Cluster& cluster, const Shape& shape, const Passes& passes,
                      std::int32_t weight, engine::ScoreSums sums);

// 1024 times the natural logarithm, for 1 <= number < 2^31.
std::int64_t fine_log(std::uint64_t number);

}  // namespace berth::plugins
