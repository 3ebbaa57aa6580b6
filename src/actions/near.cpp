#include "actions/near.h"

#include <algorithm>
#include <limits>
#include <string>

#include "berth/base/look_up.h"
#include "berth/engine/need.h"
#include "engine/idle_room.h"
#include "engine/memory.h"

namespace berth::actions {

using namespace engine;

namespace {

constexpr std::size_t kPlacesOfLevel = 16;

}  // namespace

Near::Near(Session& session, const Job& job, const std::vector<TaskId>& tasks, std::int32_t lacking)
    : session_(session),
      cluster_(session.cluster()),
      job_(job),
      tasks_(tasks),
      lacking_(lacking),
      sets_(near_sets(session, job, tasks)) {
  chosen_.resize(sets_.size());
  for (std::size_t s = whole() == nullptr ? 0 : 1; s < sets_.size(); ++s) {
    for (const TaskId id : sets_[s].waiting) {
      of_task_[id].sets.push_back(s);
      if (sets_[s].required) of_task_[id].parts.push_back(s);
    }
    has_parts_ = has_parts_ || sets_[s].required;
  }
  for (const NearSet& each : sets_) {
    if (each.required) required_.insert(required_.end(), each.waiting.begin(), each.waiting.end());
  }
  std::sort(required_.begin(), required_.end());
}

Near::Near(Session& session, const Job& job)
    : Near(session, job,
           job.topology.rules.empty() ? std::vector<TaskId>() : lacking_members(session, job),
           job.min_available) {}

void Near::put_in_order(std::span<TaskId> tasks) const {
  constexpr auto kLast = std::numeric_limits<std::size_t>::max();
  using Key = std::pair<std::vector<std::size_t>, std::vector<std::size_t>>;
  std::vector<std::pair<Key, TaskId>> in_order;  // by their sets
  for (const TaskId id : tasks) {
    const bool must = std::binary_search(required_.begin(), required_.end(), id);
    const auto found = of_task_.find(id);
    Key key;
    if (found != of_task_.end()) key = {found->second.parts, found->second.sets};
    if (key.first.empty()) key.first.assign(must ? 1 : 2, kLast);
    in_order.emplace_back(std::move(key), id);
  }
  std::stable_sort(in_order.begin(), in_order.end(),
                   [](const auto& left, const auto& right) { return left.first < right.first; });
  std::transform(in_order.begin(), in_order.end(), tasks.begin(),
                 [](const auto& each) { return each.second; });
}

// One that starts whole is placed as a part (TOPO-25).
const NearSet* Near::whole() const {
  const bool is_there = !sets_.empty() && !sets_.front().starts_whole &&
                        sets_.front().waiting.size() == tasks_.size();
  return is_there ? &sets_.front() : nullptr;
}

// Members may have got a place in this very try.
std::vector<NodeId> Near::there_of(const NearSet& set) const {
  std::vector<NodeId> there = set.there;
  for (const TaskId id : set.waiting) {
    if (cluster_.task(id).node.is_valid()) there.push_back(cluster_.task(id).node);
  }
  return there;
}

Near::Counts Near::pending_of(const std::vector<TaskId>& tasks, std::size_t most) const {
  Counts counts;
  std::size_t counted = 0;
  for (const TaskId id : tasks) {
    const Task& task = cluster_.task(id);
    if (task.status != TaskStatus::pending || counted++ >= most) continue;
    const auto known = std::find_if(counts.begin(), counts.end(),
                                    [&](const auto& each) { return each.first == task.shape; });
    if (known == counts.end()) {
      counts.emplace_back(task.shape, 1);
    } else {
      ++known->second;
    }
  }
  return counts;
}

// The room that counts from now on: idle, or once others have left; among these nodes, or all.
void Near::look_at(bool leaving, const Within* among) {
  if (leaving == is_on_leaving_ && among == nullptr && among_ == nullptr) return;
  is_on_leaving_ = leaving;
  among_ = among;
  rooms_.clear();
}

Near::Room Near::room_of(const NearSet& set, ShapeId shape) {
  if (!is_on_leaving_ && among_ == nullptr && is_common(cluster_, shape, job_.id)) {
    return session_.memory().room.idle(session_, *set.nodes, shape);
  }
  Room& known = rooms_[{set.nodes, shape}];
  if (known != nullptr) return known;
  std::vector<NodeId> nodes;
  for (const NodeId node : set.nodes->nodes(set.nodes->all())) {
    if (is_among(node)) nodes.push_back(node);
  }
  const std::vector<std::int32_t> pods = is_on_leaving_
                                             ? future_room(session_, shape, job_.id, nodes)
                                             : idle_room(session_, shape, job_.id, nodes);
  auto room = std::make_shared<TreeRoom>(*set.nodes);
  for (std::size_t i = 0; i < nodes.size(); ++i) room->set(nodes[i], pods[i]);
  return known = std::move(room);
}

std::vector<Near::Room> Near::rooms_of(const NearSet& set, const Counts& counts) {
  std::vector<Room> rooms;
  for (const auto& [shape, count] : counts) rooms.push_back(room_of(set, shape));
  return rooms;
}

// How many of these pods there is room for, each kind by itself.
std::int64_t Near::fitting(const std::vector<Room>& rooms, TreeDomainId domain,
                           const Counts& counts) {
  std::int64_t fitting = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    fitting += std::min(counts[i].second, rooms[i]->in(domain));
  }
  return fitting;
}

