#include "actions/eviction/solver.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "actions/eviction/parties.h"
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

// In Solver::is_banned_.
constexpr std::uint8_t kOwn = 2;

bool is_worse(const Offer& left, const Offer& right) { return is_better(right, left); }

}  // namespace

Solver::Solver(Session& session, const EvictionPolicy& policy, Candidates& candidates,
               Statement& statement, JobId claimant, bool is_strict, bool is_smallest_first)
    : session_(session),
      cluster_(session.cluster()),
      policy_(policy),
      candidates_(candidates),
      statement_(statement),
      claimant_(claimant),
      is_strict_(is_strict),
      is_smallest_first_(is_smallest_first),
      begin_(statement.checkpoint()) {
  if (candidates.are_in_order()) ban_own();
}

// Candidates are those of all jobs of its queue and priority.
void Solver::ban_own() {
  is_banned_.assign(candidates_.lots().size(), 0);
  const bool has_own = candidates_.pods_without(claimant_) != candidates_.pods_without(JobId());
  if (!has_own || policy_.is_within_job) return;
  for (std::size_t lot = 0; lot < is_banned_.size(); ++lot) {
    if (candidates_.lots()[lot].job == claimant_) is_banned_[lot] = kOwn;
  }
}

bool Solver::place(const std::vector<TaskId>& tasks, bool takes_whole_jobs) {
  do_others_count_ = std::any_of(tasks.begin(), tasks.end(), [&](TaskId id) {
    return depends_on(cluster_.shape_of(id)) != DependsOn::specification;
  });
  for (const std::vector<TaskId>& group : by_shape(session_, tasks)) {
    const OfferSearch::Terms terms{claimant_,
                                   cluster_.task(group.front()).shape,
                                   static_cast<std::int32_t>(group.size()),
                                   takes_whole_jobs,
                                   is_strict_,
                                   is_smallest_first_};
    const bool is_placed = place_shape(group, terms);
    most_ = std::max(most_, static_cast<std::int32_t>(placed_.size()));
    if (is_placed) continue;
    for (const std::uint32_t lot : kept_) {
      add_spared(refused_, Reason::queue_guarantee, candidates_.lots()[lot].pods);
    }
    return false;
  }
  if (do_others_count_) return settle();
  spare_the_unneeded();
  const bool is_final = evicted_.size() < 2 || is_replay_too_long();
  return !is_lost_ && (is_final || do_without_each());
}

