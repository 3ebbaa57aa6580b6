#include <algorithm>
#include <tuple>

#include "berth/engine/job_line.h"
#include "berth/engine/queue_tree.h"
#include "berth/engine/session.h"
#include "engine/memory.h"

// The order of the jobs that wait, and of their refusals.

namespace berth::engine {

namespace {

// Room alone would not do.
bool lacks_pods(Reason reason) {
  return reason == Reason::too_few_tasks || reason == Reason::too_few_tasks_of_role ||
         reason == Reason::gated || reason == Reason::group_missing ||
         reason == Reason::group_faulty || reason == Reason::composite_waits ||
         reason == Reason::gang_faulty || reason == Reason::pod_faulty ||
         reason == Reason::object_too_large || reason == Reason::namespace_too_large ||
         reason == Reason::claim_not_ready;
}

// It would start if it had the room that others have.
bool waits_for_room(Reason reason) {
  return reason == Reason::cluster_overcommitted || reason == Reason::queue_capability ||
         reason == Reason::queue_share_used || reason == Reason::guarantees_kept ||
         reason == Reason::gang_incomplete || reason == Reason::role_incomplete ||
         reason == Reason::surplus_waits || reason == Reason::insufficient_resource ||
         reason == Reason::behind_in_queue || reason == Reason::room_kept ||
         reason == Reason::no_domain_has_room;
}

// Of jobs that others come before.
void note_turns(const Session& session, std::vector<Refusal>& refusals) {
  if (session.is_silent(points::turn_note)) return;
  for (Refusal& refusal : refusals) {
    if (!waits_for_room(refusal.reason)) continue;
    session.ask(points::turn_note, session.cluster().job(refusal.job), &refusal.turn);
  }
}

}  // namespace

// STATUS-5. Jobs that get no room before they are admitted come last.
void Session::put_in_order() {
  std::vector<JobId> admitted;
  std::vector<JobId> pending;
  for (const Refusal& refusal : plan_.refusals) {
    const Job& job = cluster_.job(refusal.job);
    const bool needs_room = refusal.reason != Reason::none && !lacks_pods(refusal.reason) &&
                            job.has_group && job.fault.empty() && job.queue.is_valid() &&
                            queues().standing(cluster_, job.queue) && impossibility_of(job.id);
    if (!needs_room) continue;
    const bool is_pending =
        has_enqueue_ && job.phase == GroupPhase::pending && !kept_out_.contains(job.id);
    (is_pending ? pending : admitted).push_back(job.id);
  }
  std::vector<JobId> order = JobLine::in_order(*this, std::move(admitted), JobLine::For::service);
  pending = JobLine::in_order(*this, std::move(pending), JobLine::For::admission);
  order.insert(order.end(), pending.begin(), pending.end());
  plan_.order = std::move(order);
}

// By name. They came in the order of open jobs, which is that of arrival.
void Session::put_refusals_in_order() {
  std::vector<Refusal>& refusals = plan_.refusals;
  if (!memory_.gives_reasons) return refusals.clear();
  std::erase_if(refusals, [](const Refusal& each) { return each.reason == Reason::none; });
  std::vector<JobId> jobs;
  jobs.reserve(refusals.size());
  for (std::size_t i = 0; i < refusals.size(); ++i) {
    jobs.push_back(refusals[i].job);
    refusal_of_job_[refusals[i].job.index()] = static_cast<std::uint32_t>(i);
  }
  memory_.by_name.restore(jobs);
  sort_nearly_sorted(jobs, [this](JobId left, JobId right) {
    const Job& l = cluster_.job(left);
    const Job& r = cluster_.job(right);
    return std::tie(l.name, l.uid) < std::tie(r.name, r.uid);
  });
  memory_.by_name.note(jobs);
  std::vector<Refusal> in_order;
  in_order.reserve(jobs.size());
  for (const JobId id : jobs) in_order.push_back(std::move(refusals[refusal_of_job_[id.index()]]));
  refusals = std::move(in_order);
  note_turns(*this, refusals);
}

}  // namespace berth::engine
