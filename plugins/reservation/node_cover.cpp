// Few nodes that cover what a target needs.
//
// The fewest would be found by trying all sets, of which there are too many. So: take the node that
// adds most to what is still lacking, role by role, until nothing lacks; do so by two measures of
// "most", since neither is always right; drop from the smaller set what it can do without; and
// where the nodes are so few that all smaller sets can be tried, try them.

#include "plugins/reservation/node_cover.h"

#include <algorithm>
#include <queue>
#include <tuple>
#include <utility>

namespace berth::plugins {

using namespace engine;

namespace {

using Gain = __int128;  // in 2^-32

// Dozens of nodes and a few roles: each look costs so little that none is left out.
constexpr std::size_t kStepLooksMost = 4'096;                // nodes times parts, at each step
constexpr std::size_t kAllLooksMost = std::size_t{1} << 17;  // over all picks
constexpr std::size_t kSetsMost = 1'024;
constexpr std::size_t kVisitsMost = std::size_t{1} << 20;  // of nodes, by parts, to drop some
constexpr int kRepairsMost = 16;

class Search {
 public:
  Search(Session& session, const Need& need, const ReachableCapacity& reachable,
         const std::vector<NodeId>& held, const std::vector<NodeId>& nodes)
      : session_(session), need_(need), reachable_(reachable), held_(held), nodes_(nodes) {}

  std::optional<std::vector<NodeId>> run(std::size_t most) {
    if (covers_with({})) return std::vector<NodeId>();
    consider(greedy(by_size()));
    const bool is_simple = need_.parts.size() == 1 && need_.rest.is_zero();
    if (is_simple && best_) return named(*best_);  // none could do with fewer
    if (best_ && best_->size() / 2 > most) return named(*best_);
    consider(greedy(by_part()));
    if (!best_) consider(prefix());
    if (!best_) return std::nullopt;
    drop();
    shrink();
    return named(*best_);
  }

  // The first set of exactly so many; nothing, if there is none or there are too many to try.
  std::optional<std::vector<NodeId>> so_many(std::size_t count) const {
    if (count > nodes_.size() || sets_of(count) > kSetsMost) return std::nullopt;
    const auto picks = first_set_of(count);
    return picks ? std::optional(named(*picks)) : std::nullopt;
  }

 private:
  using Picks = std::vector<std::size_t>;  // of nodes_

  std::vector<NodeId> named(const Picks& picks) const {
    std::vector<NodeId> nodes;
    for (const std::size_t each : picks) nodes.push_back(nodes_[each]);
    return nodes;
  }

  bool covers_with(const Picks& picks) const {
    std::vector<NodeId> all = named(picks);
    all.insert(all.end(), held_.begin(), held_.end());
    return covers(session_, need_, reachable_, std::move(all));
  }

  void consider(std::optional<Picks> picks) {
    if (picks && (!best_ || picks->size() < best_->size())) best_ = std::move(picks);
  }

  // --- what a node adds -------------------------------------------------------------------------

  // The weight of one member of each part is its part of the whole request ...
  std::vector<Gain> by_size() const {
    std::vector<Gain> weights;
    for (const Need::Part& part : need_.parts) {
      Gain most = 1;
      for (const auto& [dimension, amount] : session_.cluster().shape(part.shape).requested) {
        const std::int64_t all = need_.request[dimension];
        if (all > 0) most = std::max(most, (static_cast<Gain>(amount) << 32) / all);
      }
      weights.push_back(most);
    }
    return weights;
  }
  // ... or its part of the members that are like it.
  std::vector<Gain> by_part() const {
    std::vector<Gain> weights;
    for (const Need::Part& part : need_.parts) {
      weights.push_back((Gain{1} << 32) / std::max(1, part.count));
    }
    return weights;
  }

  Gain gain(Bins& bins, std::size_t node, const Need& left, const std::vector<Gain>& weights) {
    Gain sum = 0;
    const std::vector<std::int32_t>& taken = bins.would_take(node, left);
    for (std::size_t p = 0; p < taken.size(); ++p) sum += taken[p] * weights[p];
    if (left.rest.is_zero()) return sum;
    Gain most = 0;
    for (std::size_t d = 0; d < left.rest.extent(); ++d) {
      const Dimension dimension(d);
      if (left.rest[dimension] <= 0) continue;
      const std::int64_t given =
          std::clamp<std::int64_t>(bins.room(node, dimension), 0, left.rest[dimension]);
      most = std::max(most, (static_cast<Gain>(given) << 32) / need_.request[dimension]);
    }
    return sum + most;
  }

  // --- the steps --------------------------------------------------------------------------------

  std::optional<Picks> greedy(const std::vector<Gain>& weights) {
    Need left = left_by(session_, need_, reachable_, held_);
    Bins bins(session_, nodes_, reachable_);
    const std::size_t look = nodes_.size() * std::max<std::size_t>(1, need_.parts.size());
    std::size_t looks = look <= kStepLooksMost ? 0 : kAllLooksMost;
    Picks picks;
    std::vector<std::uint8_t> is_picked(nodes_.size(), 0);
    // The gain of a node shrinks as nodes are picked, so most are not rated again.
    std::priority_queue<std::pair<Gain, std::ptrdiff_t>> queue;
    const auto look_at_all = [&] {
      queue = {};
      for (std::size_t n = 0; n < nodes_.size(); ++n) {
        if (is_picked[n] == 0) queue.emplace(gain(bins, n, left, weights), -std::ptrdiff_t(n));
      }
    };
    look_at_all();
    while (!left.is_nothing() && !queue.empty()) {
      const auto [known, negated] = queue.top();
      const auto node = static_cast<std::size_t>(-negated);
      queue.pop();
      const Gain now = gain(bins, node, left, weights);
      if (now == 0) continue;
      if (now < known) {
        queue.emplace(now, negated);
        continue;
      }
      bins.fill_one(node, left);
      bins.give_to_rest(node, left);
      picks.push_back(node);
      is_picked[node] = 1;
      looks += look;
      if (looks < kAllLooksMost) look_at_all();
    }
    if (!left.is_nothing()) return std::nullopt;
    return repaired(std::move(picks), is_picked, bins, weights);
  }

