#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/engine/session.h"
#include "engine/tree_nodes.h"

namespace berth::actions {

// Pods of a job that are to be in one domain: by a rule about all of them, or a part of those that
// a rule is about.
struct NearSet {
  const engine::TreeNodes* nodes = nullptr;
  std::optional<std::size_t> required;  // of this level at the most; none: as near as can be
  std::string level;                    // that one, for messages
  std::vector<TaskId> waiting;          // to be placed, in the order of the job's tasks
  std::vector<NodeId> there;            // where the others are
};

// TOPO-16. The sets of these tasks, the larger first. Rules without a level that is known ask for
// nothing (TOPO-11), and a pod by itself is near itself (TOPO-14).
std::vector<NearSet> near_sets(engine::Session& session, const Job& job,
                               const std::vector<TaskId>& tasks);

// Are all of these nodes in one domain of the required level? It has one.
bool are_in_one_domain(const NearSet& set, const std::vector<NodeId>& nodes);

// Are pods that must be in one domain in several, or in none?
bool are_apart(engine::Session& session, const Job& job);

}  // namespace berth::actions
