#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "berth/engine/feasibility.h"
#include "berth/engine/fit.h"
#include "berth/engine/session.h"
#include "engine/near_sets.h"
#include "engine/tree_room.h"

// Jobs whose pods must be nearer each other than any nodes could take them.

namespace berth::engine {

std::shared_ptr<const TreeRoom> Feasibility::emptied(Session& session, const TreeNodes& nodes,
                                                     ShapeId id) {
  const Cluster& cluster = session.cluster();
  const Shape& shape = cluster.shape(id);
  OfShape& found = shapes_[id.index()];
  if (found.nodes != nodes_ || found.serial != shape.serial) of_shape(session, id, 1);
  std::shared_ptr<const TreeRoom>& known = found.emptied[&nodes];
  if (known != nullptr) return known;
  auto room = std::make_shared<TreeRoom>(nodes);
  for (const NodeId node : nodes.nodes(nodes.all())) {
    if (!passes_in_time(may_run_on(session, shape, node))) continue;
    room->set(node, std::max(0, room_for(OnceEmptied{cluster}, shape, node)));
  }
  return known = std::move(room);
}

namespace {

// So many of a set have no place in the domain that takes most of them.
struct TooMany {
  const NearSet* set = nullptr;
  std::int64_t most = 0;
  std::int64_t left = 0;
};

}  // namespace

// The most pods of these kinds that one domain of the level takes once it is emptied.
std::int64_t Feasibility::most_in_one_domain(Session& session, const NearSet& set) {
  std::vector<std::pair<std::int64_t, std::shared_ptr<const TreeRoom>>> kinds;
  for (const auto& [shape, count] : waiting_kinds(session.cluster(), set)) {
    kinds.emplace_back(count, emptied(session, *set.nodes, shape));
  }
  const auto all = static_cast<std::int64_t>(set.waiting.size());
  std::int64_t most = 0;
  for (const TreeDomainId id : set.nodes->domains(*set.required)) {
    if (most == all) break;
    std::int64_t fits = 0;
    for (const auto& [count, room] : kinds) fits += std::min(count, room->in(id));
    most = std::max(most, fits);
  }
  return most;
}

// TOPO-23. Sets that share no pod lack places for all of theirs together. Those that have a place
// may have taken what is missing.
Cause Feasibility::could_be_near(Session& session, const Job& job, std::int64_t count) {
  if (job.topology.rules.empty() || job.placed_count() > 0) return {};
  std::vector<TaskId> waiting;
  for (const TaskId id : job.tasks) {
    const Task& task = session.cluster().task(id);
    if (task.status == TaskStatus::pending && !task.is_gated) waiting.push_back(id);
  }
  // Pods that do not exist yet are no obstacle.
  const auto all = static_cast<std::int64_t>(waiting.size());
  const std::int64_t needed = std::min(count, all);
  if (needed <= 1) return {};
  const std::vector<NearSet> sets = near_sets(session, job, waiting);
  std::vector<TooMany> too_many;
  for (const NearSet& each : sets) {
    if (!each.required) continue;
    const std::int64_t most = most_in_one_domain(session, each);
    const auto size = static_cast<std::int64_t>(each.waiting.size());
    if (most < size) too_many.push_back({&each, most, each.starts_whole ? size : size - most});
  }
  std::stable_sort(too_many.begin(), too_many.end(),
                   [](const TooMany& one, const TooMany& other) { return one.left > other.left; });
  std::set<TaskId> counted;
  std::int64_t places = all;
  for (const TooMany& each : too_many) {
    const std::vector<TaskId>& tasks = each.set->waiting;
    const bool is_apart =
        std::none_of(tasks.begin(), tasks.end(), [&](TaskId id) { return counted.contains(id); });
    if (!is_apart) continue;
    counted.insert(tasks.begin(), tasks.end());
    places -= each.left;
  }
  if (places >= needed) return {};
  const TooMany& worst = too_many.front();
  auto of_set = static_cast<std::int64_t>(worst.set->waiting.size());
  if (!worst.set->starts_whole) of_set = std::min(of_set, needed);
  return {Reason::domains_too_small, worst.most, of_set, worst.set->level, {}};
}

}  // namespace berth::engine
