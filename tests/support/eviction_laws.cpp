#include "support/eviction_laws.h"

#include <algorithm>
#include <optional>
#include <set>

#include "berth/model/time_limit.h"
#include "support/eviction_limit_laws.h"
#include "support/lock_laws.h"
#include "support/need_laws.h"
#include "support/reclaim_laws.h"

namespace berth::support {

namespace {

// The jobs after a plan.
class Outcome {
 public:
  Outcome(const Cluster& cluster, const Plan& plan) : cluster_(cluster) {
    for (const Placement& each : plan.binds) bound_.insert(each.task);
    for (const Placement& each : plan.pipelined) claimed_.insert(each.task);
    for (const PlannedEviction& each : plan.evictions) evicted_.insert(each.task);
  }

  bool is_placed(TaskId id) const { return bound_.contains(id) || claimed_.contains(id); }

  // Of the job or one of its roles, after the plan.
  std::int32_t members(const Job& job, std::optional<std::uint16_t> role, bool with_claims) const {
    std::int32_t count = 0;
    for (const TaskId id : job.tasks) {
      const Task& task = cluster_.task(id);
      if (role && task.role != *role) continue;
      if (evicted_.contains(id)) continue;
      // Members that have succeeded count for starting, and not for those that run together.
      const bool has_succeeded = with_claims && task.status == TaskStatus::succeeded;
      const bool has_room = is_allocated(task.status) || has_succeeded;
      count += has_room || bound_.contains(id) || (with_claims && claimed_.contains(id)) ? 1 : 0;
    }
    return count;
  }

  // With its claims, or those of its members that it had and that are no claims.
  bool has_minimum(const Job& job, bool with_claims) const {
    if (members(job, std::nullopt, with_claims) < job.min_available) return false;
    if (!job.roles_bind()) return true;
    for (std::size_t r = 0; r < job.roles.size(); ++r) {
      const auto role = static_cast<std::uint16_t>(r);
      const Role& each = job.roles[r];
      const std::int32_t least =
          with_claims ? each.minimum
                      : std::min(each.minimum, ready_count(each.counts) -
                                                   count_of(each.counts, TaskStatus::succeeded));
      if (members(job, role, with_claims) < least) return false;
    }
    return true;
  }

  // Of those that were placed before.
  bool keeps_some(const Job& job) const {
    return std::any_of(job.tasks.begin(), job.tasks.end(), [&](TaskId id) {
      return is_allocated(cluster_.task(id).status) && !evicted_.contains(id);
    });
  }

  bool is_gone(const Job& job) const {
    return !keeps_some(job) && std::none_of(job.tasks.begin(), job.tasks.end(),
                                            [&](TaskId id) { return bound_.contains(id); });
  }

 private:
  const Cluster& cluster_;
  std::set<TaskId> bound_;
  std::set<TaskId> claimed_;
  std::set<TaskId> evicted_;
};

class EvictionCourt {
 public:
  EvictionCourt(const Cluster& cluster, const Plan& plan, const LawBook& book, TimePoint now)
      : cluster_(cluster),
        plan_(plan),
        book_(book),
        now_(now),
        outcome_(cluster, plan),
        locks_(locks_throughout(cluster, plan)) {}

  std::vector<std::string> judge() {
    for (const PlannedEviction& each : plan_.evictions) {
      judge_protection(each);
      if (each.action == "shuffle") continue;
      if (each.beneficiary.is_valid()) judge_beneficiary(each);
      if (each.action == "preempt") judge_preemption(each);
      if (each.action == "cleanup") judge_cleanup(each);
      if (each.as == EvictedAs::surplus || each.as == EvictedAs::lower_member) {
        judge_surplus(each);
      } else if (outcome_.keeps_some(job_of(each.task))) {
        accuse(each, "leaves as one of all, and others of its job stay");
      }
    }
    if (book_.has_gang) judge_minimums();
    judge_need();
    return std::move(faults_);
  }

 private:
  const Job& job_of(TaskId id) const { return cluster_.job(cluster_.task(id).job); }

  // VICTIM-2.
  void judge_protection(const PlannedEviction& each) {
    const Task& task = cluster_.task(each.task);
    if (!runs(task)) accuse(each, "does not run");
    if (task.node != each.node) accuse(each, "is on another node");
    if (!task.is_preemptable) accuse(each, "is not preemptable");
    if (task.is_critical && book_.has_conformance) accuse(each, "is critical");
    if (task.cooldown_until > now_) accuse(each, "has not cooled down");
    if (task.eviction_refused_until > now_) accuse(each, "was refused a short while ago");
    if (!task.job.is_valid()) return accuse(each, "is not ours");
    if (each.action == "shuffle") return;
    if (!each.beneficiary.is_valid() && !each.queue.is_valid()) {
      return accuse(each, "leaves for nobody");
    }
    const JobId owner = locks_[each.node.index()];
    const bool is_for_a_job = each.beneficiary.is_valid();
    if (is_for_a_job && owner.is_valid() && owner != each.beneficiary) {
      accuse(each, "is on a node that is locked for " + cluster_.job(owner).name);
    }
  }

