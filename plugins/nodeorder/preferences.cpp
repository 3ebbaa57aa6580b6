#include "plugins/nodeorder/preferences.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <string_view>

namespace berth::plugins {

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::string_view kHostname = "kubernetes.io/hostname";

// By domain of the term.
std::vector<std::int64_t> pods_by_domain(const PodRelations& relations, TermId id,
                                         bool with_those_that_leave) {
  const Term& term = relations.term(id);
  std::vector<std::int64_t> pods(relations.domains().count(term.key), 0);
  term.counts.each([&](DomainId domain, const Counted& counted) {
    const std::int32_t leaving = with_those_that_leave ? 0 : counted.leaving;
    pods[domain.index()] = counted.there - leaving + counted.promised;
  });
  return pods;
}

}  // namespace

void add_affinity_points(const Cluster& cluster, const Shape& shape, const Passes& passes,
                         std::int32_t weight, engine::ScoreSums sums) {
  const PodRelations& relations = cluster.relations();
  std::vector<std::int64_t> values(passes.size(), 0);
  const auto add = [&](TermId id, std::int64_t each) {
    if (relations.term(id).counts.domain_count() == 0) return;
    const std::vector<std::int64_t> pods = pods_by_domain(relations, id, true);
    for (std::size_t n = 0; n < passes.size(); ++n) {
      const DomainId domain = relations.domain(id, NodeId(n));
      if (domain.is_valid()) values[n] += each * pods[domain.index()];
    }
  };
  const ShapeTerms& terms = shape.terms;
  for (std::size_t i = 0; i < terms.preferred.size(); ++i) {
    add(terms.preferred[i], shape.constraints.relations.preferred[i].weight);
  }
  for (const TermId id : terms.drawn_by) add(id, relations.term(id).spec.weight);

  std::int64_t lowest = kMost;
  std::int64_t highest = -kMost;
  for (std::size_t n = 0; n < passes.size(); ++n) {
    if (passes[n] == 0) continue;
    lowest = std::min(lowest, values[n]);
    highest = std::max(highest, values[n]);
  }
  if (lowest >= highest) return;
  for (std::size_t n = 0; n < passes.size(); ++n) {
    if (passes[n] == 0) continue;
    const std::int64_t points = 100 * (values[n] - lowest) / (highest - lowest);
    sums[n] += weight * static_cast<std::int32_t>(points);
  }
}

// One bit of the logarithm to the base 2 after the other: the square of a number below 2 is below
// 2 exactly if the next bit is 0.
std::int64_t fine_log(std::uint64_t number) {
  constexpr int kBits = 16;
  constexpr std::int64_t kLogOf2 = 45426;  // in 1/65536
  const auto whole = static_cast<int>(std::bit_width(number)) - 1;
  std::uint64_t left = number << (31 - whole);  // 1 to 2, in 1/2^31
  std::int64_t binary = whole;
  for (int i = 0; i < kBits; ++i) {
    left = (left * left) >> 31;
    const std::uint64_t bit = left >> 32;
    left >>= bit;
    binary = 2 * binary + static_cast<std::int64_t>(bit);
  }
  return (binary * kLogOf2 + (std::int64_t{1} << 21)) >> 22;
}

void add_spread_points(const Cluster& cluster, const Shape& shape, const Passes& passes,
                       std::int32_t weight, engine::ScoreSums sums) {
  const std::vector<TermId>& spreads = shape.terms.preferred_spread;
  if (spreads.empty()) return;
  const PodRelations& relations = cluster.relations();
  // Nodes without one of the labels have no points, and their domains do not count.
  const auto has_all = [&](std::size_t n) {
    return passes[n] != 0 && std::all_of(spreads.begin(), spreads.end(), [&](TermId id) {
             return relations.domain(id, NodeId(n)).is_valid();
           });
  };
  std::vector<std::int64_t> values(passes.size(), -1);  // in 1/1024; -1: without a label
  std::int64_t nodes = 0;
  for (std::size_t n = 0; n < passes.size(); ++n) {
    if (!has_all(n)) continue;
    values[n] = 0;
    ++nodes;
  }
  for (std::size_t i = 0; i < spreads.size(); ++i) {
    const std::vector<std::int64_t> pods = pods_by_domain(relations, spreads[i], false);
    std::vector<bool> is_met(pods.size(), false);
    std::int64_t domains = 0;
    for (std::size_t n = 0; n < passes.size(); ++n) {
      if (values[n] < 0) continue;
      const std::size_t domain = relations.domain(spreads[i], NodeId(n)).index();
      if (!is_met[domain]) ++domains;
      is_met[domain] = true;
    }
    const bool is_by_node = relations.term(spreads[i]).spec.topology_key == kHostname;
    const std::int64_t times =
        fine_log(static_cast<std::uint64_t>(is_by_node ? nodes : domains) + 2);
    const std::int64_t skew = shape.constraints.relations.preferred_spread[i].max_skew;
    for (std::size_t n = 0; n < passes.size(); ++n) {
      if (values[n] < 0) continue;
      const std::size_t domain = relations.domain(spreads[i], NodeId(n)).index();
      values[n] += pods[domain] * times + (skew - 1) * 1024;
    }
  }
  std::int64_t lowest = kMost;
  std::int64_t highest = 0;
  for (std::int64_t& value : values) {
    if (value < 0) continue;
    value = (value + 512) >> 10;
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
  }
  for (std::size_t n = 0; n < passes.size(); ++n) {
    if (values[n] < 0) continue;
    const std::int64_t points = highest == 0 ? 100 : 100 * (highest + lowest - values[n]) / highest;
    sums[n] += weight * static_cast<std::int32_t>(points);
  }
}

void add_image_points(const Cluster& cluster, const Shape& shape, const Passes& passes,
                      std::int32_t weight, engine::ScoreSums sums) {
  if (shape.images.empty()) return;
  constexpr std::int64_t kLeast = std::int64_t{23} << 20;
  const ImageTable& images = cluster.relations().images();
  const auto nodes = static_cast<std::int64_t>(cluster.node_count());
  const std::int64_t most =
      (std::int64_t{1000} << 20) * static_cast<std::int64_t>(shape.images.size());
  for (std::size_t n = 0; n < passes.size(); ++n) {
    if (passes[n] == 0) continue;
    const std::vector<ImageTable::OnNode>& here = images.on(cluster.node(NodeId(n)).name);
    if (here.empty()) continue;
    std::int64_t sum = 0;
    for (const ImageId id : shape.images) {
      const auto found = std::lower_bound(
          here.begin(), here.end(), id,
          [](const ImageTable::OnNode& image, ImageId wanted) { return image.id < wanted; });
      if (found == here.end() || found->id != id) continue;
      // Sizes are at most 2^53: in KiB the product has room.
      const std::int64_t part = (found->size >> 10) * images.nodes_with(id) / nodes;
      sum = std::min(most, sum + std::min(most, part << 10));
    }
    const std::int64_t points = 100 * (std::max(sum, kLeast) - kLeast) / (most - kLeast);
    sums[n] += weight * static_cast<std::int32_t>(points);
  }
}

}  // namespace berth::plugins
