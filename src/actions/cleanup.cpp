// Cleanup: a job that has lost its minimum, in a queue beyond its share, leaves for one that could
// start. So does one that has run for longer than its time limit, if that is configured.
//
// The first does no work, and holds room (S1). It leaves whole, only if a job that waits is placed
// in the room, and only after a time in which its lost members may come back.
//
// Arguments: grace-period, a duration from 0s to 8760h, default 5m; evict-overdue, true or false
// (default).
//
// Steps CLEANUP-1 to CLEANUP-6 are those of docs/design/cleanup.md; the search for victims is
// docs/design/victims.md.

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "actions/eviction/candidates.h"
#include "actions/eviction/evict_for.h"
#include "actions/eviction/parties.h"
#include "berth/base/later.h"
#include "berth/engine/action.h"
#include "berth/model/time_limit.h"

namespace berth::actions {
namespace {

using namespace engine;

class Cleanup final : public Action {
 public:
  explicit Cleanup(Arguments& arguments)
      : grace_(arguments.duration("grace-period", std::chrono::minutes(5), Duration(0),
                                  std::chrono::hours(8760))),
        evicts_overdue_(arguments.boolean("evict-overdue", false)) {}

  void execute(Session& session) const override {
    // CLEANUP-1. For each job that lacks its minimum and could start, in the order of jobs.
    if (RoomMaker* maker = session.room_makers().of(kName)) evict_for_waiting_jobs(session, *maker);

    // From here on, no job without its minimum keeps room from one that could start, if its queue
    // is beyond its share.
  }

  std::unique_ptr<RoomMaker> room_maker(Session& session) const override {
    const Cluster& cluster = session.cluster();
    PartSet unready;
    for (std::size_t j = 0; j < cluster.job_slots(); ++j) {
      const Job& job = cluster.job(JobId(j));
      if (may_go(session, job) || is_overdue(session, job)) {
        unready.push_back({job.id, JobPart::Kind::whole});
      }
    }
    if (unready.empty()) return nullptr;
    Eviction eviction;
    eviction.policy.action = kName;
    eviction.policy.as_whole = EvictedAs::unready_job;
    eviction.policy.parties = [this, &session, unready](const Job& claimant) {
      Parties parties{unready, {}};
      std::erase_if(parties.parts, [&](const JobPart& part) {
        const Job& job = session.cluster().job(part.job);
        const bool may_leave = may_go(session, job) || is_overdue(session, job);
        return !may_leave || !comes_after(job, claimant);
      });
      return parties;
    };
    eviction.policy.may_take = [this, &session](const Claimant& claimant, const Leaving& leaving) {
      const Job& job = session.cluster().job(leaving.job);
      const bool may_take = is_overused(session, job.queue) || is_overdue(session, job);
      if (!may_take) return reject(Reason::queue_within_share);
      // CLEANUP-5
      Claimant queue;
      queue.queue = session.cluster().job(claimant.job).queue;
      return session.ask(points::yieldable, queue, leaving);
    };
    return room_maker_of(session, std::move(eviction));
  }

 private:
  static constexpr const char* kName = "cleanup";

  // CLEANUP-2, CLEANUP-3. It had its minimum once, nothing of it is on the way, and its members had
  // time to come back.
  bool may_go(Session& session, const Job& job) const {
    if (!job.unready_since) return false;
    const bool is_on_the_way = job.count(TaskStatus::binding) > 0 ||
                               job.count(TaskStatus::allocated) > 0 ||
                               job.count(TaskStatus::pipelined) > 0;
    if (is_on_the_way || !may_leave_whole(job) || !is_overused(session, job.queue)) return false;
    const TimePoint due = *job.unready_since + grace_;
    if (session.now() >= due) return true;
    session.answers_may_change_at(due);
    return false;
  }

  // CLEANUP-6. One of its pods runs for longer than is stated of it, grace period included.
  bool is_overdue(Session& session, const Job& job) const {
    if (!evicts_overdue_ || !job.exists || !may_leave_whole(job)) return false;
    const Cluster& cluster = session.cluster();
    return std::any_of(job.tasks.begin(), job.tasks.end(), [&](TaskId id) {
      const Task& task = cluster.task(id);
      const std::optional<TimeLimit> limit = time_limit_of(cluster, task);
      if (!runs(task) || !limit || is_enforced(limit->source)) return false;
      const TimePoint due = end_by(*limit, task, std::max(task.started, task.scheduled_at));
      if (session.now() > due) return true;
      session.answers_may_change_at(later(due, Duration(1)));
      return false;
    });
  }

  // CLEANUP-4. Within a queue, it leaves for no job of lower priority.
  static bool comes_after(const Job& unready, const Job& claimant) {
    return unready.queue != claimant.queue || unready.priority <= claimant.priority;
  }

  Duration grace_;
  bool evicts_overdue_;
};

}  // namespace

BERTH_ACTION(Cleanup, "cleanup");

}  // namespace berth::actions
