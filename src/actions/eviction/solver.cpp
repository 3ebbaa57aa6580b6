#include "actions/eviction/solver.h"

#include <algorithm>
#include <queue>

#include "berth/base/check.h"
#include "berth/engine/fit.h"

namespace berth::actions {

using namespace engine;

namespace {

// The largest first: small ones find a place beside them, and not the other way round.
std::vector<std::vector<TaskId>> by_shape(const Session& session,
                                          const std::vector<TaskId>& tasks) {
  const Cluster& cluster = session.cluster();
  std::vector<std::vector<TaskId>> groups;
  for (const TaskId id : tasks) {
    const ShapeId shape = cluster.task(id).shape;
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& each) {
      return cluster.task(each.front()).shape == shape;
    });
    if (group == groups.end()) group = groups.insert(group, std::vector<TaskId>());
    group->push_back(id);
  }
  const auto size_of = [&](const std::vector<TaskId>& group) {
    std::int64_t most = 0;
    for (const auto& [dimension, amount] : cluster.shape_of(group.front()).requested) {
      const std::int64_t total = std::max<std::int64_t>(1, cluster.total_allocatable()[dimension]);
      const __int128 part = static_cast<__int128>(amount) * 1'000'000'000 / total;
      most = std::max(most, static_cast<std::int64_t>(std::min<__int128>(part, INT64_MAX)));
    }
    return most;
  };
  std::stable_sort(groups.begin(), groups.end(), [&](const auto& left, const auto& right) {
    return size_of(left) > size_of(right);
  });
  return groups;
}

bool is_worse(const Offer& left, const Offer& right) { return is_better(right, left); }

}  // namespace

Solver::Solver(Session& session, const EvictionPolicy& policy, const Candidates& candidates,
               Statement& statement, JobId claimant, bool is_strict)
    : session_(session),
      cluster_(session.cluster()),
      policy_(policy),
      candidates_(candidates),
      statement_(statement),
      claimant_(claimant),
      is_strict_(is_strict),
      is_banned_(candidates.lots().size(), 0) {}

bool Solver::place(const std::vector<TaskId>& tasks, bool takes_whole_jobs) {
  for (const std::vector<TaskId>& group : by_shape(session_, tasks)) {
    const OfferSearch::Terms terms{claimant_, cluster_.task(group.front()).shape,
                                   static_cast<std::int32_t>(group.size()), takes_whole_jobs,
                                   is_strict_};
    if (!place_shape(group, terms)) return false;
  }
  spare_the_unneeded();
  return true;
}

// VICTIM-4, VICTIM-5.
bool Solver::place_shape(const std::vector<TaskId>& tasks, OfferSearch::Terms terms) {
  std::size_t next = 0;
  while (next < tasks.size() && place_without_evicting(tasks[next])) ++next;
  if (next == tasks.size()) return true;
  OfferSearch search(session_, policy_, candidates_, is_banned_);
  terms.members = static_cast<std::int32_t>(tasks.size() - next);
  if (!could_place(terms, search)) return false;
  const std::vector<std::uint8_t> passing = session_.passing(terms.shape);
  std::vector<Offer> heap = offers(terms, search, passing);
  std::make_heap(heap.begin(), heap.end(), is_worse);
  const auto push = [&](const Offer& offer) {
    heap.push_back(offer);
    std::push_heap(heap.begin(), heap.end(), is_worse);
  };
  const auto refresh = [&](NodeId node) {
    if (passing[node.index()] == 0 || !may_use(node, terms.shape)) return;
    if (const std::optional<Offer> offer = search.on(node, terms)) push(*offer);
  };
  while (next < tasks.size()) {
    if (heap.empty()) {
      // Nobody more could make room; but the queue may hold back what there is room for.
      if (!may_have(tasks[next], terms.takes_whole_jobs)) return false;
      if (!place_without_evicting(tasks[next])) return false;
      ++next;
      continue;
    }
    std::pop_heap(heap.begin(), heap.end(), is_worse);
    const NodeId node = heap.back().node;
    heap.pop_back();
    terms.members = static_cast<std::int32_t>(tasks.size() - next);
    const std::optional<Offer> offer = search.on(node, terms);
    if (!offer) continue;
    if (!heap.empty() && is_better(heap.front(), *offer)) {
      push(*offer);
      continue;
    }
    if (!make_room(*offer, terms)) {
      refresh(node);
      continue;
    }
    // A whole job has left other nodes, too.
    std::vector<NodeId> vacated{node};
    if (offer->takes_whole_jobs) {
      for (const std::uint32_t lot : offer->lots) {
        for (const TaskId id : candidates_.lots()[lot].tasks) {
          vacated.push_back(cluster_.task(id).node);
        }
      }
      std::sort(vacated.begin(), vacated.end());
      vacated.erase(std::unique(vacated.begin(), vacated.end()), vacated.end());
    }
    std::int32_t placed = 0;
    for (; placed < offer->members; ++placed) {
      if (!may_have(tasks[next], terms.takes_whole_jobs)) return false;
      if (!place_on(tasks[next], node)) break;
      ++next;
    }
    if (placed == 0) std::erase(vacated, node);
    terms.members = static_cast<std::int32_t>(tasks.size() - next);
    if (terms.members == 0) break;
    for (const NodeId each : vacated) refresh(each);
  }
  return true;
}

