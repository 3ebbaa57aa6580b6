// Reclaim: between queues, a queue takes back what it deserves.
//
// A job whose queue, with it, stays within its share may take room of queues that are beyond
// theirs. Surplus goes first, of every such queue; a whole job only if surplus does not do, and
// only of a queue that is reclaimable. No queue falls below its guarantee.
//
// Arguments: whole-jobs, true (default) or false: whether jobs may be evicted whole; min-run-time,
// a duration from 0s (default) to 8760h: how long they first run.
//
// Before that, a queue whose guarantee has the policy Guaranteed gets the room on nodes of its own.
//
// Steps RECLAIM-1 to RECLAIM-6 are those of docs/design/reclaim.md; RECLAIM-2 to RECLAIM-5 are in
// plugins/proportion/reclaim_rules.cpp, the search for victims is docs/design/victims.md.

#include <memory>
#include <utility>

#include "actions/eviction/clear_nodes.h"
#include "actions/eviction/evict_for.h"
#include "actions/eviction/min_run_time.h"
#include "actions/eviction/parties.h"
#include "berth/engine/action.h"

namespace berth::actions {
namespace {

using namespace engine;

class Reclaim final : public Action {
 public:
  explicit Reclaim(Arguments& arguments)
      : takes_whole_jobs_(arguments.boolean("whole-jobs", true)),
        min_run_time_(arguments, &Queue::reclaim_min_run_time) {}

  void execute(Session& session) const override {
    PartsOfJobs parts_of_jobs(session);
    // RECLAIM-6. Nodes that queues have of their own.
    clear_nodes_of_queues(session, parts_of_jobs, takes_whole_jobs_, min_run_time_);
    // RECLAIM-1. For each job that lacks its minimum, in the order of jobs.
    evict_for_waiting_jobs(session, *session.room_makers().of(kName));

    // From here on, no entitled job could start on room that other queues must give.
  }

  std::unique_ptr<RoomMaker> room_maker(Session& session) const override {
    Eviction eviction;
    eviction.policy.action = kName;
    eviction.policy.is_for_entitled = true;
    eviction.policy.is_strict_first = true;
    const auto parts_of_jobs = std::make_shared<PartsOfJobs>(session);
    eviction.policy.parties = [this, &session, parts_of_jobs](const Job& claimant) {
      Parties parties = parties_of(
          session, *parts_of_jobs, takes_whole_jobs_,
          [&](QueueId queue) { return queue != claimant.queue; },
          [&](const PartSet& parts) { return session.ask(points::reclaimable, claimant, parts); },
          [&](const JobPart& part) {
            const Job& job = session.cluster().job(part.job);
            return is_overused(session, job.queue) ? Reason::queue_keeps_jobs
                                                   : Reason::queue_within_share;
          });
      min_run_time_.protect(session, parties);
      return parties;
    };
    eviction.policy.may_take = [&session](const Claimant& claimant, const Leaving& leaving) {
      return session.ask(points::yieldable, claimant, leaving);
    };
    eviction.may_claim = [&session](const Job& job, const Need& need) {
      return session.is_silent(points::entitled) ? reject(Reason::nobody_may_leave)
                                                 : session.ask(points::entitled, job, need);
    };
    eviction.takes_whole_jobs = takes_whole_jobs_;
    return room_maker_of(session, std::move(eviction));
  }

 private:
  static constexpr const char* kName = "reclaim";
  bool takes_whole_jobs_;
  MinRunTime min_run_time_;
};

}  // namespace

BERTH_ACTION(Reclaim, "reclaim");

}  // namespace berth::actions
