// Preempt: within a queue, the more important job takes from the less important one.
//
// A job that lacks its minimum, and finds no idle room, takes room of jobs of its queue: of lower
// priority, and the surplus of equal priority. Surplus goes first, a whole job only if surplus does
// not do. Within a job, pods of higher priority take the room of its surplus.
//
// Arguments: whole-jobs, true (default) or false: whether jobs may be evicted whole; min-run-time,
// a duration from 0s (default) to 8760h: how long they first run.
//
// Steps PREEMPT-1 to PREEMPT-5 are those of docs/design/preempt.md; the search for victims is
// docs/design/victims.md.

#include <algorithm>
#include <memory>
#include <utility>

#include "actions/claims.h"
#include "actions/eviction/evict_for.h"
#include "actions/eviction/min_run_time.h"
#include "actions/eviction/parties.h"
#include "actions/eviction/solver.h"
#include "actions/placement.h"
#include "berth/engine/action.h"
#include "berth/engine/job_line.h"
#include "berth/engine/surplus.h"

namespace berth::actions {
namespace {

using namespace engine;

class Preempt final : public Action {
 public:
  explicit Preempt(Arguments& arguments)
      : takes_whole_jobs_(arguments.boolean("whole-jobs", true)),
        min_run_time_(arguments, &Queue::preempt_min_run_time) {}

  void execute(Session& session) const override {
    // PREEMPT-1. For each job that lacks its minimum, in the order of jobs.
    evict_for_waiting_jobs(session, *session.room_makers().of(kName));

    // PREEMPT-3, PREEMPT-5. Then for each job that has its minimum, or lacks only pods of a role,
    // among its own pods.
    std::vector<JobId> jobs;
    for (const JobId id : session.cluster().open_jobs()) {
      const Job& job = session.cluster().job(id);
      if (job.unplaced_count() == 0 || surplus_count(job) == 0) continue;
      const bool may_take =
          has_minimum(session, job) ? may_be_served(session, id) : is_claimant(session, job);
      if (may_take) jobs.push_back(id);
    }
    if (jobs.empty()) return;
    JobLine line(session, std::move(jobs));
    for (JobId id = line.next(); id.is_valid(); id = line.next()) {
      const Job& job = session.cluster().job(id);
      has_minimum(session, job) ? within(session, job) : for_roles(session, job);
    }

    // From here on, evicting within a queue helps no job that lacks its minimum.
  }

  // PREEMPT-2
  std::unique_ptr<RoomMaker> room_maker(Session& session) const override {
    Eviction eviction;
    eviction.policy.action = kName;
    const auto parts_of_jobs = std::make_shared<PartsOfJobs>(session);
    eviction.policy.parties = [this, &session, parts_of_jobs](const Job& claimant) {
      Parties parties = parties_of(
          session, *parts_of_jobs, takes_whole_jobs_,
          [&](QueueId queue) { return queue == claimant.queue; },
          [&](const PartSet& parts) { return session.ask(points::preemptable, claimant, parts); },
          [&](const JobPart& part) {
            const bool is_equal = session.cluster().job(part.job).priority == claimant.priority;
            return is_equal && part.kind == JobPart::Kind::whole ? Reason::gang_minimum
                                                                 : Reason::not_lower;
          });
      min_run_time_.protect(session, parties);
      return parties;
    };
    eviction.takes_whole_jobs = takes_whole_jobs_;
    return room_maker_of(session, std::move(eviction));
  }

 private:
  static constexpr const char* kName = "preempt";

  static Eviction of_own_surplus() {
    Eviction eviction;
    eviction.policy.action = kName;
    eviction.policy.is_within_job = true;
    eviction.policy.parties = [](const Job& own) {
      return Parties{{{own.id, JobPart::Kind::surplus}}, {}};
    };
    return eviction;
  }

  // PREEMPT-5
  static void for_roles(Session& session, const Job& job) {
    const std::vector<TaskId> lacking = lacking_members(session, job);
    if (never_preempts(session.cluster(), job, lacking) || !may_hold(session, job)) return;
    if (!evict_for_tasks(session, of_own_surplus(), lacking)) return;
    std::erase_if(session.plan().considered, [&](const ConsideredEvictions& each) {
      return each.job == job.id && each.action == kName;
    });
  }

  // PREEMPT-3, PREEMPT-4. One at a time, while it helps.
  static void within(Session& session, const Job& job) {
    TaskId waiting;
    const std::vector<TaskId> unplaced = session.unplaced_in_order(job);
    const auto is_lower = [&](TaskId id) {
      const Cluster& cluster = session.cluster();
      return session.ask(points::task_order, cluster.task(waiting), cluster.task(id)) ==
             Order::less;
    };
    waiting = unplaced.front();
    const std::vector<TaskId> surplus = surplus_of(session, job);
    if (surplus.empty() || !is_lower(surplus.front())) return;  // it may have succeeded
    Eviction eviction = of_own_surplus();
    eviction.policy.as_surplus = EvictedAs::lower_member;
    eviction.policy.may_take = [&](const Claimant&, const Leaving& leaving) {
      const bool are_lower = std::all_of(leaving.tasks.begin(), leaving.tasks.end(), is_lower);
      return are_lower ? pass() : reject(Reason::not_lower);
    };
    for (const TaskId id : unplaced) {
      waiting = id;
      if (never_preempts(session.cluster(), job, {id})) continue;
      if (!may_hold(session, job) || !evict_for_tasks(session, eviction, {id})) return;
    }
  }

  bool takes_whole_jobs_;
  MinRunTime min_run_time_;
};

}  // namespace

BERTH_ACTION(Preempt, "preempt");

}  // namespace berth::actions