  // VICTIM-1. Nobody leaves for nothing.
  void judge_beneficiary(const PlannedEviction& each) {
    const Job& job = cluster_.job(each.beneficiary);
    if (each.as == EvictedAs::lower_member) {
      const Task& victim = cluster_.task(each.task);
      const bool is_for_a_higher_one =
          std::any_of(job.tasks.begin(), job.tasks.end(), [&](TaskId id) {
            return outcome_.is_placed(id) && cluster_.task(id).priority > victim.priority;
          });
      if (victim.job != job.id || !is_for_a_higher_one) accuse(each, "leaves for no member");
      return;
    }
    const Task& victim = cluster_.task(each.task);
    const bool is_for_another_role =  // PREEMPT-5
        std::any_of(job.tasks.begin(), job.tasks.end(), [&](TaskId id) {
          return outcome_.is_placed(id) && cluster_.task(id).role != victim.role;
        });
    if (victim.job == job.id && !is_for_another_role) accuse(each, "leaves for its own job");
    if (book_.has_gang && !outcome_.has_minimum(job, true)) {
      accuse(each, "leaves for a job that still lacks its minimum");
    }
    const bool is_placed = std::any_of(job.tasks.begin(), job.tasks.end(), [&](TaskId id) {
      return outcome_.is_placed(id) && !cluster_.task(id).never_preempts;
    });
    if (!is_placed) accuse(each, "leaves for a job of which no pod may preempt");
  }

  // PREEMPT-1.
  void judge_preemption(const PlannedEviction& each) {
    if (!cluster_.task(each.task).job.is_valid() || !each.beneficiary.is_valid()) return;
    const Job& victim = job_of(each.task);
    const Job& claimant = cluster_.job(each.beneficiary);
    if (victim.queue != claimant.queue) accuse(each, "is of another queue");
    if (each.as == EvictedAs::lower_member || !book_.has_priority) return;
    if (victim.priority > claimant.priority) accuse(each, "is of a higher priority");
    if (victim.priority < claimant.priority) return;
    if (each.as != EvictedAs::surplus) accuse(each, "is of equal priority, and no surplus");
    if (!book_.has_elastic) accuse(each, "is of equal priority, and surplus is not lent");
  }

  // CLEANUP-1 to CLEANUP-4.
  void judge_cleanup(const PlannedEviction& each) {
    const Job& victim = job_of(each.task);
    const Job& claimant = cluster_.job(each.beneficiary);
    if (each.as != EvictedAs::unready_job) accuse(each, "is cleaned up as something else");
    if (!victim.unready_since && !is_overdue(victim)) {
      accuse(each, "is of a job that is neither unready nor overdue");
    }
    if (victim.unready_since && now_ < *victim.unready_since + book_.cleanup_grace)
      accuse(each, "leaves too early");
    if (victim.queue == claimant.queue && victim.priority > claimant.priority) {
      accuse(each, "is of a higher priority");
    }
  }

  bool is_overdue(const Job& job) const {
    return std::any_of(job.tasks.begin(), job.tasks.end(), [&](TaskId id) {
      const Task& task = cluster_.task(id);
      const std::optional<TimeLimit> limit = time_limit_of(cluster_, task);
      return runs(task) && limit && limit->source != LimitSource::pod_deadline &&
             now_ > end_by(*limit, task, std::max(task.started, task.scheduled_at));
    });
  }

  // SURPLUS-1. No more than ran beyond the minimum.
  void judge_surplus(const PlannedEviction& each) {
    const Task& victim = cluster_.task(each.task);
    if (!victim.job.is_valid() || !book_.has_gang) return;
    const Job& job = job_of(each.task);
    const auto as_surplus = std::count_if(
        plan_.evictions.begin(), plan_.evictions.end(), [&](const PlannedEviction& other) {
          const bool is_surplus =
              other.as == EvictedAs::surplus || other.as == EvictedAs::lower_member;
          return is_surplus && cluster_.task(other.task).job == job.id;
        });
    const std::int32_t run = job.count(TaskStatus::bound) + job.count(TaskStatus::running);
    if (run - as_surplus < job.min_available) accuse(each, "is of the minimum of its job");
  }

  // GANG-4.
  void judge_minimums() {
    std::set<JobId> seen;
    for (const PlannedEviction& each : plan_.evictions) {
      const JobId id = cluster_.task(each.task).job;
      if (!id.is_valid() || !seen.insert(id).second) continue;
      const Job& job = cluster_.job(id);
      if (!outcome_.has_minimum(job, false) && !outcome_.is_gone(job)) {
        accuse(each, "leaves its job without its minimum");
      }
    }
  }

  void judge_need() {
    for (const std::string& fault : needless_evictions(cluster_, plan_)) faults_.push_back(fault);
    for (const std::string& fault : broken_reclaim_laws(cluster_, plan_, book_)) {
      faults_.push_back(fault);
    }
    for (const std::string& fault : broken_eviction_limits(cluster_, plan_, book_, now_)) {
      faults_.push_back(fault);
    }
  }

  void accuse(const PlannedEviction& each, const std::string& what) {
    faults_.push_back("victim " + cluster_.task(each.task).name + " of " +
                      std::string(each.action) + " " + what);
  }

  const Cluster& cluster_;
  const Plan& plan_;
  const LawBook& book_;
  const TimePoint now_;
  const Outcome outcome_;
  const std::vector<JobId> locks_;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> broken_eviction_laws(const Cluster& before, const Plan& plan,
                                              const LawBook& book, TimePoint now) {
  return EvictionCourt(before, plan, book, now).judge();
}

}  // namespace berth::support
