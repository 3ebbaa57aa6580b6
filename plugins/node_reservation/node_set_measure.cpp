#include "plugins/node_reservation/node_set_measure.h"

#include <algorithm>
#include <bit>

namespace berth::plugins {

namespace {

// Weights in billionths.
constexpr std::int64_t kTight = 400'000'000;
constexpr std::int64_t kOwn = 350'000'000;
constexpr std::int64_t kFew = 150'000'000;
constexpr std::int64_t kIdle = 100'000'000;

constexpr int kExactBits = 33;  // weight * amount fits into 64 bits: 450e6 * 2^33 < 2^62

// Bits that a divisor loses so that a weight can be multiplied in 64 bits.
int bits_lost(std::int64_t divisor) {
  return std::max(
      0, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(divisor))) - kExactBits);
}

// seed_formula calculates in 2^-40 of a unit.
constexpr int kFraction = 40;
constexpr __int128 kScoreMost = __int128{1} << 62;

}  // namespace

NodeSetMeasure::NodeSetMeasure(const NodeChoices& choices, const NodeDemand& demand,
                               const NodeSetTerms& terms)
    : choices_(choices), strategy_(terms.strategy), nodes_(demand.nodes) {
  for (std::size_t d = 0; d < choices.dimensions; ++d) {
    const std::int64_t target = nodes_ == 0 ? demand.target[d] : 0;
    if (nodes_ == 0 && target <= 0) continue;
    counted_.push_back(static_cast<std::uint32_t>(d));
    target_.push_back(target);
    spare_.push_back(std::max<std::int64_t>(0, demand.total[d] - target));
    unit_.push_back(terms.unit.empty() ? 1 : std::max<std::int64_t>(1, terms.unit[d]));
  }
  all_give_.assign(dimensions(), 0);
  useful_.reserve(size());
  for (std::uint32_t node = 0; node < size(); ++node) {
    std::int64_t any = nodes_ == 0 ? 0 : 1;
    for (std::size_t d = 0; d < dimensions(); ++d) {
      any |= gives(node, d);
      all_give_[d] += gives(node, d);
    }
    if (any != 0) useful_.push_back(node);
  }
}

bool NodeSetMeasure::clip_demand() {
  if (nodes_ != 0) {
    const bool is_enough = nodes_ <= useful_.size();
    nodes_ = std::min(nodes_, std::max<std::size_t>(1, useful_.size()));
    return is_enough;
  }
  bool is_enough = true;
  for (std::size_t d = 0; d < dimensions(); ++d) {
    if (all_give_[d] >= target_[d]) continue;
    is_enough = false;
    target_[d] = all_give_[d];
  }
  return is_enough;
}

NodeProblem NodeSetMeasure::part(const NodePicks& nodes) const {
  NodeProblem part;
  part.terms.strategy = strategy_;
  part.terms.unit = unit_;
  part.demand.nodes = nodes_;
  part.demand.target = target_;
  part.choices.dimensions = dimensions();
  for (std::size_t d = 0; d < dimensions(); ++d) {
    part.demand.total.push_back(target_[d] + spare_[d]);
  }
  for (const std::uint32_t node : nodes) {
    part.choices.is_held.push_back(choices_.is_held[node]);
    for (std::size_t d = 0; d < dimensions(); ++d) {
      part.choices.gives.push_back(gives(node, d));
      part.choices.own.push_back(own(node, d));
      part.choices.idle.push_back(idle(node, d));
    }
  }
  return part;
}

bool NodeSetMeasure::are_alike(std::uint32_t a, std::uint32_t b) const {
  for (std::size_t d = 0; d < dimensions(); ++d) {
    if (gives(a, d) != gives(b, d) || own(a, d) != own(b, d) || idle(a, d) != idle(b, d)) {
      return false;
    }
  }
  return true;
}

NodeSetMeasure::Sums NodeSetMeasure::none() const {
  const std::vector<std::int64_t> zeros(dimensions(), 0);
  return {0, zeros, zeros, zeros};
}