// VICTIM-4. Even if all candidates left, protected or not.
bool Solver::could_place(const OfferSearch::Terms& terms, OfferSearch& search) {
  const std::vector<std::uint8_t>& passing = session_.passing(terms.shape);
  std::int64_t members = 0;
  for (std::size_t n = 0; n < cluster_.node_count(); ++n) {
    const NodeId node(n);
    if (passing[n] == 0 || !session_.is_open_to(node, claimant_)) continue;
    members += search.most_on(node, terms);
    if (members >= terms.members) return true;
  }
  return policy_.is_own_queue && session_.best_idle_node(terms.shape, claimant_).is_valid();
}

std::vector<Offer> Solver::offers(const OfferSearch::Terms& terms, OfferSearch& search,
                                  const std::vector<std::uint8_t>& passing) {
  std::vector<Offer> found;
  for (std::size_t n = 0; n < cluster_.node_count(); ++n) {
    const NodeId node(n);
    if (passing[n] == 0 || !may_use(node, terms.shape)) continue;
    if (std::optional<Offer> offer = search.on(node, terms)) found.push_back(*std::move(offer));
  }
  return found;
}

bool Solver::may_use(NodeId node, ShapeId shape) {
  return session_.is_open_to(node, claimant_) && fits_beside(session_, cluster_.shape(shape), node);
}

// VICTIM-4. On idle room, else on room that is being vacated anyway.
bool Solver::place_without_evicting(TaskId id) {
  const Task& task = cluster_.task(id);
  if (!session_.ask(points::allocatable, cluster_.queue(cluster_.job(claimant_).queue), task)) {
    return false;
  }
  NodeId node = session_.best_idle_node(task.shape, claimant_);
  if (!node.is_valid()) node = session_.best_future_node(task.shape, claimant_);
  return node.is_valid() && place_on(id, node);
}

bool Solver::place_on(TaskId id, NodeId node) {
  const Shape& shape = cluster_.shape_of(id);
  if (!fits_beside(session_, shape, node)) return false;
  Verdict verdict = reject(Reason::insufficient_resource);
  if (has_room(IdleNow{cluster_}, shape, node)) {
    verdict = statement_.allocate(id, node);
  } else if (has_room(OnceVacated{cluster_}, shape, node)) {
    verdict = statement_.pipeline(id, node);
  }
  if (verdict) placed_.push_back(id);
  return static_cast<bool>(verdict);
}

// VICTIM-6. All lots of the offer leave, or none does, and the one that may not is banned.
bool Solver::make_room(const Offer& offer, const OfferSearch::Terms& terms) {
  if (offer.lots.empty()) return true;
  const auto lacks = shortage_on(cluster_, cluster_.shape(terms.shape), offer.node, offer.members);
  const Claimant claimant{claimant_, lacks, is_strict_};
  const std::size_t before = evicted_.size();
  Statement trial(session_);
  for (const std::uint32_t lot : offer.lots) {
    if (evict(lot, claimant, trial)) continue;
    for (std::size_t i = before; i < evicted_.size(); ++i) is_banned_[evicted_[i].lot] = 0;
    evicted_.resize(before);
    return false;
  }
  std::move(trial).commit();
  return true;
}

