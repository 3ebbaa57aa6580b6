// Enqueue: admit waiting jobs.
//
// A cluster serves better when it is not asked for everything at once: jobs beyond what it could
// soon hold wait outside, where they cost nothing. Plugins vote on each admission; jobs are asked
// about in the order of jobs. A job that is admitted, finds no place and keeps others out goes
// back.
//
// Argument: admission-timeout, a duration from 1s to 8760h, default 10m; 0s: never.
//
// A job that is kept out and has its pods is served all the same: it need not wait.
//
// Steps ENQUEUE-1 to ENQUEUE-8 are those of docs/design/enqueue.md.

#include <algorithm>
#include <map>

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
    // ENQUEUE-1. Order the pending jobs of open queues; a group may be admitted before it has pods.
    std::vector<JobId> jobs;
    std::vector<JobId> sent_back;
    for (const JobId id : session.cluster().open_jobs()) {
      const Job& job = session.cluster().job(id);
      if (job.phase != GroupPhase::pending) continue;
      if (const Verdict standing = has_standing(session, job); !standing) {
        session.refuse(id, standing);
      } else if (const Verdict possible = session.feasibility().of(id); !possible) {
        session.refuse(id, possible);
      } else {
        (was_sent_back(session, job) ? sent_back : jobs).push_back(id);
      }
    }
    // ENQUEUE-6. Jobs that were sent back a short while ago come after all others.
    FirstKeptOut first;
    const std::vector<JobId> kept_out = admit(session, std::move(jobs), first);
    const std::vector<JobId> last = admit(session, std::move(sent_back), first);
    std::vector<JobId> gone;
    if (timeout_ > Duration(0)) gone = make_room(session, kept_out);
    serve_all_the_same(session, kept_out);
    serve_all_the_same(session, last);
    serve_all_the_same(session, gone);
  }

 private:
  // Of queues that admit jobs strictly in their order.
  using FirstKeptOut = std::map<QueueId, JobId>;

  // Returns the jobs that are kept out, in their order, without those behind another.
  static std::vector<JobId> admit(Session& session, std::vector<JobId> jobs, FirstKeptOut& first) {
    std::vector<JobId> kept_out;
    JobLine line(session, std::move(jobs), JobLine::For::admission);
    for (JobId id = line.next(); id.is_valid(); id = line.next()) {
      const Job& job = session.cluster().job(id);
      // ENQUEUE-7. No job is admitted behind one that is kept out.
      if (const auto before = first.find(job.queue); before != first.end()) {
        session.refuse(id, behind(session, id, before->second));
        continue;
      }
      // ENQUEUE-2. A job that does not state its size is admitted: there is nothing to vote on.
      const Verdict verdict =
          job.min_resources ? session.ask(points::job_enqueueable, job) : pass();
      if (!verdict) {
        // ENQUEUE-3. A job that is kept out keeps out those behind it only by ENQUEUE-7.
        session.refuse(id, verdict);
        kept_out.push_back(id);
        if (session.cluster().queue(job.queue).is_fifo) first.emplace(job.queue, id);
        continue;
      }
      // ENQUEUE-4. Tallies move when the outcome is known, not when it is voted on.
      session.admit(id);
    }
    return kept_out;
  }

  // ENQUEUE-8. The vote bounds how many jobs wait; one that has its pods may find a place at once.
  static void serve_all_the_same(Session& session, const std::vector<JobId>& jobs) {
    for (const JobId id : jobs) {
      const Job& job = session.cluster().job(id);
      const bool has_its_pods = job.placed_count() + job.unplaced_count() >= job.min_available;
      if (!job.is_admitted() && has_its_pods && job.unplaced_count() > 0) {
        session.kept_out().add(session.cluster(), job);
      }
    }
  }

  bool was_sent_back(const Session& session, const Job& job) const {
    return job.returned_at && session.now() - *job.returned_at < timeout_;
  }

  // ENQUEUE-5. Jobs that were admitted long ago and have no place may hold what a job that is kept
  // out needs. Then as many as necessary go back, the last in the order first, and it is admitted.
  // Returns those that went.
  std::vector<JobId> make_room(Session& session, const std::vector<JobId>& kept_out) const {
    std::vector<JobId> overdue = overdue_jobs(session);
    if (overdue.empty()) return {};
    const std::size_t asked = std::min(kept_out.size(), kAskedMost);
    for (std::size_t k = 0; k < asked; ++k) {
      const Job& job = session.cluster().job(kept_out[k]);
      const std::size_t needed = needed_to_admit(session, job, overdue);
      if (needed == 0) continue;
      for (std::size_t i = 0; i < needed; ++i) {
        session.send_back(overdue[i]);
        session.refuse(overdue[i], reject(Reason::gave_way));
      }
      session.clear_refusal(kept_out[k]);
      session.admit(kept_out[k]);
      overdue.resize(needed);
      return overdue;
    }
    return {};
  }

  // How many of the first must go back to admit this job; 0: all of them are not enough.
  static std::size_t needed_to_admit(Session& session, const Job& job,
                                     const std::vector<JobId>& overdue) {
    const auto comes_in_without = [&](std::size_t count) {
      const Ledger::Mark mark = session.ledger().mark();
      for (std::size_t i = 0; i < count; ++i) {
        session.ledger().set_phase(overdue[i], GroupPhase::pending);
      }
      const bool comes_in = static_cast<bool>(session.ask(points::job_enqueueable, job));
      session.ledger().roll_back(mark);
      return comes_in;
    };
    if (!comes_in_without(overdue.size())) return 0;
    std::size_t needed = 1;
    while (!comes_in_without(needed)) ++needed;
    return needed;
  }

  // The last in the order first.
  std::vector<JobId> overdue_jobs(const Session& session) const {
    std::vector<JobId> overdue;
    for (const JobId id : session.cluster().open_jobs()) {
      const Job& job = session.cluster().job(id);
      const bool is_overdue = job.phase == GroupPhase::inqueue && job.min_resources &&
                              job.placed_count() == 0 && job.admitted_at && !job.election &&
                              session.now() - *job.admitted_at >= timeout_;
      if (is_overdue) overdue.push_back(id);
    }
    std::sort(overdue.begin(), overdue.end(), [&](JobId left, JobId right) {
      return session.comes_before(session.cluster().job(right), session.cluster().job(left));
    });
    if (overdue.size() > kGoMost) overdue.resize(kGoMost);
    return overdue;
  }

  // Each question counts all admitted jobs again.
  static constexpr std::size_t kAskedMost = 8;
  static constexpr std::size_t kGoMost = 64;
  Duration timeout_;
};

}  // namespace

BERTH_ACTION(Enqueue, "enqueue");

}  // namespace berth::actions
