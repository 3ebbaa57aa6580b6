// plugins/priority.cpp
//
// Priority: who matters more goes first.
//
//   P1  Of two tasks of a job, the one of higher priority is placed first.
//   P2  Of two jobs, the one of higher priority is served first, whatever it asks for and however
//       long the other has waited (S0, S2: priority is more important than waiting time).
//   P3  A claimant may take the place only of tasks of lower priority: of jobs of lower priority,
//       or, within its own job, of tasks of lower priority.
//
// Worked example: docs/design/priority.md.

#include "berth/engine/plugin.h"

namespace berth::plugins {
namespace {

using namespace engine;

class Priority final : public Plugin {
 public:
  explicit Priority(Arguments&) {}

  void on_session_open(Session& session) override {
    cluster_ = &session.cluster();
    session.attach<&Priority::higher_task_first>(points::task_order, *this);  // P1
    session.attach<&Priority::higher_job_first>(points::job_order, *this);    // P2
    session.attach<&Priority::lower_ones>(points::preemptable, *this);        // P3
  }

 private:
  Order higher_task_first(const Task& left, const Task& right) const {
    return right.priority <=> left.priority;
  }

  Order higher_job_first(const Job& left, const Job& right) const {
    return right.priority <=> left.priority;
  }

  Opinion<TaskSet> lower_ones(const Task& claimant, const TaskSet& candidates) const {
    TaskSet lower;
    for (const TaskId id : candidates) {
      const Task& task = cluster_->task(id);
      const bool is_lower = task.job == claimant.job
                                ? task.priority < claimant.priority
                                : priority_of_job(task) < priority_of_job(claimant);
      if (is_lower) lower.push_back(id);
    }
    return lower;
  }

  std::int32_t priority_of_job(const Task& task) const {
    return task.job.is_valid() ? cluster_->job(task.job).priority : task.priority;
  }

  const Cluster* cluster_ = nullptr;
};

}  // namespace

BERTH_PLUGIN(Priority, "priority");

}  // namespace berth::plugins
