#include "actions/eviction/solver.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "actions/eviction/parties.h"
#include "berth/base/check.h"
#include "berth/engine/fit.h"
#include "berth/engine/surplus.h"
#include "engine/seeker.h"

namespace berth::actions {

using namespace engine;

namespace {

using Groups = std::vector<std::vector<TaskId>>;

// Do pods of the one shape need pods of the other near them?
bool needs(const Shape& shape, const Shape& other) {
  const auto& affinity = shape.terms.affinity;
  if (shape.terms.matches_own_affinity) return false;
  return std::any_of(affinity.begin(), affinity.end(),
                     [&](TermId term) { return is_wanted_near(other, term); });
}

Groups after_those_they_need(const Cluster& cluster, Groups groups) {
  const auto shape_of = [&](const auto& group) -> const Shape& {
    return cluster.shape_of(group.front());
  };
  Groups ordered;
  while (!groups.empty()) {
    auto next = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
      return std::none_of(groups.begin(), groups.end(), [&](const auto& other) {
        return needs(shape_of(group), shape_of(other));
      });
    });
    if (next == groups.end()) next = groups.begin();
    ordered.push_back(std::move(*next));
    groups.erase(next);
  }
  return ordered;
}

// The largest first: small ones find a place beside them, and not the other way round.
Groups by_shape(const Session& session, const std::vector<TaskId>& tasks) {
  const Cluster& cluster = session.cluster();
  Groups groups;
  for (const TaskId id : tasks) {
    const ShapeId shape = cluster.task(id).shape;
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& each) {
      return cluster.task(each.front()).shape == shape;
    });
    if (group == groups.end()) group = groups.insert(group, std::vector<TaskId>());
    group->push_back(id);
  }
  const auto size_of = [&](const std::vector<TaskId>& group) {
    return part_of_cluster(cluster, cluster.shape_of(group.front()));
  };
  std::stable_sort(groups.begin(), groups.end(), [&](const auto& left, const auto& right) {
    return size_of(left) > size_of(right);
  });
  return after_those_they_need(cluster, std::move(groups));
}

}  // namespace

Solver::Solver(Session& session, const EvictionPolicy& policy, Candidates& candidates,
               Statement& statement, JobId claimant, const Manner& manner)
    : session_(session),
      cluster_(session.cluster()),
      policy_(policy),
      candidates_(candidates),
      statement_(statement),
      claimant_(claimant),
      manner_(manner),
      begin_(statement.checkpoint()) {
  if (candidates.are_in_order()) ban_own();
}

// Candidates are those of all jobs of its queue and priority.
void Solver::ban_own() {
  is_banned_.assign(candidates_.lots().size(), 0);
  for (std::size_t lot = 0; lot < is_banned_.size() && manner_.order == VictimOrder::whole_jobs;
       ++lot) {
    if (!candidates_.lots()[lot].is_whole) is_banned_[lot] = kNotNow;
  }
  const bool has_own = candidates_.pods_without(claimant_) != candidates_.pods_without(JobId());
  if (!has_own || policy_.is_within_job) return;
  for (std::size_t lot = 0; lot < is_banned_.size(); ++lot) {
    if (candidates_.lots()[lot].job == claimant_) is_banned_[lot] = kOwn;
  }
}

bool Solver::place(const std::vector<TaskId>& tasks) {
  do_others_count_ = depend_on_others(cluster_, tasks);
  const Groups groups = by_shape(session_, tasks);
  if (manner_.order == VictimOrder::any) return look_for_any(groups);
  for (const std::vector<TaskId>& group : groups) {
    const OfferSearch::Terms terms{claimant_,
                                   cluster_.task(group.front()).shape,
                                   static_cast<std::int32_t>(group.size()),
                                   manner_.takes_whole_jobs,
                                   manner_.is_strict,
                                   manner_.order == VictimOrder::smallest_first};
    const bool is_placed = place_shape(group, terms);
    most_ = std::max(most_, static_cast<std::int32_t>(placed_.size()));
    if (is_placed) continue;
    for (const std::uint32_t lot : kept_) {
      note_refused(candidates_.lots()[lot], reject(Reason::queue_guarantee));
    }
    return false;
  }
  if (do_others_count_) return settle();
  spare_the_unneeded();
  const bool is_final = evicted_.size() < 2 || is_replay_too_long();
  if (is_lost_ || (!is_final && !do_without_each())) return false;
  look_for_fewer();
  return !is_lost_;
}

