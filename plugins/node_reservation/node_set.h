#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace berth::plugins {

// Which nodes a queue gets. Pure functions: the same input gives the same set. Safe on any thread.
// Amounts are in base units, 0 to 2^53; sums over all candidates are at most 2^56.

// The nodes that a queue could have, in order of name: ties end in it. Dense columns, at
// candidate * dimensions + dimension.
struct NodeChoices {
  std::size_t dimensions = 0;
  std::vector<std::int64_t> gives;    // what the node counts for
  std::vector<std::int64_t> own;      // used there by the queue's pods
  std::vector<std::int64_t> idle;     // free there
  std::vector<std::uint8_t> is_held;  // by candidate: in the present set

  std::size_t size() const { return is_held.size(); }
};

struct NodeDemand {
  // Exactly so many nodes; all dimensions count. 0: by amounts.
  std::size_t nodes = 0;
  // By dimension: these amounts. Dimensions above 0 count. Not read if `nodes` is not 0.
  std::vector<std::int64_t> target;
  std::vector<std::int64_t> total;  // of the cluster, by dimension
};

// weighted: 0.4 tightness, 0.35 own use, 0.15 few nodes, 0.1 idle room; each term is 0 to 1:
//   tightness  1 - mean of (sum - target) / (total - target); 0 excess if total <= target
//   own use    mean of own / sum; 0 if sum is 0, 1 if own is more
//   few nodes  n_min / n
//   idle room  mean of idle / sum, likewise
// seed_formula: S3 as written, with x = sum - target, used = own, each the sum of its dimensions in
//   units, and D = x + used + n + idle: (0.4 / x + 0.35 used + 0.15 / n + 0.1 idle) / D.
//   1 / x is 1 if x is 0. The empty set, D = 0, has score 0.
// random: the lowest of a given order. Its score is that of `weighted`, for the record.
enum class NodeStrategy : std::uint8_t { weighted, seed_formula, random };

struct NodeSetTerms {
  NodeStrategy strategy = NodeStrategy::weighted;
  std::vector<std::uint64_t> order;  // random: by candidate, the lowest are taken; else empty
  std::size_t exact_up_to = 16;      // so many useful candidates; more than 20 are never exact
  std::int64_t margin = 0;           // in billionths of the score
  // At most so many candidates that are not held.
  std::size_t new_most = std::numeric_limits<std::size_t>::max();
  // seed_formula: by dimension, the amount that is one unit (cpu 1000, memory 2^30); >= 1.
  // Empty: 1.
  std::vector<std::int64_t> unit;
};

struct NodeSet {
  std::vector<std::uint32_t> nodes;  // candidates, ascending
  bool is_enough = false;            // has all that is asked for
  // In billionths, a few off by rounding. Weighted: 0 to 1. 0 if it is not enough, or nothing is
  // asked for.
  std::int64_t score = 0;
};

// The set to have now. A set that is enough needs each of its nodes, and none that gives nothing
// of what is asked for.
//
// The present set, of the held nodes that give something, is reduced if it is enough, worst node
// first. Otherwise it is extended, by at most `new_most` nodes: those that add most, if they are
// more; then nodes leave without which no more would be missing. If no set of all candidates is
// enough, as much as all give is asked for instead.
// The best set regardless of the present one is taken instead if it has at most `new_most` nodes
// that are not held, and is better by more than `margin`, or nothing is held. Random: whenever it
// is within `new_most`.
//
// Exact for few candidates, else greedy. Sets of equal score: fewer nodes, then lexicographic.
NodeSet choose_node_set(const NodeChoices& choices, const NodeDemand& demand,
                        const NodeSetTerms& terms);

// The score of any set, in billionths; `fewest` is n_min, >= 1. 0: it is not enough.
std::int64_t score_of(const NodeChoices& choices, const NodeDemand& demand,
                      const NodeSetTerms& terms, const std::vector<std::uint32_t>& nodes,
                      std::size_t fewest);

}  // namespace berth::plugins
