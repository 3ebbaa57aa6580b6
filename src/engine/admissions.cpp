#include "berth/engine/admissions.h"

#include <algorithm>
#include <utility>

#include "berth/base/look_up.h"
#include "berth/engine/need.h"
#include "berth/engine/reservations.h"
#include "berth/engine/surplus.h"

namespace berth::engine {

namespace {

bool is_whole(const Job& job) {
  return job.placed_count() - job.count(TaskStatus::succeeded) >= job.min_available;
}

// TALLY-1. An admitted job that lacks part of its minResources keeps that part reserved. So does a
// running job while it has its minimum of members. Gated pods do not count.
bool keeps_minimum(const Job& job) {
  const bool is_in = job.phase == GroupPhase::inqueue;
  return job.min_resources && (is_in || (job.phase == GroupPhase::running && is_whole(job)));
}

std::int64_t lacking_of(const Job& job, Dimension d) {
  const std::int64_t missing =
      std::max<std::int64_t>(0, (*job.min_resources)[d] - job.allocated[d]);
  return std::max<std::int64_t>(0, missing - job.gated_request[d]);
}

struct Used {
  Resources by_all;
  Resources by_its_queue;  // by others of the target's own queue
};

// Usage of others on a target's nodes ends before the target starts, so it counts only once.
Used used_on_its_nodes(const Cluster& cluster, const Job& job) {
  Used used;
  if (!job.election) return used;
  for (const TaskId id : tasks_before_target(cluster, job)) {
    const Resources& request = cluster.shape_of(id).request;
    used.by_all += request;
    if (cluster.job(cluster.task(id).job).queue == job.queue) used.by_its_queue += request;
  }
  return used;
}

// Jobs of a queue that is closed or at fault are not served.
bool is_served(const QueueTree& tree, const Job& job) {
  const std::uint32_t at = tree.position_of(job.queue);
  return at != QueueTree::kNowhere && tree.member(at).takes_jobs();
}

bool lends_jobs(const Cluster& cluster, const QueueTree& tree, std::size_t at) {
  for (; at != 0; at = tree.member(at).parent) {
    if (!cluster.queue(tree.member(at).queue).is_reclaimable) return false;
  }
  return true;
}

}  // namespace

// To the job's queue, to those above it, and to the cluster.
template <class AmountOf>
void Admissions::add(const QueueTree& tree, const Job& job, std::vector<std::int64_t>& sums,
                     const AmountOf& amount_of) const {
  std::uint32_t at = tree.position_of(job.queue);
  if (at == QueueTree::kNowhere) at = 0;
  while (true) {
    for (std::size_t d = 0; d < dimensions_; ++d) {
      std::int64_t& sum = sums[at * dimensions_ + d];
      sum = saturated_sum(sum, std::max<std::int64_t>(0, amount_of(Dimension(d))));
    }
    if (at == 0) return;
    at = tree.member(at).parent;
  }
}

void Admissions::refresh(const Cluster& cluster, const QueueTree& tree,
                         const Feasibility& feasibility) {
  if (stamp_ == cluster.stamp() && tree_version_ == tree.version()) return;
  stamp_ = cluster.stamp();
  tree_version_ = tree.version();
  dimensions_ = tree.dimensions();
  // TALLY-3
  std::vector<std::int64_t> kept(tree.size() * dimensions_, 0);
  std::vector<std::int64_t> has(kept.size(), 0);
  in_queue_.assign(kept.size(), 0);
  targets_.clear();
  waiting_.clear();
  for (std::size_t at = 1; at < tree.size(); ++at) {
    const Queue& queue = cluster.queue(tree.member(at).queue);
    for (std::size_t d = 0; d < dimensions_; ++d) {
      kept[at * dimensions_ + d] = tree.guarantee(at, Dimension(d));
      has[at * dimensions_ + d] = queue.allocated[Dimension(d)];
    }
  }
  for (const JobId id : cluster.open_jobs()) {
    const Job& job = cluster.job(id);
    if (!keeps_minimum(job) || !is_served(tree, job) || !feasibility.is_possible(id)) continue;
    const std::uint32_t at = tree.position_of(job.queue);
    const Used freed = used_on_its_nodes(cluster, job);
    for (std::size_t d = 0; d < dimensions_; ++d) {
      std::int64_t& sum = has[at * dimensions_ + d];
      const std::int64_t lacking = lacking_of(job, Dimension(d)) - freed.by_its_queue[Dimension(d)];
      sum = saturated_sum(sum, std::max<std::int64_t>(0, lacking));
    }
    add(tree, job, in_queue_, [&](Dimension d) { return lacking_of(job, d) - freed.by_all[d]; });
    note_waiting(job);
    if (job.election) note_target(tree, job, freed.by_all);
  }
  unmet_.reset(tree, std::move(kept), std::move(has));
  count_reclaimable(cluster, tree);
}

// RECLAIM-3
void Admissions::count_reclaimable(const Cluster& cluster, const QueueTree& tree) {
  open_.refresh(cluster);
  reclaimable_ = {};
  for (std::size_t at = 1; at < tree.size(); ++at) {
    if (!lends_jobs(cluster, tree, at)) continue;
    reclaimable_ += cluster.queue(tree.member(at).queue).allocated;
  }
}

// GANG-2. A job that has its minimum comes after those of its priority that lack theirs.
Admissions::Turn Admissions::turn_of(const Job& job) {
  return {job.admission_priority, job.phase != GroupPhase::running};
}

// The nodes of targets are theirs: other jobs come after them.
void Admissions::note_waiting(const Job& job) {
  if (job.election) return;
  Resources& sum = waiting_[job.queue][turn_of(job)];
  for (std::size_t d = 0; d < dimensions_; ++d) {
    if (const std::int64_t lacking = lacking_of(job, Dimension(d)); lacking > 0) {
      sum.add(Dimension(d), lacking);
    }
  }
}

void Admissions::note_target(const QueueTree& tree, const Job& job, const Resources& freed) {
  OfTarget target;
  target.job = job.id;
  for (std::size_t at = tree.position_of(job.queue); at != 0; at = tree.member(at).parent) {
    target.positions.push_back(at);
  }
  target.positions.push_back(0);
  for (std::size_t d = 0; d < dimensions_; ++d) {
    target.in_queue.set(Dimension(d), lacking_of(job, Dimension(d)) - freed[Dimension(d)]);
  }
  targets_.push_back(std::move(target));
}

std::vector<TargetPart> Admissions::of_targets(JobId job, std::size_t position, Dimension d) const {
  std::vector<TargetPart> parts;
  for (const OfTarget& each : targets_) {
    const auto& at = each.positions;
    const bool is_here = is_any_of(position, at);
    if (is_here && each.job != job && each.in_queue[d] > 0) {
      parts.push_back({each.job, each.in_queue[d]});
    }
  }
  return parts;
}

void Admissions::admitted(const Cluster& cluster, const QueueTree& tree, const Job& job,
                          std::uint64_t stamp_before) {
  if (stamp_ != stamp_before) return;  // not up to date: counted again on the next question
  stamp_ = cluster.stamp();
  if (surplus_stamp_ == stamp_before) surplus_stamp_ = stamp_;  // it has nothing to give back yet
  if (!keeps_minimum(job) || !is_served(tree, job)) return;
  const std::uint32_t at = tree.position_of(job.queue);
  for (std::size_t d = 0; d < dimensions_; ++d) {
    unmet_.add(tree, at, Dimension(d), lacking_of(job, Dimension(d)));
  }
  add(tree, job, in_queue_, [&](Dimension d) { return lacking_of(job, d); });
  note_waiting(job);
  if (job.election) note_target(tree, job, {});
}

// TALLY-2, SURPLUS-3
std::int64_t Admissions::surplus(const Session& session, std::size_t position, Dimension d) {
  if (!session.ask(points::surplus_is_lent)) return 0;
  const Cluster& cluster = session.cluster();
  const QueueTree& tree = session.queues();
  if (surplus_stamp_ != stamp_) {
    surplus_stamp_ = stamp_;
    surplus_.assign(tree.size() * dimensions_, 0);
    for (std::size_t j = 0; j < cluster.job_slots(); ++j) {
      const Job& job = cluster.job(JobId(j));
      if (!job.exists || surplus_count(job) == 0) continue;
      Resources sum;
      for (const TaskId task : surplus_of(session, job)) sum += cluster.shape_of(task).request;
      add(tree, job, surplus_, [&](Dimension each) { return sum[each]; });
    }
  }
  return surplus_[position * dimensions_ + d.index()];
}

namespace {

// Of the queue, by turns, before this one.
template <class Turns, class Turn>
std::int64_t sum_before(const std::map<QueueId, Turns>& waiting, QueueId queue, const Turn& turn,
                        Dimension d) {
  std::int64_t sum = 0;
  const auto found = waiting.find(queue);
  if (found == waiting.end()) return sum;
  for (const auto& [each, amounts] : found->second) {
    if (each < turn) sum = saturated_sum(sum, amounts[d]);
  }
  return sum;
}

}  // namespace

// TALLY-4
std::int64_t Admissions::waiting_behind(const Job& job, Dimension d) const {
  return sum_before(waiting_, job.queue, Turn{job.admission_priority, true}, d);
}

namespace {

// Its user lets nobody evict one of its pods, so it does not leave whole.
bool has_pod_that_stays(const Cluster& cluster, const Job& job) {
  return std::any_of(job.tasks.begin(), job.tasks.end(), [&](TaskId id) {
    return is_allocated(cluster.task(id).status) && !cluster.task(id).is_preemptable;
  });
}

}  // namespace

void Admissions::find_parts(const Cluster& cluster) {
  const std::uint64_t position = cluster.changes().position();
  const bool is_known = parts_stamp_ == stamp_ || parts_position_ == position;
  parts_stamp_ = stamp_;
  parts_position_ = position;
  if (is_known) return;
  parts_.clear();
  could_leave_.clear();
  for (std::size_t j = 0; j < cluster.job_slots(); ++j) {
    const Job& job = cluster.job(JobId(j));
    if (!job.exists || !job.queue.is_valid()) continue;
    PartSet& parts = parts_[job.queue];
    append_parts(job, parts);
    const bool is_whole = !parts.empty() && parts.back() == JobPart{job.id, JobPart::Kind::whole};
    if (is_whole && has_pod_that_stays(cluster, job)) parts.pop_back();
  }
}

// TALLY-5
const Resources& Admissions::could_leave(const Session& session, const Job& job) {
  const Cluster& cluster = session.cluster();
  find_parts(cluster);
  const auto [entry, is_new] = could_leave_.try_emplace({job.queue, job.admission_priority});
  if (!is_new) return entry->second;
  const bool is_lent = session.ask(points::surplus_is_lent);
  Job claimant = job;
  claimant.priority = job.admission_priority;
  for (const JobPart& part : session.ask(points::preemptable, claimant, parts_[job.queue])) {
    const Job& other = cluster.job(part.job);
    Resources surplus;
    if (surplus_count(other) > 0) {
      for (const TaskId id : surplus_of(session, other)) surplus += cluster.shape_of(id).request;
    }
    if (part.kind == JobPart::Kind::whole) {
      entry->second += positive_difference(other.allocated, surplus);
    } else if (!is_lent) {  // else TALLY-2 counts it
      entry->second += surplus;
    }
  }
  return entry->second;
}

std::int64_t Admissions::behind(const Session& session, const Job& job, Dimension d) {
  const bool may_preempt = session.preempts() && !never_preempts(session.cluster(), job, job.tasks);
  const std::int64_t leaves = may_preempt ? could_leave(session, job)[d] : 0;
  const bool is_lent = static_cast<bool>(session.ask(points::surplus_is_lent));
  const Turn turn{job.admission_priority, is_lent};  // else surplus to come is not behind it
  return saturated_sum(sum_before(waiting_, job.queue, turn, d), leaves);
}

// TALLY-6. Idle room, jobs of queues that are reclaimable, and lent surplus, some of it twice.
std::int64_t Admissions::could_get(const Session& session, std::uint32_t at, Dimension d) {
  const Cluster& cluster = session.cluster();
  const QueueTree& tree = session.queues();
  std::int64_t sum = open_.allocatable(d) - open_.used(d) + reclaimable_[d];
  if (lends_jobs(cluster, tree, at)) sum -= cluster.queue(tree.member(at).queue).allocated[d];
  return saturated_sum(sum, surplus(session, 0, d));
}

bool Admissions::is_entitled(const Session& session, const Job& job, const Resources& asked) {
  const std::uint32_t at = session.queues().position_of(job.queue);
  const bool is_asked = session.reclaims() && !session.is_silent(points::entitled_once_asked) &&
                        !never_preempts(session.cluster(), job, job.tasks);
  if (!is_asked || at == QueueTree::kNowhere) return false;
  Resources in_all;
  for (std::size_t d = 0; d < asked.extent(); ++d) {
    const Dimension dimension(d);
    if (asked[dimension] <= 0) continue;
    const std::int64_t behind = waiting_behind(job, dimension);
    const std::int64_t lacking = saturated_sum(in_queue(at, dimension) - behind, asked[dimension]);
    if (lacking > could_get(session, at, dimension)) return false;
    in_all.set(dimension, saturated_sum(unmet_.has(at, dimension) - behind, asked[dimension]));
  }
  return static_cast<bool>(session.ask(points::entitled_once_asked, job, in_all));
}

}  // namespace berth::engine