NodeSetMeasure::Sums NodeSetMeasure::sums_of(const NodePicks& nodes) const {
  Sums sums = none();
  for (const std::uint32_t node : nodes) add(sums, node);
  return sums;
}

bool NodeSetMeasure::is_enough(const Sums& sums) const {
  if (nodes_ != 0) return sums.nodes == nodes_;
  for (std::size_t d = 0; d < dimensions(); ++d) {
    if (sums.gives[d] < target_[d]) return false;
  }
  return true;
}

bool NodeSetMeasure::is_enough_without(const Sums& sums, std::uint32_t node) const {
  if (nodes_ != 0) return sums.nodes > nodes_;
  for (std::size_t d = 0; d < dimensions(); ++d) {
    if (sums.gives[d] - gives(node, d) < target_[d]) return false;
  }
  return true;
}

bool NodeSetMeasure::is_enough_instead(const Sums& sums, std::uint32_t out,
                                       std::uint32_t in) const {
  if (nodes_ != 0) return true;
  for (std::size_t d = 0; d < dimensions(); ++d) {
    if (sums.gives[d] - gives(out, d) + gives(in, d) < target_[d]) return false;
  }
  return true;
}

bool NodeSetMeasure::is_minimal(const Sums& sums, const NodePicks& nodes) const {
  return std::none_of(nodes.begin(), nodes.end(),
                      [&](std::uint32_t node) { return is_enough_without(sums, node); });
}

std::int64_t NodeSetMeasure::score(const Sums& sums, std::size_t fewest) const {
  if (sums.nodes == 0) return 0;
  return strategy_ == NodeStrategy::seed_formula ? seed_formula(sums) : weighted(sums, fewest);
}

std::int64_t NodeSetMeasure::weighted(const Sums& sums, std::size_t fewest) const {
  const auto folded = static_cast<std::int64_t>(dimensions());
  std::int64_t excess = 0;
  std::int64_t used_and_idle = 0;
  for (std::size_t d = 0; d < dimensions(); ++d) {
    const std::int64_t sum = sums.gives[d];
    const std::int64_t over = std::clamp<std::int64_t>(sum - target_[d], 0, spare_[d]);
    if (over > 0) {
      const int lost = bits_lost(spare_[d]);
      excess += kTight * (over >> lost) / (spare_[d] >> lost);
    }
    if (sum <= 0) continue;
    const int lost = bits_lost(sum);
    const std::int64_t own = std::clamp<std::int64_t>(sums.own[d], 0, sum) >> lost;
    const std::int64_t idle = std::clamp<std::int64_t>(sums.idle[d], 0, sum) >> lost;
    used_and_idle += (kOwn * own + kIdle * idle) / (sum >> lost);
  }
  const auto nodes = static_cast<std::int64_t>(sums.nodes);
  const auto few = std::min(static_cast<std::int64_t>(fewest), nodes);
  const std::int64_t mean = folded == 0 ? 0 : (used_and_idle - excess) / folded;
  return kTight + mean + kFew * few / nodes;
}

std::int64_t NodeSetMeasure::seed_formula(const Sums& sums) const {
  __int128 over = 0;
  __int128 used = 0;
  __int128 idle = 0;
  for (std::size_t d = 0; d < dimensions(); ++d) {
    const auto in_units = [&](std::int64_t amount) {
      return (static_cast<__int128>(amount) << kFraction) / unit_[d];
    };
    over += in_units(std::max<std::int64_t>(0, sums.gives[d] - target_[d]));
    used += in_units(sums.own[d]);
    idle += in_units(sums.idle[d]);
  }
  const __int128 one = __int128{1} << kFraction;
  const auto nodes = static_cast<__int128>(sums.nodes);
  const __int128 divisor = over + used + nodes * one + idle;
  __int128 score = ((kTight * one) * one) / (over == 0 ? one : over) / divisor;
  score += (kOwn * used + kIdle * idle) / divisor;
  score += kFew * one * one / (nodes * one) / divisor;
  return static_cast<std::int64_t>(std::min(score, kScoreMost));
}

}  // namespace berth::plugins
