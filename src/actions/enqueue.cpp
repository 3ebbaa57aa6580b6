// Enqueue: let waiting jobs in.
//
// A cluster serves better when it is not asked for everything at once: jobs beyond what it could
// soon hold wait outside, where they cost nothing. Who may come in is voted on by plugins; who
// comes first is the order of the line. One that was let in, finds no place and keeps others out
// goes back.
//
// Argument: admission-timeout, a duration from 1s to 8760h, default 10m; 0s: never.
//
// Steps E1..E6 are those of docs/design/enqueue.md.

#include "actions/placement.h"
#include "berth/engine/action.h"
#include "berth/engine/job_line.h"

namespace berth::actions {
namespace {

using namespace engine;

class Enqueue final : public Action {
 public:
  explicit Enqueue(Arguments& arguments)
      : timeout_(arguments.duration("admission-timeout", std::chrono::minutes(10), Duration(0),
                                    std::chrono::hours(8760))) {}

  void execute(Session& session) const override {
    // E1. Line up the pending jobs of open queues; a group may be let in before it has pods.
    std::vector<JobId> jobs;
    std::vector<JobId> sent_back;
    for (const JobId id : session.cluster().open_jobs()) {
      const Job& job = session.cluster().job(id);
      if (job.phase != GroupPhase::pending) continue;
      if (const Verdict standing = has_standing(session, job); !standing) {
        session.refuse(refusal_of(id, standing));
      } else {
        (gives_way(session, job) ? sent_back : jobs).push_back(id);
      }
    }
    // E6. Those who were sent back a short while ago come after all others.
    bool is_anybody_kept_out = admit(session, std::move(jobs));
    is_anybody_kept_out = admit(session, std::move(sent_back)) || is_anybody_kept_out;
    if (is_anybody_kept_out && timeout_ > Duration(0)) send_back_one(session);
  }

 private:
  // True if somebody is kept out.
  static bool admit(Session& session, std::vector<JobId> jobs) {
    bool is_anybody_kept_out = false;
    JobLine line(session, std::move(jobs), JobLine::For::admission);
    for (JobId id = line.next(); id.is_valid(); id = line.next()) {
      const Job& job = session.cluster().job(id);
      // E2. A job that says nothing of its size is let in: there is nothing to vote on.
      const Verdict verdict =
          job.min_resources ? session.ask(points::job_enqueueable, job) : pass();
      if (!verdict) {
        // E3. One that is kept out does not keep out those behind it.
        session.refuse(refusal_of(id, verdict));
        is_anybody_kept_out = true;
        continue;
      }
      // E4. Tallies move when the outcome is known, not when it is voted on.
      session.admit(id);
    }
    return is_anybody_kept_out;
  }

  bool gives_way(const Session& session, const Job& job) const {
    return job.returned_at && session.now() - *job.returned_at < timeout_;
  }

  // E5. Of those let in long ago who have nothing, the last in line makes room; in the next
  // session another may.
  void send_back_one(Session& session) const {
    JobId last;
    for (const JobId id : session.cluster().open_jobs()) {
      const Job& job = session.cluster().job(id);
      const bool is_overdue = job.phase == GroupPhase::inqueue && job.min_resources &&
                              job.placed_count() == 0 && job.admitted_at &&
                              session.now() - *job.admitted_at >= timeout_;
      if (!is_overdue) continue;
      if (!last.is_valid() || session.comes_before(session.cluster().job(last), job)) last = id;
    }
    if (!last.is_valid()) return;
    session.send_back(last);
    session.refuse(refusal_of(last, reject(Reason::gave_way)));
  }

  Duration timeout_;
};

}  // namespace

BERTH_ACTION(Enqueue, "enqueue");

}  // namespace berth::actions
