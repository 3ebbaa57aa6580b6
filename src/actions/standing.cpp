#include "actions/placement.h"
#include "actions/refused_plans.h"

// Which jobs may be served at all.

namespace berth::actions {

using namespace engine;

Verdict behind(const Session& session, JobId job, JobId first) {
  const char* const unnamed = "a job of another namespace";
  return reject(Reason::behind_in_queue, 0, 0, session.named_to(job, first, unnamed));
}

Verdict has_standing(const Session& session, const Job& job) {
  if (!job.has_group) return reject(Reason::group_missing, 0, 0, job.name);
  if (!job.fault.empty()) return reject(Reason::group_faulty, 0, 0, job.fault);
  if (!job.waits_for.empty()) return reject(Reason::composite_waits, 0, 0, job.waits_for);
  if (!job.gang_fault.empty()) return reject(Reason::gang_faulty, 0, 0, job.gang_fault);
  if (!job.queue.is_valid()) return reject(Reason::queue_missing, 0, 0, job.queue_name);
  return session.queues().standing(session.cluster(), job.queue);
}

bool may_be_served(Session& session, JobId id) {
  const Job& job = session.cluster().job(id);
  if (session.has_enqueue() && !job.is_admitted() && !session.kept_out().has_turn(id)) return false;
  Verdict verdict = has_standing(session, job);
  if (verdict) verdict = session.feasibility().of(id);
  if (verdict) verdict = session.ask(points::job_valid, job);
  if (verdict) verdict = may_be_tried(session, job);
  if (!verdict) session.refuse(id, verdict);
  return static_cast<bool>(verdict);
}

void admit_if_kept_out(Session& session, JobId id) {
  if (session.kept_out().contains(id)) session.admit(id);
}

JobId next_kept_out(Session& session, JobId id, bool was_kept_out) {
  const bool is_new = was_kept_out && !session.kept_out().contains(id);
  return is_new ? session.kept_out().first_like(id) : JobId();
}

}  // namespace berth::actions
