#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "berth/engine/session.h"
#include "engine/tree_nodes.h"

namespace berth::engine {

// Pods of a job that are to be in one domain: by a rule about all of them, or a part of those that
// a rule is about.
struct NearSet {
  const TreeNodes* nodes = nullptr;
  std::optional<std::size_t> required;  // of this level at the most; none: as near as can be
  std::string level;                    // that one, for messages
  bool starts_whole = false;            // TOPO-25
  std::vector<TaskId> waiting;          // to be placed, in the order of the job's tasks
  std::vector<NodeId> there;            // where the others are
};

// TOPO-16. The sets of these tasks, first those that ask for the larger part of the cluster. Rules
// without a level that is known ask for nothing (TOPO-11), and a pod by itself is near itself
// (TOPO-14).
std::vector<NearSet> near_sets(Session& session, const Job& job, const std::vector<TaskId>& tasks);

// How many of those to be placed are of each shape.
std::map<ShapeId, std::int64_t> waiting_kinds(const Cluster& cluster, const NearSet& set);

// TOPO-25. The first so many of these tasks, and the others of the parts that start with them:
// these come first. Returns how many they are.
std::size_t whole_parts_first(const Cluster& cluster, const Job& job, std::span<TaskId> tasks,
                              std::size_t count);

// Are all of these nodes in one domain of the required level? It has one.
bool are_in_one_domain(const NearSet& set, const std::vector<NodeId>& nodes);

// Are pods that must be in one domain in several, or in none?
bool are_apart(Session& session, const Job& job);

}  // namespace berth::engine