  // Filled by id, some member may not find the place that it had here.
  std::optional<Picks> repaired(Picks picks, std::vector<std::uint8_t>& is_picked, Bins& bins,
                                const std::vector<Gain>& weights) {
    for (int round = 0; round < kRepairsMost; ++round) {
      if (covers_with(picks)) return picks;
      std::vector<NodeId> all = named(picks);
      all.insert(all.end(), held_.begin(), held_.end());
      const Need lacking = left_by(session_, need_, reachable_, std::move(all));
      std::size_t best = nodes_.size();
      Gain most = 0;
      for (std::size_t n = 0; n < nodes_.size(); ++n) {
        if (is_picked[n] != 0) continue;
        const Gain adds = gain(bins, n, lacking, weights);
        if (adds > most) std::tie(best, most) = std::tuple(n, adds);
      }
      if (best == nodes_.size()) return std::nullopt;
      picks.push_back(best);
      is_picked[best] = 1;
    }
    return std::nullopt;
  }

  // The first of them in their order, as few as halving finds.
  std::optional<Picks> prefix() const {
    const auto first = [](std::size_t count) {
      Picks picks(count);
      for (std::size_t n = 0; n < count; ++n) picks[n] = n;
      return picks;
    };
    if (!covers_with(first(nodes_.size()))) return std::nullopt;
    std::size_t short_of = 0;
    std::size_t enough = nodes_.size();
    while (enough - short_of > 1) {
      const std::size_t middle = short_of + (enough - short_of) / 2;
      (covers_with(first(middle)) ? enough : short_of) = middle;
    }
    return first(enough);
  }

  // The last picked added least.
  void drop() {
    std::size_t visits = 0;
    for (std::size_t i = best_->size(); i-- > 0 && visits < kVisitsMost;) {
      visits += (held_.size() + best_->size()) * std::max<std::size_t>(1, need_.parts.size());
      Picks without = *best_;
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
      if (covers_with(without)) best_ = std::move(without);
    }
  }

  void shrink() {
    while (best_->size() > 1 && sets_of(best_->size() - 1) <= kSetsMost) {
      std::optional<Picks> smaller = first_set_of(best_->size() - 1);
      if (!smaller) return;
      best_ = std::move(smaller);
    }
  }

  // Of so many nodes; more than kSetsMost: many.
  std::size_t sets_of(std::size_t count) const {
    std::size_t sets = 1;
    for (std::size_t i = 0; i < std::min(count, nodes_.size() - count); ++i) {
      sets = sets * (nodes_.size() - i) / (i + 1);
      if (sets > kSetsMost) break;
    }
    return sets;
  }

  // The first set that covers the need, in the order of preference.
  std::optional<Picks> first_set_of(std::size_t count) const {
    Picks picks(count);
    for (std::size_t i = 0; i < count; ++i) picks[i] = i;
    while (!covers_with(picks)) {
      std::size_t i = count;
      while (i > 0 && picks[i - 1] == nodes_.size() - count + i - 1) --i;
      if (i == 0) return std::nullopt;
      ++picks[i - 1];
      for (; i < count; ++i) picks[i] = picks[i - 1] + 1;
    }
    return picks;
  }

  Session& session_;
  const Need& need_;
  const ReachableCapacity& reachable_;
  const std::vector<NodeId>& held_;
  const std::vector<NodeId>& nodes_;
  std::optional<Picks> best_;
};

}  // namespace

bool covers(Session& session, const Need& need, const ReachableCapacity& reachable,
            std::vector<NodeId> nodes) {
  std::sort(nodes.begin(), nodes.end());
  Need left = need;
  return Bins(session, std::move(nodes), reachable).fill(left).is_whole;
}

Need left_by(Session& session, const Need& need, const ReachableCapacity& reachable,
             std::vector<NodeId> nodes) {
  std::sort(nodes.begin(), nodes.end());
  Need left = need;
  Bins bins(session, std::move(nodes), reachable);
  bins.fill(left);
  for (std::size_t bin = 0; bin < bins.size(); ++bin) bins.give_to_rest(bin, left);
  return left;
}

std::optional<std::vector<NodeId>> cover_with_few(Session& session, const Need& need,
                                                  const ReachableCapacity& reachable,
                                                  const std::vector<NodeId>& held,
                                                  const std::vector<NodeId>& nodes,
                                                  std::size_t most) {
  return Search(session, need, reachable, held, nodes).run(most);
}

std::optional<std::vector<NodeId>> cover_with_so_many(Session& session, const Need& need,
                                                      const ReachableCapacity& reachable,
                                                      std::size_t count,
                                                      const std::vector<NodeId>& nodes) {
  const std::vector<NodeId> none;
  return Search(session, need, reachable, none, nodes).so_many(count);
}

}  // namespace berth::plugins