bool Solver::evict(std::uint32_t number, const Claimant& claimant, Statement& statement) {
  const Candidates::Lot& lot = candidates_.lots()[number];
  is_banned_[number] = 1;
  std::vector<TaskId> tasks = still_running(cluster_, lot.tasks);
  if (tasks.empty()) return true;
  const Leaving leaving{lot.job, tasks};
  if (policy_.may_take && !policy_.may_take(claimant, leaving)) return false;
  if (!statement.evict(leaving, {claimant_, policy_.action, lot.as})) return false;
  evicted_.push_back({number, std::move(tasks)});
  return true;
}

// VICTIM-7. Is there room in the claimant's queue, too? If others of that queue may leave, they do
// until there is, the first in the order first.
bool Solver::may_have(TaskId id, bool takes_whole_jobs) {
  const Task& task = cluster_.task(id);
  const Queue& queue = cluster_.queue(cluster_.job(claimant_).queue);
  Verdict verdict = session_.ask(points::allocatable, queue, task);
  for (std::uint32_t lot = 0; !verdict && policy_.is_own_queue && lot < is_banned_.size(); ++lot) {
    const bool is_whole = candidates_.lots()[lot].is_whole;
    if (is_banned_[lot] != 0 || (is_whole && !takes_whole_jobs)) continue;
    const Dimension short_of = cluster_.dimensions().find(verdict.what);
    const std::vector<TaskId>& tasks = candidates_.lots()[lot].tasks;
    const bool helps = std::any_of(tasks.begin(), tasks.end(), [&](TaskId each) {
      return cluster_.shape_of(each).request[short_of] > 0;
    });
    if (helps && evict(lot, {claimant_, {}, is_strict_}, statement_)) {
      verdict = session_.ask(points::allocatable, queue, task);
    }
  }
  return static_cast<bool>(verdict);
}

// VICTIM-8. What left for one member may have made enough room for another: who turns out not to be
// needed stays, the last in the order of victims first.
void Solver::spare_the_unneeded() {
  std::sort(evicted_.begin(), evicted_.end(),
            [](const Evicted& left, const Evicted& right) { return left.lot > right.lot; });
  std::erase_if(evicted_, [&](const Evicted& each) { return is_unneeded(each); });
}

bool Solver::is_unneeded(const Evicted& evicted) {
  const Candidates::Lot& lot = candidates_.lots()[evicted.lot];
  const StatusCounts& counts = cluster_.job(lot.job).counts;
  const bool is_gone = ready_count(counts) == count_of(counts, TaskStatus::succeeded);
  if (!lot.is_whole && is_gone) return false;       // its job leaves whole
  std::vector<std::pair<NodeId, Resources>> taken;  // again
  for (const TaskId id : evicted.tasks) {
    const NodeId node = cluster_.task(id).node;
    const auto found = std::find_if(taken.begin(), taken.end(),
                                    [&](const auto& each) { return each.first == node; });
    auto& sum = (found == taken.end() ? taken.emplace_back(node, Resources()) : *found).second;
    sum += cluster_.shape_of(id).request;
  }
  for (const auto& [node, sum] : taken) {
    for (std::size_t d = 0; d < sum.extent(); ++d) {
      if (sum[Dimension(d)] > 0 && cluster_.future_idle(node, Dimension(d)) < sum[Dimension(d)]) {
        return false;
      }
    }
  }
  statement_.spare(evicted.tasks);
  if (placed_.empty() || !policy_.is_own_queue) return true;
  // It may have left for its queue's share.
  const TaskId last = placed_.back();
  const NodeId node = cluster_.task(last).node;
  statement_.withdraw(last);
  const bool is_allowed = static_cast<bool>(session_.ask(
      points::allocatable, cluster_.queue(cluster_.job(claimant_).queue), cluster_.task(last)));
  placed_.pop_back();
  if (is_allowed && place_on(last, node)) return true;
  const Verdict again =
      statement_.evict({lot.job, evicted.tasks}, {claimant_, policy_.action, lot.as});
  BERTH_CHECK(again && place_on(last, node));
  return false;
}

}  // namespace berth::actions
