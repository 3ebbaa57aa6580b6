// Elect: choose the job that has starved, and help it.
//
// Where small jobs come all the time, a big one never finds enough room at once. One job at a time
// is made the target: nodes are kept for it (reserve) until it has started. Who is chosen is the
// plugins' word; that it can start at all is seen to here, or its nodes would be kept for ever.
//
// Steps L1 to L5 are those of docs/design/elect.md.

#include <algorithm>
#include <optional>
#include <utility>

#include "actions/placement.h"
#include "berth/engine/action.h"
#include "berth/engine/bins.h"
#include "berth/engine/need.h"

namespace berth::actions {
namespace {

using namespace engine;

// What nodes could give is worked out once a session, if anybody asks.
class Feasibility {
 public:
  explicit Feasibility(Session& session) : session_(session) {}

  Verdict of(const Job& job) {
    const Need need = need_of(session_, job);
    if (const Verdict verdict = session_.ask(points::electable, job, need); !verdict) {
      return verdict;
    }
    if (!potential_) potential_.emplace(session_.cluster());
    return could_start(session_, job, need, *potential_);
  }

 private:
  Session& session_;
  std::optional<Potential> potential_;
};

class Elect final : public Action {
 public:
  explicit Elect(Arguments&) {}

  void execute(Session& session) const override {
    Feasibility feasibility(session);
    release_former(session, feasibility);

    std::vector<JobId> candidates;
    for (const JobId id : session.cluster().open_jobs()) {
      if (is_candidate(session, session.cluster().job(id))) candidates.push_back(id);
    }
    for (const EndedReservation& each : session.plan().ended) std::erase(candidates, each.job);
    while (!candidates.empty()) {
      // L3. Plugins choose among those that wait ...
      const std::optional<Nomination> chosen = session.ask(points::target_job, candidates);
      if (!chosen) return;
      candidates.erase(std::find(candidates.begin(), candidates.end(), chosen->job));
      // L4. ... but one that cannot start, whoever else finishes, is told so and passed over.
      if (const Verdict verdict = feasibility.of(session.cluster().job(chosen->job)); !verdict) {
        session.note_impossible(chosen->job, verdict);
        session.refuse(refusal_of(chosen->job, verdict));
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

  // L1. A target is one until its minimum is bound, or it cannot or may not be one any more.
  static void release_former(Session& session, Feasibility& feasibility) {
    using How = EndedReservation::How;
    for (const JobId id : std::vector<JobId>(session.cluster().targets())) {
      const Job& job = session.cluster().job(id);
      if (job.bound_count() >= job.min_available && has_minimum(session, job)) {
        session.release(id, How::started);
        continue;
      }
      Verdict verdict = has_standing(session, job);
      if (verdict) verdict = has_its_pods(session, job);
      if (verdict && !has_minimum(session, job)) verdict = feasibility.of(job);
      if (!verdict) {
        session.release(id, How::impossible, verdict);
        session.note_impossible(id, verdict);
        session.refuse(refusal_of(id, verdict));
      } else if (const Verdict stays = session.ask(points::target_stays, job); !stays) {
        session.release(id, How::given_up, stays);
      } else {
        let_in(session, id);
      }
    }
  }

  // Pods of one that was let in by its election come only then; but not for ever.
  static Verdict has_its_pods(const Session& session, const Job& job) {
    const bool are_coming = session.now() - job.election->since < kPodsCome;
    if (are_coming || at_hand(job) >= job.min_available) return pass();
    const Verdict verdict = session.ask(points::job_valid, job);
    return verdict ? reject(Reason::gated, job.gated) : verdict;
  }

  static std::int32_t at_hand(const Job& job) { return job.placed_count() + job.unplaced_count(); }

  // L2. Its group is Pending or Inqueue, it has not got its minimum, and it lacks nothing but room.
  // One that waits at the door may have no pods yet, if it says how much it needs.
  static bool is_candidate(const Session& session, const Job& job) {
    if (job.election) return false;
    if (job.phase != GroupPhase::pending && job.phase != GroupPhase::inqueue) return false;
    if (!has_standing(session, job) || has_minimum(session, job)) return false;
    if (at_hand(job) >= job.min_available) {
      return static_cast<bool>(session.ask(points::job_valid, job));
    }
    const bool may_be_made = job.gated == 0 && session.has_enqueue() && !job.is_admitted();
    return may_be_made && job.min_resources && !job.min_resources->is_zero();
  }

  // L5. Its room is what is kept for it: nobody votes on whether it may come in.
  static void let_in(Session& session, JobId id) {
    if (!session.has_enqueue() || session.cluster().job(id).phase != GroupPhase::pending) return;
    session.admit(id);
  }
};

}  // namespace

BERTH_ACTION(Elect, "elect");

}  // namespace berth::actions
