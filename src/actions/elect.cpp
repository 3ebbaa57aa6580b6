// Elect: choose the job that has starved, and help it.
//
// Where small jobs come all the time, a big one never finds enough room at once. One job at a time
// is made the target: nodes are kept for it (reserve) until it has started. Plugins choose the job.
// This action checks that the job can start at all, or its nodes would be kept for ever.
//
// Steps ELECT-1 to ELECT-5 are those of docs/design/elect.md.

#include <algorithm>
#include <optional>
#include <utility>

#include "actions/placement.h"
#include "actions/refused_plans.h"
#include "berth/engine/action.h"
#include "berth/engine/need.h"
#include "berth/model/attempt.h"
#include "engine/bins.h"

namespace berth::actions {
namespace {

using namespace engine;

// The reachable capacity of nodes is computed at most once a session, on the first question.
class StartCheck {
 public:
  explicit StartCheck(Session& session) : session_(session) {}

  Verdict of(const Job& job) {
    if (const Verdict possible = session_.feasibility().of(job.id); !possible) return possible;
    if (const auto& known = session_.worked_out(job.id).start) return verdict_of(*known);
    const Verdict verdict = look(job);
    session_.worked_out(job.id).start = refusal_of(job.id, verdict);
    return verdict;
  }

 private:
  Verdict look(const Job& job) {
    if (!reachable_) reachable_.emplace(session_.cluster());
    const Need need = need_of(session_, job);
    const Verdict verdict = could_start(session_, job, need, *reachable_);
    return verdict ? session_.ask(points::electable, job, need) : verdict;
  }

  // Remembered texts may be dropped before the session ends, so the session keeps copies.
  Verdict verdict_of(const Refusal& known) {
    Verdict verdict = reject(known.reason, known.have, known.need, session_.keep(known.what));
    verdict.detail = session_.keep(known.detail);
    return verdict;
  }

  Session& session_;
  std::optional<ReachableCapacity> reachable_;
};

class Elect final : public Action {
 public:
  explicit Elect(Arguments&) {}

  void execute(Session& session) const override {
    StartCheck check(session);
    release_former(session, check);

    std::vector<JobId> candidates;
    for (const JobId id : session.cluster().open_jobs()) {
      const Job& job = session.cluster().job(id);
      // HINT-8
      if (is_candidate(session, job) && may_be_tried(session, job)) candidates.push_back(id);
    }
    for (const EndedReservation& each : session.plan().ended) std::erase(candidates, each.job);
    while (!candidates.empty()) {
      // ELECT-3. Plugins choose among the jobs that wait ...
      const std::optional<Nomination> chosen = session.ask(points::target_job, candidates);
      if (!chosen) return;
      candidates.erase(std::find(candidates.begin(), candidates.end(), chosen->job));
      // ELECT-4. ... but skip a job that cannot start whatever else ends, and record why.
      if (const Verdict verdict = check.of(session.cluster().job(chosen->job)); !verdict) {
        report_impossible(session, chosen->job, verdict);
        continue;
      }
      if (chosen->displaces.is_valid()) {
        session.release(chosen->displaces, EndedReservation::How::displaced);
      }
      session.elect(chosen->job, chosen->why);
      let_in(session, chosen->job);
    }
  }

 private:
  static constexpr Duration kPodsCome = std::chrono::minutes(1);
  static constexpr std::int32_t kFailuresMost = 3;

  // ELECT-1. A target is one until its minimum is bound, or it cannot or may not be one any more.
  static void release_former(Session& session, StartCheck& check) {
    using How = EndedReservation::How;
    for (const JobId id : std::vector<JobId>(session.cluster().targets())) {
      const Job& job = session.cluster().job(id);
      if (job.bound_count() >= job.min_available && has_minimum(session, job)) {
        session.release(id, How::started);
        continue;
      }
      if (is_withdrawn(job)) {
        session.release(id, How::withdrawn);
        continue;
      }
      if (job.is_named_target && !job.election->is_named) session.name_target(id);
      Verdict verdict = has_standing(session, job);
      if (verdict) verdict = has_its_pods(session, job);
      // HINT-8. Kept nodes do not help it.
      const bool has_failed = job.attempt != nullptr && job.attempt->times >= kFailuresMost;
      if (verdict && has_failed) verdict = may_be_tried(session, job);
      if (verdict && !has_minimum(session, job)) verdict = check.of(job);
      if (!verdict) {
        session.release(id, How::impossible, verdict);
        report_impossible(session, id, verdict);
      } else if (const Verdict stays = session.ask(points::target_stays, job); !stays) {
        const bool is_given_up = stays.reason == Reason::target_given_up;
        session.release(id, is_given_up ? How::given_up : How::too_many, stays);
      } else {
        let_in(session, id);
      }
    }
  }

  // A user's annotation keeps it a target only while it exists; a user's "false" ends it at once.
  static bool is_withdrawn(const Job& job) {
    return job.declines_target || (job.election->is_named && !job.is_named_target);
  }

  // Pods come and go, and exist only once a group is admitted; but the wait for them is short.
  static Verdict has_its_pods(const Session& session, const Job& job) {
    // Targets of one session are elected nanoseconds apart.
    const TimePoint elected = std::chrono::floor<std::chrono::microseconds>(job.election->since);
    const TimePoint lacks_since = std::max(job.whole_since, elected);
    if (job.is_whole || session.now() - lacks_since < kPodsCome) return pass();
    const Verdict verdict = session.ask(points::job_valid, job);
    return verdict ? reject(Reason::gated, job.gated) : verdict;
  }

  // ELECT-2. The job lacks its minimum, or has lost it, and lacks only room. A job that waits for
  // admission may have no pods yet, if it states how much it needs.
  static bool is_candidate(const Session& session, const Job& job) {
    if (job.election || job.declines_target || job.phase == GroupPhase::completed) return false;
    if (!session.feasibility().is_possible(job.id)) return false;
    if (!has_standing(session, job) || has_minimum(session, job)) return false;
    if (job.is_whole) return session.ask(points::job_valid, job) && lacks_only_room(session, job);
    const bool may_be_made = job.gated == 0 && session.has_enqueue() && !job.is_admitted();
    return may_be_made && job.min_resources && !job.min_resources->is_zero();
  }

  // A job that waits for its queue's share does not.
  static bool lacks_only_room(const Session& session, const Job& job) {
    const Cluster& cluster = session.cluster();
    const auto task = std::find_if(job.tasks.begin(), job.tasks.end(), [&](TaskId id) {
      return cluster.task(id).status == TaskStatus::pending && !cluster.task(id).is_gated;
    });
    if (task == job.tasks.end()) return true;
    const Verdict verdict =
        session.ask(points::allocatable, cluster.queue(job.queue), cluster.task(*task));
    return verdict.reason != Reason::queue_share_used || session.ask(points::may_exceed_share, job);
  }

  static void report_impossible(Session& session, JobId job, const Verdict& verdict) {
    session.note_impossible(job, verdict);
    session.refuse(job, verdict);
  }

  // ELECT-5. Nodes keep its room, so it is admitted without a vote.
  static void let_in(Session& session, JobId id) {
    if (!session.has_enqueue() || session.cluster().job(id).phase != GroupPhase::pending) return;
    session.admit(id);
  }
};

}  // namespace

BERTH_ACTION(Elect, "elect");

}  // namespace berth::actions