// TOPO-19. From the innermost that has all of them, outwards. If they are apart already, the one
// with the most of them. Empty: none is in a domain.
std::vector<TreeDomainId> Near::domains_of_those_there(const NearSet& set) const {
  const TopologyTree& tree = set.nodes->tree();
  const std::vector<NodeId> there = there_of(set);
  std::vector<TreeDomainId> domains;
  const std::size_t outermost = set.required.value_or(0);
  for (TreeDomainId id = set.nodes->around(there); id.is_valid(); id = tree.domain(id).parent) {
    if (tree.domain(id).level < outermost) break;
    domains.push_back(id);
  }
  if (!domains.empty()) return domains;
  std::map<std::string, std::pair<std::int64_t, TreeDomainId>> by_path;
  for (const NodeId node : there) {
    const TreeDomainId id = tree.within(set.nodes->domain_of(node), outermost);
    if (!id.is_valid()) continue;
    auto& [members, domain] = by_path[tree.path_of(id)];
    ++members;
    domain = id;
  }
  const auto most = std::max_element(
      by_path.begin(), by_path.end(),
      [](const auto& left, const auto& right) { return left.second.first < right.second.first; });
  if (most != by_path.end()) domains.push_back(most->second.second);
  return domains;
}

std::int64_t Near::sum_of(const Counts& counts) {
  std::int64_t sum = 0;
  for (const auto& [shape, count] : counts) sum += count;
  return sum;
}

// Of several, the first. Invalid: there are no pods.
std::pair<ShapeId, std::int64_t> Near::most_frequent(const Counts& counts) {
  std::pair<ShapeId, std::int64_t> most;
  for (const auto& each : counts) {
    if (each.second > most.second) most = each;
  }
  return most;
}

// TOPO-18. With room for so many of them: the nearest first; of equal levels, the one with the
// least room left.
std::vector<TreeDomainId> Near::with_room(const NearSet& set, const Counts& counts,
                                          std::int64_t needed) {
  const std::vector<Room> rooms = rooms_of(set, counts);
  const auto lacks_room = [&](TreeDomainId id) { return fitting(rooms, id, counts) < needed; };
  std::vector<TreeDomainId> found = domains_of_those_there(set);
  if (!found.empty()) {
    std::erase_if(found, lacks_room);
    return found;
  }
  const Room room = room_of(set, most_frequent(counts).first);
  for (std::size_t level = set.nodes->tree().levels().size(); level-- > set.required.value_or(0);) {
    std::vector<std::pair<std::int64_t, std::size_t>> by_room;  // and by their order
    const std::vector<TreeDomainId>& here = set.nodes->domains(level);
    for (std::size_t i = 0; i < here.size(); ++i) {
      if (!lacks_room(here[i]) && !is_any_of(here[i], found)) {
        by_room.emplace_back(room->in(here[i]), i);
      }
    }
    const std::size_t most = std::min(by_room.size(), kPlacesOfLevel);
    const auto end = by_room.begin() + static_cast<std::ptrdiff_t>(most);
    std::partial_sort(by_room.begin(), end, by_room.end());
    by_room.resize(most);
    for (const auto& [its_room, at] : by_room) found.push_back(here[at]);
  }
  return found;
}

std::vector<TreeDomainId> Near::domains_to_look_at(const NearSet& set) const {
  std::vector<TreeDomainId> domains = domains_of_those_there(set);
  if (!domains.empty()) return {domains.back()};
  return set.nodes->domains(set.required.value_or(0));
}

void Near::explain(const NearSet& set, const Counts& counts) {
  const std::vector<TreeDomainId> domains = domains_to_look_at(set);
  const std::vector<Room> rooms = rooms_of(set, counts);
  std::int64_t most = 0;
  std::string best;
  for (const TreeDomainId id : domains) {
    const std::int64_t fits = fitting(rooms, id, counts);
    if (fits <= most) continue;
    most = fits;
    best = set.nodes->tree().path_of(id);
  }
  why_ = reject(Reason::no_domain_has_room, most, sum_of(counts), session_.keep(set.level));
  const std::vector<TreeDomainId> of_those_there = domains_of_those_there(set);
  if (!of_those_there.empty()) {
    why_.detail = session_.keep("most of its other pods are in " +
                                set.nodes->tree().path_of(of_those_there.back()));
  } else if (!best.empty()) {
    why_.detail = session_.keep("most in " + best);
  }
}

void Near::add_places(const NearSet& set, const Counts& counts, std::int64_t needed,
                      Places& places) {
  for (const TreeDomainId id : with_room(set, counts, needed)) {
    const Place place{id, is_on_leaving_};
    if (!is_any_of(place, places)) places.push_back(place);
  }
}

Near::Places Near::places() {
  Places places;
  const NearSet* const all = whole();
  if (all == nullptr) return {Place()};
  const Counts counts = pending_of(tasks_, tasks_.size());
  const auto count = static_cast<std::int64_t>(tasks_.size());
  const std::int64_t lacking = std::clamp<std::int64_t>(lacking_, 1, count);
  look_at(false, nullptr);
  add_places(*all, counts, count, places);
  if (lacking < count) add_places(*all, counts, lacking, places);
  if (!all->required) {
    places.push_back({});
    return places;
  }
  if (cluster_.releasing_task_count() > 0) {
    look_at(true, nullptr);
    add_places(*all, counts, lacking, places);
  }
  if (places.empty()) {
    look_at(false, nullptr);
    explain(*all, pending_of(tasks_, static_cast<std::size_t>(lacking)));
  }
  return places;
}

void Near::enter(const Place& place) {
  leave();
  forget_since(0);
  look_at(place.is_on_leaving, nullptr);
  const NearSet* const all = whole();
  if (all != nullptr) whole_ = filled(*all, place.domain, pending_of(tasks_, tasks_.size()));
  end();
}

void Near::leave() {
  whole_.reset();
  end();
}

}  // namespace berth::actions
