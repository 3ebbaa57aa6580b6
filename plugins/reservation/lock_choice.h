#pragma once

#include <cstddef>
#include <vector>

#include "berth/engine/need.h"
#include "berth/engine/session.h"
#include "engine/bins.h"

namespace berth::plugins {

// Which nodes are kept for a target. Rules LOCK-1 to LOCK-6, LOCK-9 of docs/design/reservation.md.
struct LockWish {
  LockScheme scheme = LockScheme::multi_node;
  std::size_t nodes = 5;       // of multi-node: so many at first
  std::size_t most = 0;        // never more than this, those that are locked included
  bool may_grow = true;        // of single-node: not so soon after the last one
  bool by_ends = false;        // of multi-node and closest-fit: those that hold it soonest
  bool counts_others = false;  // nodes of other targets, too: they will be open again
  bool operator==(const LockWish&) const = default;
};

struct LockChoice {
  std::vector<NodeId> nodes;  // locked and still of use, or to be locked besides; by id
  bool is_covered = false;    // once others have finished, the target can start on these
};
LockChoice choose_nodes(engine::Session& session, const LockWish& wish, const Job& job,
                        const engine::Need& need);

// The number of nodes that could cover what the job needs once others have finished; 0: not even
// all could.
std::size_t fewest(engine::Session& session, const Job& job, const engine::Need& need);

// Could so many nodes, well chosen, ever cover what the job needs?
engine::Verdict could_be_covered(engine::Session& session, std::size_t most, const Job& job,
                                 const engine::Need& need);

}  // namespace berth::plugins
