#pragma once

#include <memory>
#include <vector>

#include "berth/engine/feasibility.h"
#include "berth/engine/queue_tree.h"
#include "berth/model/plan.h"
#include "plugins/proportion/fair_share.h"

namespace berth::plugins {

// Divides the cluster among the queues, level by level (docs/design/queues.md, QUEUE-6 to QUEUE-8;
// S1).
class QueueDivision {
 public:
  // QUEUE-10: a queue's `deserved` bounds its share while others ask for more.
  // Laws, for each dimension: children's shares add up to at most their parent's; kept <= deserved
  // <= max(kept, real capability); the order in which queues came decides nothing. With `lends`, a
  // queue keeps no more of its guarantee than it asks for. Infeasible demand does not count.
  // `counts_groups`: what groups ask for (minResources) that have no pods yet is demand, too.
  std::shared_ptr<const QueueShares> divide(const Cluster& cluster, const engine::QueueTree& tree,
                                            bool lends, const engine::Feasibility& feasibility = {},
                                            bool counts_groups = false);

 private:
  void divide(const Cluster& cluster, const engine::QueueTree& tree, bool lends,
              const engine::Feasibility& feasibility, Dimension d, QueueShares& shares);
  void count_groups(const Cluster& cluster, const engine::QueueTree& tree,
                    const engine::Feasibility& feasibility);
  void divide_among_children(const engine::QueueTree& tree, std::size_t parent, Dimension d,
                             QueueShares& shares);

  FairShare fair_share_;
  std::vector<Resources> of_groups_;  // without their pods, by position; empty: not counted
  // Of the dimension being divided, by position.
  std::vector<std::int64_t> own_;    // allocated to jobs of an inner queue itself
  std::vector<std::int64_t> asked_;  // placed or not
  std::vector<std::int64_t> least_;  // lower bounds
  std::vector<std::int64_t> most_;   // upper bounds
  std::vector<std::int64_t> first_;  // upper bounds while others have less than theirs
  std::vector<FairShare::Claim> claims_;
  std::vector<std::int64_t> given_;
  std::vector<std::uint8_t> short_;
};

}  // namespace berth::plugins
