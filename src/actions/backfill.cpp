// Backfill: give best-effort tasks, which ask for nothing but a pod's place, what is left.
//
// They compete with others only for the number of pods on a node, so they come after all tasks that
// ask for an amount. A gang of them is still placed whole or not at all.
//
// Before them, jobs that wait behind others start on room that is back, or not needed, when it is
// somebody's turn: by time limits, if it is configured.
//
// Arguments: behind, off (default), easy or conservative; trust, stated (default) or enforced.
//
// Steps BACKFILL-1 to BACKFILL-3 and BEHIND-1 are those of docs/design/backfill.md.

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "actions/behind.h"
#include "actions/claims.h"
#include "actions/placement.h"
#include "berth/engine/action.h"
#include "berth/engine/job_line.h"

namespace berth::actions {
namespace {

using namespace engine;

const std::map<std::string_view, BackfillPolicy> kPolicies{
    {"off", BackfillPolicy::off},
    {"easy", BackfillPolicy::easy},
    {"conservative", BackfillPolicy::conservative}};

const std::map<std::string_view, LimitTrust> kTrusts{{"stated", LimitTrust::stated},
                                                     {"enforced", LimitTrust::enforced}};

Waiting best_effort_tasks(const Session& session, const Job& job) {
  Waiting waiting;
  waiting.keeps_known_reason = true;  // allocate knows better why a gang is short
  waiting.tasks = session.unplaced_in_order(job);
  std::erase_if(waiting.tasks,
                [&](TaskId task) { return !session.cluster().shape_of(task).is_best_effort; });
  return waiting;
}

class Backfill final : public Action {
 public:
  explicit Backfill(Arguments& arguments)
      : policy_(kPolicies.at(arguments.word("behind", "off", {"off", "easy", "conservative"}))),
        trust_(kTrusts.at(arguments.word("trust", "stated", {"stated", "enforced"}))) {}

  void execute(Session& session) const override {
    serve_claims(session);
    serve_behind(session, policy_, trust_);
    // BACKFILL-1. Order the jobs that may be served and have best-effort tasks without a place.
    std::vector<std::pair<JobId, Waiting>> found;
    for (const JobId id : session.cluster().open_jobs()) {
      const Job& job = session.cluster().job(id);
      if (job.best_effort == 0 || !may_be_served(session, id)) continue;
      if (session.refused_for(id) == Reason::behind_in_queue) continue;
      if (Waiting waiting = best_effort_tasks(session, job); !waiting.tasks.empty()) {
        found.emplace_back(id, std::move(waiting));
      }
    }
    const auto before = [&](const auto& left, const auto& right) {
      const Cluster& cluster = session.cluster();
      return session.comes_before(cluster.job(left.first), cluster.job(right.first));
    };
    std::sort(found.begin(), found.end(), before);

    for (std::size_t i = 0; i < found.size(); ++i) {
      auto& [id, waiting] = found[i];
      const bool was_kept_out = session.kept_out().contains(id);
      // BACKFILL-2. A gang short of its minimum gets its best-effort tasks only if they complete
      // it. BACKFILL-3. Beyond the minimum they are placed one by one while there is a place.
      while (!waiting.is_done() && serve(session, id, waiting) == Turn::started) {
      }
      // ENQUEUE-8
      if (const JobId next = next_kept_out(session, id, was_kept_out); next.is_valid()) {
        std::pair entry(next, best_effort_tasks(session, session.cluster().job(next)));
        found.insert(std::upper_bound(found.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                      found.end(), entry, before),
                     std::move(entry));
      }
    }

    // From here on, no admitted best-effort task could be placed.
  }

 private:
  BackfillPolicy policy_;
  LimitTrust trust_;
};

}  // namespace

BERTH_ACTION(Backfill, "backfill");

}  // namespace berth::actions
