// Priority: higher priority goes first.
// Rules: docs/design/priority.md.
//
//   PRIORITY-1  tasks of a job: the higher priority is placed first
//   PRIORITY-2  jobs: the higher priority is served first, before any waiting time (S0, S2)
//   PRIORITY-3  victims: only tasks of lower priority

#include "berth/engine/plugin.h"

namespace berth::plugins {
namespace {

using namespace engine;

class Priority final : public Plugin {
 public:
  explicit Priority(Arguments&) {}

  void on_session_open(Session& session) override {
    cluster_ = &session.cluster();
    session.attach<&Priority::higher_task_first>(points::task_order, *this);  // PRIORITY-1
    session.attach<&Priority::higher_job_first>(points::job_order, *this);    // PRIORITY-2
    session.attach<&Priority::lower_ones>(points::preemptable, *this);        // PRIORITY-3
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
