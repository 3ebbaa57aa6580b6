#include <algorithm>
#include <vector>

#include "actions/claims.h"
#include "actions/eviction/evict_for.h"
#include "actions/placement.h"
#include "berth/engine/job_line.h"

// The jobs that others leave for, in their turn.

namespace berth::actions {

using namespace engine;

Verdict why_in_vain(Session& session, const Job& job, const ConsideredEvictions& vain,
                    std::int32_t most, std::int32_t lacking) {
  const bool are_used_up =
      std::any_of(vain.spared.begin(), vain.spared.end(),
                  [](const Spared& each) { return each.reason == Reason::evictions_used_up; });
  if (are_used_up) return session.allowance().of_queues();  // LIMIT-5
  if (vain.candidates == 0) return reject(Reason::nobody_may_leave);
  const std::int32_t has = job.placed_count() + job.count(TaskStatus::pipelined);
  return reject(Reason::not_enough_leave, has + most, has + lacking);
}

// CLAIMANT-1.
bool is_claimant(Session& session, const Job& job) {
  const bool waits_for_pods =
      job.placed_count() + job.count(TaskStatus::pipelined) + job.unplaced_count() <
      job.min_available;
  if (job.unplaced_count() == 0 || waits_for_pods || has_minimum(session, job)) return false;
  // All that it has planned before is given back if kube-scheduler refuses a part (HINT-3).
  if (job.count(TaskStatus::binding) > 0 && job.bound_count() == 0) return false;
  if (session.refused_for(job.id) == Reason::behind_in_queue) return false;
  return may_be_served(session, job.id) && !session.ask(points::job_pipelined, job);
}

void evict_for_waiting_jobs(Session& session, RoomMaker& maker) {
  serve_claims(session);
  std::vector<JobId> jobs;
  for (const JobId id : session.cluster().open_jobs()) {
    if (is_claimant(session, session.cluster().job(id))) jobs.push_back(id);
  }
  if (jobs.empty()) return;
  JobLine line(session, std::move(jobs), JobLine::For::eviction);
  for (JobId id = line.next(); id.is_valid() && maker.may_go_on(); id = line.next()) {
    const bool was_kept_out = session.kept_out().contains(id);
    maker.make_room(id);
    const JobId next = next_kept_out(session, id, was_kept_out);  // ENQUEUE-8
    if (next.is_valid() && is_claimant(session, session.cluster().job(next))) line.rejoin(next);
  }
}

}  // namespace berth::actions
