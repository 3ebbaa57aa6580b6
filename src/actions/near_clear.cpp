#include <algorithm>
#include <tuple>
#include <utility>

#include "actions/near.h"
#include "berth/base/look_up.h"
#include "berth/engine/fit.h"
#include "engine/idle_room.h"

// TOPO-22. The domains that others leave for a job, or that are kept for it.

namespace berth::actions {

using namespace engine;

namespace {

// Room once all others have left.
struct WithoutOthers {
  const Cluster& cluster;
  const Resources* own;  // null: none of its pods is there
  std::int64_t at(NodeId node, Dimension d) const {
    return OnceEmptied{cluster}.at(node, d) - (own == nullptr ? 0 : (*own)[d]);
  }
};

void leave_out_of(Within& within, const std::vector<NodeId>& nodes) {
  for (const NodeId node : nodes) within.has[node.index()] = 0;
  for (std::vector<NodeId>& group : within.groups) {
    std::erase_if(group, [&](NodeId node) { return within.has[node.index()] == 0; });
  }
}

}  // namespace

std::optional<Near::Places> Near::places_to_clear() const {
  if (!is_required()) return std::nullopt;
  const NearSet* const all = whole();
  if (all == nullptr || !all->required) return Places{Place()};
  Places places;
  for (const TreeDomainId id : domains_to_look_at(*all)) places.push_back({id});
  return places;
}

bool Near::are_near(const std::vector<NodeId>& nodes) const {
  if (!is_required()) return true;
  const NearSet* const all = whole();
  if (all == nullptr || !all->required || has_parts()) return false;
  std::vector<NodeId> both = there_of(*all);
  both.insert(both.end(), nodes.begin(), nodes.end());
  return are_in_one_domain(*all, both);
}

std::int64_t Near::room_once_emptied(ShapeId shape, NodeId node) const {
  const bool is_barred = cluster_.node(node).lock.is_foreign || !session_.is_open_to(node, job_.id);
  if (is_barred || session_.passing_but_for_vetoes(shape)[node.index()] == 0) return 0;
  const Resources* const stays = find_value(own_on_, node);
  return std::max(0, room_for(WithoutOthers{cluster_, stays}, cluster_.shape(shape), node));
}

void Near::count_own() {
  own_on_.clear();
  for (const TaskId id : tasks_) {
    const NodeId node = cluster_.task(id).node;
    if (node.is_valid()) own_on_[node] += cluster_.shape_of(id).request;
  }
}

// The best to clear first.
std::vector<Near::Cleared> Near::once_cleared(const NearSet& set) {
  const Counts counts = pending_of(set.waiting, set.waiting.size());
  const std::vector<Room> rooms = rooms_of(set, counts);
  count_own();
  std::vector<Cleared> found;
  for (const TreeDomainId id : domains_to_look_at(set)) {
    const Range range = set.nodes->range(id);
    std::int64_t once_emptied = 0;
    std::int64_t on_kept = 0;
    for (const auto& [shape, count] : counts) {
      std::int64_t room = 0;
      std::int64_t of_kept = 0;
      for (const NodeId node : set.nodes->nodes(range)) {
        if (!is_among(node)) continue;
        const std::int64_t here = room_once_emptied(shape, node);
        room += here;
        if (cluster_.node(node).lock.job == job_.id) of_kept += here;
      }
      once_emptied += std::min(count, room);
      on_kept += std::min(count, of_kept);
    }
    found.push_back({id, once_emptied == sum_of(counts), on_kept, fitting(rooms, id, counts)});
  }
  const auto rank = [](const Cleared& each) {
    return std::tie(each.holds_all, each.kept, each.idle);
  };
  std::stable_sort(found.begin(), found.end(), [&](const Cleared& left, const Cleared& right) {
    return rank(left) > rank(right);
  });
  return found;
}

void Near::enter_place_to_keep() {
  if (!is_required()) return;
  const NearSet* const all = whole();
  if (all == nullptr || !all->required) return enter({});
  look_at(false, nullptr);
  const std::vector<Cleared> cleared = once_cleared(*all);
  if (!cleared.empty()) enter({cleared.front().domain});
}

Near::Places Near::options_to_clear(TaskId task, std::size_t part) {
  Places places;
  do {
    rooms_.clear();
    look_at(false, outer_of(task, part));
    for (const Cleared& each : once_cleared(sets_[part])) {
      if (each.holds_all) places.push_back({each.domain});
    }
  } while (places.empty() && give_up_preferred(task, part));
  return places;
}

std::vector<NodeId> Near::nodes_to_keep(std::span<const TaskId> tasks) {
  const Within* const in = outer_of(tasks.front(), kNone);
  const Counts counts = pending_of({tasks.begin(), tasks.end()}, tasks.size());
  std::vector<NodeId> nodes;
  for (std::size_t n = 0; n < cluster_.node_count(); ++n) {
    if (in == nullptr || in->has[n] != 0) nodes.emplace_back(n);
  }
  if (counts.size() != 1) return nodes;  // each kind may need those of the others
  const auto [shape, count] = counts.front();
  const std::vector<std::int32_t> idle = idle_room(session_, shape, job_.id, nodes);
  std::vector<std::tuple<bool, std::int32_t, NodeId>> ranked;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    ranked.emplace_back(cluster_.node(nodes[i]).lock.job == job_.id, idle[i], nodes[i]);
  }
  std::sort(ranked.begin(), ranked.end(), [](const auto& left, const auto& right) {
    const auto& [is_kept, room, node] = left;
    const auto& [other_is_kept, other_room, other] = right;
    return std::tie(other_is_kept, other_room, node) < std::tie(is_kept, room, other);
  });
  std::vector<NodeId> enough;
  std::int64_t room = 0;
  for (const auto& [is_kept, its_room, node] : ranked) {
    if (room >= count) break;
    const std::int64_t here = room_once_emptied(shape, node);
    if (here > 0) enough.push_back(node);
    room += here;
  }
  return enough;
}

void Near::leave_out(const std::vector<NodeId>& nodes) {
  if (whole_ == nullptr) {
    std::vector<NodeId> all;
    for (std::size_t n = 0; n < cluster_.node_count(); ++n) all.emplace_back(n);
    whole_ = std::make_unique<Within>(cluster_);
    whole_->add(std::move(all));
  }
  leave_out_of(*whole_, nodes);
  for (std::optional<Choice>& each : chosen_) {
    if (each && each->within != nullptr) leave_out_of(*each->within, nodes);
  }
}

}  // namespace berth::actions
