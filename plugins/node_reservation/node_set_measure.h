#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plugins/node_reservation/node_set.h"

namespace berth::plugins {

using NodePicks = std::vector<std::uint32_t>;  // candidates

struct NodeProblem {
  NodeChoices choices;
  NodeDemand demand;
  NodeSetTerms terms;
};

// Adds up and scores sets, in the dimensions that count. It refers to its arguments.
class NodeSetMeasure {
 public:
  // By position in `counted`.
  struct Sums {
    std::size_t nodes = 0;
    std::vector<std::int64_t> gives;
    std::vector<std::int64_t> own;
    std::vector<std::int64_t> idle;
  };

  NodeSetMeasure(const NodeChoices& choices, const NodeDemand& demand, const NodeSetTerms& terms);

  // Asks for no more than all useful candidates give, and returns false, if they are not enough.
  bool clip_demand();

  // The same demand of some of the candidates, in the dimensions that count.
  NodeProblem part(const NodePicks& nodes) const;

  std::size_t size() const { return choices_.size(); }
  std::size_t dimensions() const { return counted_.size(); }
  std::size_t nodes_asked() const { return nodes_; }  // 0: by amounts
  bool is_nothing() const { return nodes_ == 0 && counted_.empty(); }
  bool is_held(std::uint32_t node) const { return choices_.is_held[node] != 0; }
  const NodePicks& useful() const { return useful_; }

  std::int64_t gives(std::uint32_t node, std::size_t d) const {
    return of(choices_.gives, node, d);
  }
  std::int64_t own(std::uint32_t node, std::size_t d) const { return of(choices_.own, node, d); }
  std::int64_t idle(std::uint32_t node, std::size_t d) const { return of(choices_.idle, node, d); }
  std::int64_t all_give(std::size_t d) const { return all_give_[d]; }
  std::int64_t target(std::size_t d) const { return target_[d]; }
  std::int64_t spare(std::size_t d) const { return spare_[d]; }  // total - target, at least 0
  bool are_alike(std::uint32_t a, std::uint32_t b) const;        // in all that is scored

  Sums none() const;
  Sums sums_of(const NodePicks& nodes) const;
  void add(Sums& sums, std::uint32_t node) const { change(sums, node, 1); }
  void remove(Sums& sums, std::uint32_t node) const { change(sums, node, -1); }

  bool is_enough(const Sums& sums) const;
  bool is_enough_without(const Sums& sums, std::uint32_t node) const;
  bool is_enough_instead(const Sums& sums, std::uint32_t out, std::uint32_t in) const;
  // Each of its nodes is needed.
  bool is_minimal(const Sums& sums, const NodePicks& nodes) const;

  // In billionths, whether or not the set is enough.
  std::int64_t score(const Sums& sums, std::size_t fewest) const;

 private:
  std::int64_t of(const std::vector<std::int64_t>& column, std::uint32_t node,
                  std::size_t d) const {
    return column[node * choices_.dimensions + counted_[d]];
  }
  void change(Sums& sums, std::uint32_t node, int sign) const {
    sums.nodes += static_cast<std::size_t>(sign);
    for (std::size_t d = 0; d < dimensions(); ++d) {
      sums.gives[d] += sign * gives(node, d);
      sums.own[d] += sign * own(node, d);
      sums.idle[d] += sign * idle(node, d);
    }
  }
  std::int64_t weighted(const Sums& sums, std::size_t fewest) const;
  std::int64_t seed_formula(const Sums& sums) const;

  const NodeChoices& choices_;
  NodeStrategy strategy_;
  std::size_t nodes_;
  std::vector<std::uint32_t> counted_;
  std::vector<std::int64_t> target_;
  std::vector<std::int64_t> spare_;
  std::vector<std::int64_t> unit_;
  std::vector<std::int64_t> all_give_;
  NodePicks useful_;
};

}  // namespace berth::plugins
