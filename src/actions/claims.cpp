// Claims: room that is being vacated stays with the job that it was promised to.
//
// A session that holds room for a gang would forget it when it ends, and the next one would give it
// to the next job in the order. So claims outlive a session: the next one takes them up again
// before it places anything else.
//
// Rules CLAIM-2, CLAIM-3 and CLAIM-5 to CLAIM-7 are those of docs/design/claims.md; CLAIM-4 is in
// allocate.cpp.

#include "actions/claims.h"

#include <algorithm>

#include "actions/passes.h"
#include "actions/placement.h"
#include "actions/refused_plans.h"
#include "berth/engine/fit.h"
#include "berth/engine/queue_tree.h"
#include "berth/engine/statement.h"
#include "engine/memory.h"
#include "engine/near_sets.h"

namespace berth::actions {

using namespace engine;

namespace {

void end_claims(Session& session, JobId job, EndedClaims::How how) {
  session.plan().ended_claims.push_back({job, how});
}

// CLAIM-11. Anybody who may write the annotation may say that others were evicted.
bool may_have(Session& session, const Job& job, const Task& task) {
  const Queue& queue = session.cluster().queue(job.queue);
  if (!job.others_left_for_it)
    return static_cast<bool>(session.ask(points::allocatable, queue, task));
  return !job.claims_are_restored ||
         static_cast<bool>(session.ask(points::within_capability, queue, task));
}

// CLAIM-5, CLAIM-7, CLAIM-11. Only as far as the room is still there. False: it is not taken up.
// `vetoed` counts those that a veto alone keeps from being placed.
bool take_up(Session& session, const Job& job, const Claim& claim, Statement& statement,
             std::int32_t& vetoed) {
  const Cluster& cluster = session.cluster();
  const Task& task = cluster.task(claim.task);
  if (task.status != TaskStatus::pending || task.is_gated) return false;
  const Shape& shape = cluster.shape(task.shape);
  const Node& node = cluster.node(claim.node);
  const Verdict fits = session.ask(points::predicate, shape, node);
  if (!passes_in_time(fits) || !session.is_open_to(claim.node, job.id) ||
      !may_have(session, job, task)) {
    return false;
  }
  if (has_room(IdleNow{cluster}, shape, claim.node) && fits_beside(session, shape, claim.node)) {
    if (fits) return static_cast<bool>(statement.allocate(claim.task, claim.node));
    ++vetoed;
  }
  return has_room(OnceVacated{cluster}, shape, claim.node) &&
         fits_beside(session, shape, claim.node, Occupants::once_vacated) &&
         statement.pipeline(claim.task, claim.node);
}

// Those that need others of the job near them, or elsewhere, come after these.
void take_up_all(Session& session, const Job& job, Statement& statement, std::int32_t& vetoed) {
  (void)try_in_passes(job.claims, [&](const Claim& each) {
    return take_up(session, job, each, statement, vetoed);
  });
}

}  // namespace

void serve_claims_of(Session& session, JobId id) {
  if (!session.takes_up_claims_of(id)) return;
  const Job& job = session.cluster().job(id);
  // CLAIM-6. A node may never finish with the pods that leave it.
  const bool is_late = std::any_of(job.claims.begin(), job.claims.end(), [&](const Claim& claim) {
    return session.now() - claim.since >= session.memory().claim_patience;
  });
  if (is_late) return end_claims(session, id, EndedClaims::How::timed_out);
  const bool is_served = may_be_served(session, id) &&
                         session.ask(points::overused, session.cluster().queue(job.queue));
  if (!is_served) return end_claims(session, id, EndedClaims::How::cannot_start);
  Statement statement(session);
  std::int32_t vetoed = 0;
  take_up_all(session, job, statement, vetoed);
  if (are_apart(session, job)) return end_claims(session, id, EndedClaims::How::cannot_start);
  // CLAIM-12. Its queue has room for it only when they are gone.
  if (session.ask(points::job_ready, job) && !do_others_leave_for(session, job)) {
    // CLAIM-3. Enough of the room is idle now.
    if (is_refused_plan(session, job))
      return end_claims(session, id, EndedClaims::How::cannot_start);
    return std::move(statement).commit();
  }
  const bool is_enough = static_cast<bool>(session.ask(points::job_pipelined, job));
  if (statement.is_empty() || (!is_enough && !session.evicts_for_jobs())) {
    return end_claims(session, id, EndedClaims::How::cannot_start);
  }
  // CLAIM-10. A victim may stay, by the API server's word, and others may leave in its place.
  if (!is_enough) session.hold_until_close(id);
  const bool waits_for_vetoes = vetoed > 0 && job.placed_count() + vetoed >= job.min_available;
  session.refuse(id,
                 reject(waits_for_vetoes ? Reason::holds_vetoed_room : Reason::holds_releasing_room,
                        std::min(job.placed_count(), job.min_available), job.min_available));
  std::move(statement).hold();
}

// CLAIM-2. In the order of their age.
void serve_claims(Session& session) {
  for (const JobId id : std::vector<JobId>(session.cluster().claimants())) {
    serve_claims_of(session, id);
  }
}

std::vector<TaskId> claimed_tasks(Session& session, const Job& job) {
  std::vector<TaskId> tasks;
  const bool may_have_some = !job.claims.empty() || job.count(TaskStatus::pipelined) > 0 ||
                             session.refused_for(job.id) == Reason::holds_releasing_room;
  if (!may_have_some) return tasks;
  for (const Placement& each : session.plan().pipelined) {
    if (session.cluster().task(each.task).job == job.id) tasks.push_back(each.task);
  }
  return tasks;
}

bool are_evicted_for(Session& session, const Job& job) {
  const auto& evictions = session.plan().evictions;
  return std::any_of(evictions.begin(), evictions.end(),
                     [&](const PlannedEviction& each) { return each.beneficiary == job.id; });
}

bool do_others_leave_for(Session& session, const Job& job) {
  const std::int32_t started = job.bound_count() + job.count(TaskStatus::binding);
  if (started >= job.min_available) return false;
  if (!job.others_are_leaving && !are_evicted_for(session, job)) return false;
  const QueueTree& tree = session.queues();
  for (std::uint32_t at = tree.position_of(job.queue); at != QueueTree::kNowhere && at != 0;
       at = tree.member(at).parent) {
    for (std::size_t d = 0; d < tree.dimensions(); ++d) {
      const Dimension dimension(d);
      if (tree.real_capability(at, dimension) < tree.total(dimension)) return true;
    }
  }
  return false;
}

bool have_claims_ended(Session& session, JobId job) {
  const auto& ended = session.plan().ended_claims;
  return std::any_of(ended.begin(), ended.end(),
                     [&](const EndedClaims& each) { return each.job == job; });
}

bool are_promises_kept(Session& session, JobId claimant) {
  const Cluster& cluster = session.cluster();
  const std::vector<Placement>& promised = session.plan().pipelined;
  return std::all_of(promised.begin(), promised.end(), [&](const Placement& each) {
    const Shape& shape = cluster.shape_of(each.task);
    const bool depends_on_others = !shape.terms.affinity.empty() || !shape.terms.spread.empty();
    const Task& task = cluster.task(each.task);
    if (!depends_on_others || task.job == claimant || !task.node.is_valid()) return true;
    Statement without(session);
    without.withdraw(each.task);
    return static_cast<bool>(fits_beside(session, shape, each.node, Occupants::once_vacated));
  });
}

bool may_hold(Session& session, const Job& job) {
  for (const EndedClaims& each : session.plan().ended_claims) {
    if (each.job == job.id && each.how == EndedClaims::How::timed_out) return false;
  }
  if (!job.claims_ended_at) return true;
  const TimePoint until = *job.claims_ended_at + session.memory().claim_patience;
  if (session.now() >= until) return true;
  session.answers_may_change_at(until);
  return false;
}

}  // namespace berth::actions
