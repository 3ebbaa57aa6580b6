// Priority: higher priority goes first.
// Rules: docs/design/priority.md.
//
//   PRIORITY-1  tasks of a job: the higher priority is placed first
//   PRIORITY-2  jobs: the higher priority is served first, before any waiting time (S0, S2)
//   PRIORITY-3  preemption: jobs of lower priority leave, and lent surplus of equal priority

#include "berth/engine/plugin.h"

namespace berth::plugins {
namespace {

using namespace engine;

class Priority final : public Plugin {
 public:
  explicit Priority(Arguments&) {}

  void on_session_open(Session& session) override {
    session_ = &session;
    session.attach<&Priority::higher_task_first>(points::task_order, *this);  // PRIORITY-1
    session.attach<&Priority::higher_job_first>(points::job_order, *this);    // PRIORITY-2
    session.attach<&Priority::lower_jobs>(points::preemptable, *this);        // PRIORITY-3
  }

 private:
  Order higher_task_first(const Task& left, const Task& right) const {
    return right.priority <=> left.priority;
  }

  Order higher_job_first(const Job& left, const Job& right) const {
    return right.priority <=> left.priority;
  }

  Opinion<PartSet> lower_jobs(const Job& claimant, const PartSet& candidates) const {
    const bool is_lent = session_->ask(points::surplus_is_lent);
    PartSet lower;
    for (const JobPart& part : candidates) {
      const std::int32_t priority = session_->cluster().job(part.job).priority;
      const bool is_lent_surplus = is_lent && part.kind == JobPart::Kind::surplus;
      if (priority < claimant.priority || (priority == claimant.priority && is_lent_surplus)) {
        lower.push_back(part);
      }
    }
    return lower;
  }

  const Session* session_ = nullptr;
};

}  // namespace

BERTH_PLUGIN(Priority, "priority");

}  // namespace berth::plugins
