// Enqueue: let waiting jobs in.
//
// A cluster serves better when it is not asked for everything at once: jobs beyond what it could
// soon hold wait outside, where they cost nothing. Who may come in is voted on by plugins
// (overcommit, and later queue shares); who comes first is the order of the line.
//
// Steps E1..E4 are those of docs/design/enqueue.md.

#include "actions/placement.h"
#include "berth/engine/action.h"
#include "berth/engine/job_line.h"

namespace berth::actions {
namespace {

using namespace engine;

class Enqueue final : public Action {
 public:
  explicit Enqueue(Arguments&) {}

  void execute(Session& session) const override {
    // E1. Line up the pending jobs of open queues; a group may be let in before it has pods.
    std::vector<JobId> jobs;
    for (const JobId id : session.cluster().open_jobs()) {
      const Job& job = session.cluster().job(id);
      if (job.phase != GroupPhase::pending) continue;
      if (const Verdict standing = has_standing(session, job); !standing) {
        session.refuse(refusal_of(id, standing));
      } else {
        jobs.push_back(id);
      }
    }
    JobLine line(session, std::move(jobs));

    for (JobId id = line.next(); id.is_valid(); id = line.next()) {
      const Job& job = session.cluster().job(id);
      // E2. A job that says nothing of its size is let in: there is nothing to vote on.
      const Verdict verdict =
          job.min_resources ? session.ask(points::job_enqueueable, job) : pass();
      if (!verdict) {
        // E3. One that is kept out does not keep out those behind it.
        session.refuse(refusal_of(id, verdict));
        continue;
      }
      // E4. Tallies move when the outcome is known, not when it is voted on.
      session.admit(id);
    }
  }
};

}  // namespace

BERTH_ACTION(Enqueue, "enqueue");

}  // namespace berth::actions