Solver::Cost Solver::cost() const {
  Cost cost;
  for (const Evicted& each : evicted_) {
    cost.takes_whole_jobs = cost.takes_whole_jobs || candidates_.lots()[each.lot].is_whole;
    cost.pods += each.tasks.size();
    cost.grade = std::max(cost.grade, candidates_.lots()[each.lot].grade);
    for (const TaskId id : each.tasks)
      cost.work = saturated_sum(cost.work, candidates_.work_of(id));
    cost.last_lot = std::max(cost.last_lot, each.lot);
  }
  return cost;
}

bool Solver::has_asked_nobody() const {
  return std::find(is_banned_.begin(), is_banned_.end(), 1) == is_banned_.end();
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
  const Claimant claimant{claimant_, lacks, manner_.is_strict};
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
    forget_evicted_after(before);
    return false;
  }
  std::move(trial).commit();
  return true;
}

// They have not left.
void Solver::forget_evicted_after(std::size_t count) {
  for (std::size_t i = count; i < evicted_.size(); ++i) {
    is_banned_[evicted_[i].lot] = 0;
    credit(evicted_[i].tasks, -1);
  }
  evicted_.resize(count);
}

bool Solver::evict(std::uint32_t number, const Claimant& claimant, Statement& statement) {
  const Candidates::Lot& lot = candidates_.lots()[number];
  is_banned_[number] = 1;
  if (!may_leave(lot)) return false;
  std::vector<TaskId> tasks = still_running(cluster_, lot.tasks);
  if (tasks.empty()) return true;
  const Leaving leaving{lot.job, tasks};
  if (policy_.may_take && !policy_.may_take(claimant, leaving)) return false;
  if (const Verdict verdict = statement.evict(leaving, {claimant_, policy_.action, lot.as});
      !verdict) {
    note_refused(lot, verdict);
    return false;
  }
  credit(tasks, +1);
  evicted_.push_back({number, std::move(tasks), turns_++});
  return true;
}

// SURPLUS-2. Or no more of its job may, as things are.
bool Solver::may_leave(const Candidates::Lot& lot) const {
  if (lot.is_whole) return true;
  const Task& task = cluster_.task(lot.tasks.front());
  return !runs(task) || may_be_surplus(cluster_.job(lot.job), task);
}

// Of surplus, only those that nobody may leave in place of.
void Solver::note_refused(const Candidates::Lot& lot, const Verdict& verdict) {
  if (!lot.is_whole && ++refused_of_[lot.job] <= candidates_.others_of(lot.job)) return;
  add_spared(refused_, verdict.reason, lot.pods);
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
bool Solver::may_have(TaskId id) {
  Verdict verdict = is_allowed(id);
  const QueueId own = cluster_.job(claimant_).queue;
  for (std::uint32_t lot = 0; !verdict && lot < is_banned_.size(); ++lot) {
    if (cluster_.job(candidates_.lots()[lot].job).queue != own) continue;
    const bool is_whole = candidates_.lots()[lot].is_whole;
    if (is_banned_[lot] != 0 || (is_whole && !manner_.takes_whole_jobs)) continue;
    if (!may_leave(candidates_.lots()[lot])) continue;
    const Dimension short_of = cluster_.dimensions().find(verdict.what);
    const std::span<const TaskId> tasks = candidates_.lots()[lot].tasks;
    const bool helps = std::any_of(tasks.begin(), tasks.end(), [&](TaskId each) {
      return cluster_.shape_of(each).request[short_of] > 0;
    });
    if (helps && evict(lot, {claimant_, {}, manner_.is_strict}, statement_))
      verdict = is_allowed(id);
  }
  return static_cast<bool>(verdict);
}

}  // namespace berth::actions
