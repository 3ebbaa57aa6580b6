// The present set, the best set, and which of the two it is to be.

#include "plugins/node_reservation/node_set.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "plugins/node_reservation/node_set_measure.h"
#include "plugins/node_reservation/node_set_picking.h"
#include "plugins/node_reservation/node_set_search.h"

namespace berth::plugins {

namespace {

constexpr std::size_t kExactMost = 20;  // a millisecond at 16, twice with each more

class NodeSetChooser {
 public:
  NodeSetChooser(const NodeChoices& choices, const NodeDemand& demand, const NodeSetTerms& terms)
      : terms_(terms), measure_(choices, demand, terms) {}

  NodeSet run() {
    if (measure_.is_nothing()) return {{}, true, 0};
    if (measure_.useful().empty()) return {};
    const bool can_be_enough = measure_.clip_demand();
    for (const std::uint32_t node : measure_.useful()) {
      if (measure_.is_held(node)) held_.push_back(node);
    }
    if (!can_be_enough) return {extended(), false, 0};
    if (terms_.strategy == NodeStrategy::random) return random();
    const FoundSet found = measure_.useful().size() <= std::min(terms_.exact_up_to, kExactMost)
                               ? search_all_sets(measure_)
                               : search_greedily(measure_);
    const bool is_within = count_new(found.nodes) <= terms_.new_most;
    if (held_.empty() && is_within) return scored(found.nodes, found.fewest);
    const NodePicks present = reduced_or_extended();
    const std::size_t fewest =
        is_enough(present) ? std::min(found.fewest, present.size()) : found.fewest;
    const NodeSet stays = scored(present, fewest);
    const NodeSet anew = scored(found.nodes, fewest);
    return is_within && anew.score - stays.score > terms_.margin ? anew : stays;
  }

 private:
  bool is_enough(const NodePicks& nodes) const {
    return measure_.is_enough(measure_.sums_of(nodes));
  }
  std::size_t count_new(const NodePicks& nodes) const {
    return static_cast<std::size_t>(std::count_if(
        nodes.begin(), nodes.end(), [&](std::uint32_t node) { return !measure_.is_held(node); }));
  }
  NodeSet scored(NodePicks nodes, std::size_t fewest) const {
    const NodeSetMeasure::Sums sums = measure_.sums_of(nodes);
    const bool is_enough = measure_.is_enough(sums);
    const std::int64_t score = is_enough ? measure_.score(sums, fewest) : 0;
    return {std::move(nodes), is_enough, score};
  }

  NodePicks reduced_or_extended() const {
    const NodeSetMeasure::Sums sums = measure_.sums_of(held_);
    const bool is_more = measure_.nodes_asked() != 0 && held_.size() > measure_.nodes_asked();
    if (!is_more && !measure_.is_enough(sums)) return extended();
    NodePicks nodes = held_;
    NodePicking(measure_).drop_needless(nodes);
    return nodes;
  }

  // Held and added nodes that are needed, within the limit.
  NodePicks extended() const {
    for (const bool by_size : {false, true}) {
      const NodePicks added =
          by_size ? additions_by_size(measure_, held_) : additions_by_score(measure_, held_);
      NodePicks nodes = held_;
      nodes.insert(nodes.end(), added.begin(), added.end());
      std::sort(nodes.begin(), nodes.end());
      if (is_enough(nodes)) {
        NodePicking(measure_).drop_needless(nodes, true);
        if (count_new(nodes) <= terms_.new_most) {
          NodePicking(measure_).drop_needless(nodes);
          return nodes;
        }
      }
      if (by_size) return cut(added);
    }
    return held_;
  }

  NodePicks cut(const NodePicks& added) const {
    NodePicks nodes = held_;
    const std::size_t count = std::min(added.size(), terms_.new_most);
    nodes.insert(nodes.end(), added.begin(), added.begin() + static_cast<std::ptrdiff_t>(count));
    std::sort(nodes.begin(), nodes.end());
    drop_idle(nodes);
    return nodes;
  }

  // Without these, no more would be missing. They use up the limit. New ones go before held ones.
  void drop_idle(NodePicks& nodes) const {
    if (measure_.nodes_asked() != 0) return;
    NodeSetMeasure::Sums sums = measure_.sums_of(nodes);
    const auto is_needed = [&](std::uint32_t node) {
      for (std::size_t d = 0; d < measure_.dimensions(); ++d) {
        const std::int64_t gives = measure_.gives(node, d);
        if (gives > 0 && sums.gives[d] - gives < measure_.target(d)) return true;
      }
      return false;
    };
    for (const bool are_held : {false, true}) {
      for (std::size_t i = nodes.size(); i-- > 0;) {
        if (measure_.is_held(nodes[i]) != are_held || is_needed(nodes[i])) continue;
        measure_.remove(sums, nodes[i]);
        nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }

  // --- random -----------------------------------------------------------------------------------

  bool is_before(std::uint32_t a, std::uint32_t b) const {
    return std::pair(terms_.order[a], a) < std::pair(terms_.order[b], b);
  }

  // `nodes` and, in order, others until they are enough; then those that are not needed leave, the
  // last in order first, those that are not held before the others.
  NodePicks filled_up(NodePicks nodes, const NodePicks& others, std::size_t most) const {
    NodeSetMeasure::Sums sums = measure_.sums_of(nodes);
    for (std::size_t i = 0; i < others.size() && i < most && !is_enough_or_more(sums); ++i) {
      nodes.push_back(others[i]);
      measure_.add(sums, others[i]);
    }
    for (std::size_t i = nodes.size(); i-- > 0 && is_enough_or_more(sums);) {
      if (!measure_.is_enough_without(sums, nodes[i])) continue;
      measure_.remove(sums, nodes[i]);
      nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(i));
    }
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  }
  bool is_enough_or_more(const NodeSetMeasure::Sums& sums) const {
    return measure_.nodes_asked() != 0 ? sums.nodes >= measure_.nodes_asked()
                                       : measure_.is_enough(sums);
  }

  NodeSet random() const {
    NodePicks all = measure_.useful();
    const auto in_order = [&](std::uint32_t a, std::uint32_t b) { return is_before(a, b); };
    std::sort(all.begin(), all.end(), in_order);
    NodePicks nodes = filled_up({}, all, all.size());
    if (count_new(nodes) > terms_.new_most) {
      NodePicks held = held_;
      std::sort(held.begin(), held.end(), in_order);
      std::erase_if(all, [&](std::uint32_t node) { return measure_.is_held(node); });
      nodes = filled_up(std::move(held), all, terms_.new_most);
    }
    const std::size_t count = nodes.size();
    return scored(std::move(nodes), count);
  }

  const NodeSetTerms& terms_;
  NodeSetMeasure measure_;
  NodePicks held_;  // of the useful ones
};

}  // namespace

NodeSet choose_node_set(const NodeChoices& choices, const NodeDemand& demand,
                        const NodeSetTerms& terms) {
  return NodeSetChooser(choices, demand, terms).run();
}

std::int64_t score_of(const NodeChoices& choices, const NodeDemand& demand,
                      const NodeSetTerms& terms, const std::vector<std::uint32_t>& nodes,
                      std::size_t fewest) {
  const NodeSetMeasure measure(choices, demand, terms);
  const NodeSetMeasure::Sums sums = measure.sums_of(nodes);
  return measure.is_enough(sums) ? measure.score(sums, fewest) : 0;
}

}  // namespace berth::plugins
