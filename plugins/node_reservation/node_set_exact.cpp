#include <algorithm>
#include <limits>
#include <vector>

#include "plugins/node_reservation/node_set_search.h"

namespace berth::plugins {

namespace {

// NODES-9. Depth first over the useful candidates, each in or out; "in" first, so sets come in
// lexicographic order. A set that is enough is not grown, and one that cannot become enough is
// left.
class AllSets {
 public:
  explicit AllSets(const NodeSetMeasure& measure)
      : measure_(measure), nodes_(measure.useful()), sums_(measure.none()) {
    const std::size_t dims = measure.dimensions();
    rest_.assign((nodes_.size() + 1) * dims, 0);
    most_.assign((nodes_.size() + 1) * dims, 0);
    for (std::size_t at = nodes_.size(); at-- > 0;) {
      for (std::size_t d = 0; d < dims; ++d) {
        const std::int64_t gives = measure.gives(nodes_[at], d);
        rest_[at * dims + d] = rest_[(at + 1) * dims + d] + gives;
        most_[at * dims + d] = std::max(most_[(at + 1) * dims + d], gives);
      }
    }
    next_unlike_.assign(nodes_.size(), 0);
    for (std::size_t at = 0; at < nodes_.size(); ++at) {
      std::size_t next = at + 1;
      while (next < nodes_.size() && measure.are_alike(nodes_[at], nodes_[next])) ++next;
      next_unlike_[at] = next;
    }
  }

  FoundSet run() {
    fewest_ = nodes_.size();
    find_fewest(0);
    score_sets(0);
    return {best_, fewest_};
  }

 private:
  bool can_be_enough(std::size_t at) const {
    const std::size_t asked = measure_.nodes_asked();
    if (asked != 0) return picks_.size() + nodes_.size() - at >= asked;
    for (std::size_t d = 0; d < measure_.dimensions(); ++d) {
      if (sums_.gives[d] + rest_[at * measure_.dimensions() + d] < measure_.target(d)) return false;
    }
    return true;
  }
  // So many more of the rest could be enough.
  bool can_do_with(std::size_t more, std::size_t at) const {
    for (std::size_t d = 0; d < measure_.dimensions(); ++d) {
      const std::int64_t most = most_[at * measure_.dimensions() + d];
      if (sums_.gives[d] + static_cast<std::int64_t>(more) * most < measure_.target(d))
        return false;
    }
    return true;
  }

  void take(std::size_t at) {
    picks_.push_back(nodes_[at]);
    measure_.add(sums_, nodes_[at]);
  }
  void give_back(std::size_t at) {
    picks_.pop_back();
    measure_.remove(sums_, nodes_[at]);
  }

  void find_fewest(std::size_t at) {
    if (measure_.nodes_asked() != 0) {
      fewest_ = measure_.nodes_asked();
      return;
    }
    if (measure_.is_enough(sums_)) {
      fewest_ = std::min(fewest_, picks_.size());
      return;
    }
    if (at == nodes_.size() || picks_.size() + 1 >= fewest_) return;
    if (!can_be_enough(at) || !can_do_with(fewest_ - 1 - picks_.size(), at)) return;
    take(at);
    find_fewest(at + 1);
    give_back(at);
    find_fewest(next_unlike_[at]);
  }

  void score_sets(std::size_t at) {
    if (measure_.is_enough(sums_)) {
      if (measure_.is_minimal(sums_, picks_)) consider();
      return;
    }
    if (at == nodes_.size() || !can_be_enough(at)) return;
    take(at);
    score_sets(at + 1);
    give_back(at);
    score_sets(next_unlike_[at]);
  }

  void consider() {
    const std::int64_t score = measure_.score(sums_, fewest_);
    if (score < best_score_) return;
    if (score == best_score_ && picks_.size() >= best_.size()) return;
    best_score_ = score;
    best_ = picks_;
  }

  const NodeSetMeasure& measure_;
  const NodePicks& nodes_;
  std::vector<std::int64_t> rest_;  // what nodes from here on give, by dimension
  std::vector<std::int64_t> most_;  // what the largest of them gives
  std::vector<std::size_t> next_unlike_;
  NodePicks picks_;
  NodeSetMeasure::Sums sums_;
  std::size_t fewest_ = 0;
  NodePicks best_;
  std::int64_t best_score_ = std::numeric_limits<std::int64_t>::min();
};

}  // namespace

FoundSet search_all_sets(const NodeSetMeasure& measure) { return AllSets(measure).run(); }

}  // namespace berth::plugins