// VICTIM-4, VICTIM-5.
bool Solver::place_shape(const std::vector<TaskId>& tasks, OfferSearch::Terms terms) {
  std::size_t next = 0;
  while (next < tasks.size() && place_without_evicting(tasks[next])) ++next;
  if (next == tasks.size()) return true;
  OfferSearch search(session_, policy_, candidates_, is_banned_, kept_);
  terms.members = static_cast<std::int32_t>(tasks.size() - next);
  is_hopeless_ = !could_place(terms, search);
  if (is_hopeless_) return false;
  if (!candidates_.are_in_order() && !order_candidates()) return false;
  const std::vector<std::uint8_t> passing = session_.passing(terms.shape);
  std::vector<Offer> heap = offers(terms, search, passing);
  std::make_heap(heap.begin(), heap.end(), is_worse);
  const auto push = [&](const Offer& offer) {
    heap.push_back(offer);
    std::push_heap(heap.begin(), heap.end(), is_worse);
  };
  const auto refresh = [&](NodeId node) {
    if (passing[node.index()] == 0 || !session_.is_open_to(node, claimant_)) return;
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
    if (!make_room(*offer, terms, search)) {
      refresh(node);
      continue;
    }
    std::vector<NodeId> vacated = vacated_by(*offer);
    if (offer->lots.empty() && !may_have(tasks[next], terms.takes_whole_jobs)) {
      // There is room, which the queue may not have.
      if (std::exchange(terms.is_paid, true)) return false;
      heap = offers(terms, search, passing);
      std::make_heap(heap.begin(), heap.end(), is_worse);
      continue;
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

// The node, and the others that a whole job has left.
std::vector<NodeId> Solver::vacated_by(const Offer& offer) const {
  std::vector<NodeId> vacated{offer.node};
  if (!offer.takes_whole_jobs) return vacated;
  for (const std::uint32_t lot : offer.lots) {
    for (const TaskId id : candidates_.lots()[lot].tasks) {
      vacated.push_back(cluster_.task(id).node);
    }
  }
  std::sort(vacated.begin(), vacated.end());
  vacated.erase(std::unique(vacated.begin(), vacated.end()), vacated.end());
  return vacated;
}

bool Solver::has_asked_nobody() const {
  return std::find(is_banned_.begin(), is_banned_.end(), 1) == is_banned_.end();
}

// VICTIM-4. Even if all candidates left, protected or not.
bool Solver::could_place(const OfferSearch::Terms& terms, OfferSearch& search) {
  most_ = std::max(most_, static_cast<std::int32_t>(placed_.size()));
  const auto& requested = cluster_.shape(terms.shape).requested;
  if (!candidates_.could_any_take(requested, terms.takes_whole_jobs)) return false;
  const bool is_any_banned = !has_asked_nobody();
  const std::vector<std::uint8_t>& passing = session_.passing(terms.shape);
  std::int64_t members = 0;
  for (std::size_t n = 0; n < cluster_.node_count(); ++n) {
    const NodeId node(n);
    if (!candidates_.could_take(node, requested, terms.takes_whole_jobs)) continue;
    if (passing[n] == 0 || !session_.is_open_to(node, claimant_)) continue;
    members += search.most_on(node, terms, is_any_banned);
    if (members >= terms.members) return true;
  }
  most_ = std::max(most_,
                   static_cast<std::int32_t>(placed_.size()) + static_cast<std::int32_t>(members));
  return false;
}

// As things are without the members that have a place already.
bool Solver::order_candidates() {
  const Solution so_far{{}, placed_};
  evict_again({});
  candidates_.put_in_order();
  ban_own();
  return restore(so_far);
}

std::vector<Offer> Solver::offers(const OfferSearch::Terms& terms, OfferSearch& search,
                                  const std::vector<std::uint8_t>& passing) {
  std::vector<Offer> found;
  for (std::size_t n = 0; n < cluster_.node_count(); ++n) {
    const NodeId node(n);
    if (passing[n] == 0 || !session_.is_open_to(node, claimant_)) continue;
    if (std::optional<Offer> offer = search.on(node, terms)) found.push_back(*std::move(offer));
  }
  return found;
}

// VICTIM-4. On idle room, else on room that is being vacated anyway.
bool Solver::place_without_evicting(TaskId id) {
  const Task& task = cluster_.task(id);
  if (!is_allowed(id)) return false;
  const NodeId idle = session_.best_idle_node(task.shape, claimant_);
  if (idle.is_valid() && place_on(id, idle)) return true;
  const NodeId node = session_.best_future_node(task.shape, claimant_);
  return node.is_valid() && place_on(id, node);
}

// VICTIM-10. It must fit once all have left, for the job may not start before.
bool Solver::place_on(TaskId id, NodeId node) {
  const Shape& shape = cluster_.shape_of(id);
  Verdict verdict = fits_beside(session_, shape, node, Occupants::once_vacated);
  if (!verdict) return false;
  if (has_room(IdleNow{cluster_}, shape, node) && fits_beside(session_, shape, node)) {
    verdict = statement_.allocate(id, node);
  } else if (has_room(OnceVacated{cluster_}, shape, node)) {
    verdict = statement_.pipeline(id, node);
  } else {
    return false;
  }
  if (verdict) {
    placed_.push_back({id, node});
    credit({id}, -1);
  }
  return static_cast<bool>(verdict);
}

// VICTIM-6. All lots of the offer leave, or none does, and the one that may not is banned.
bool Solver::make_room(const Offer& offer, const OfferSearch::Terms& terms,
                       const OfferSearch& search) {
  if (offer.lots.empty()) return true;
  const auto lacks = shortage_on(cluster_, offer.node, terms, offer.members);
  const Claimant claimant{claimant_, lacks, is_strict_};
  const std::size_t before = evicted_.size();
  std::vector<std::uint32_t> lots = offer.lots;
  if (terms.is_smallest_first) {
    std::stable_sort(lots.begin(), lots.end(), [&](std::uint32_t left, std::uint32_t right) {
      return search.size_of(left, terms) < search.size_of(right, terms);
    });
  }
  Statement trial(session_);
  for (const std::uint32_t lot : lots) {
    if (evict(lot, claimant, trial)) continue;
    for (std::size_t i = before; i < evicted_.size(); ++i) {
      is_banned_[evicted_[i].lot] = 0;
      credit(evicted_[i].tasks, -1);
    }
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
  if (const Verdict verdict = statement.evict(leaving, {claimant_, policy_.action, lot.as});
      !verdict) {
    add_spared(refused_, verdict.reason, lot.pods);
    return false;
  }
  credit(tasks, +1);
  evicted_.push_back({number, std::move(tasks), turns_++});
  return true;
}

void Solver::credit(const std::vector<TaskId>& tasks, int sign) {
  for (const TaskId id : tasks) {
    // With room of another queue, the claimant's uses more than before.
    const bool is_own = cluster_.job(cluster_.task(id).job).queue == cluster_.job(claimant_).queue;
    if (!is_own && !policy_.is_for_entitled) continue;
    for (const auto& [dimension, amount] : cluster_.shape_of(id).requested) {
      credit_.add(dimension, sign * amount);
    }
  }
}

// VICTIM-7. Room that others have left for it passes to it as it is, whatever queues are due: no
// queue uses more than before. Places for pods count only where they are what is short.
Verdict Solver::is_allowed(TaskId id) const {
  const Task& task = cluster_.task(id);
  const Verdict verdict =
      session_.ask(points::allocatable, cluster_.queue(cluster_.job(claimant_).queue), task);
  if (verdict) return verdict;
  const Dimension short_of = cluster_.dimensions().find(verdict.what);
  for (const auto& [dimension, amount] : cluster_.shape(task.shape).requested) {
    if (dimension == kPods && short_of != kPods) continue;
    if (credit_[dimension] < amount) return verdict;
  }
  if (!policy_.is_for_entitled) return pass();
  return session_.ask(points::within_capability, cluster_.queue(cluster_.job(claimant_).queue),
                      task);
}

// VICTIM-7. If the claimant's queue holds it back, and others of that queue may leave, they do, the
// first in the order first.
bool Solver::may_have(TaskId id, bool takes_whole_jobs) {
  Verdict verdict = is_allowed(id);
  const QueueId own = cluster_.job(claimant_).queue;
  for (std::uint32_t lot = 0; !verdict && lot < is_banned_.size(); ++lot) {
    if (cluster_.job(candidates_.lots()[lot].job).queue != own) continue;
    const bool is_whole = candidates_.lots()[lot].is_whole;
    if (is_banned_[lot] != 0 || (is_whole && !takes_whole_jobs)) continue;
    const Dimension short_of = cluster_.dimensions().find(verdict.what);
    const std::span<const TaskId> tasks = candidates_.lots()[lot].tasks;
    const bool helps = std::any_of(tasks.begin(), tasks.end(), [&](TaskId each) {
      return cluster_.shape_of(each).request[short_of] > 0;
    });
    if (helps && evict(lot, {claimant_, {}, is_strict_}, statement_)) verdict = is_allowed(id);
  }
  return static_cast<bool>(verdict);
}

}  // namespace berth::actions
