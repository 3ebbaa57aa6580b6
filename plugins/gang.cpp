// Gang: a job starts whole or not at all. A distributed job with three of its eight workers running
// holds three machines and does nothing.
// Rules: docs/design/gang.md.
//
//   GANG-1  valid: the job has enough tasks, and enough of each role
//   GANG-2  order: a job without its minimum comes before one that has it
//   GANG-3  ready: `min_available` tasks and the minimum of each role have a place
//   GANG-4  victims: only tasks above the job's minimum and its role's minimum
//   GANG-5  holding: promised room is kept if the job would be ready with it

#include <unordered_map>
#include <vector>

#include "berth/engine/need.h"
#include "berth/engine/plugin.h"

namespace berth::plugins {
namespace {

using namespace engine;

class Gang final : public Plugin {
 public:
  explicit Gang(Arguments&) {}

  void on_session_open(Session& session) override {
    cluster_ = &session.cluster();
    session.attach<&Gang::has_enough_tasks>(points::job_valid, *this);         // GANG-1
    session.attach<&Gang::incomplete_first>(points::job_order, *this);         // GANG-2
    session.attach<&Gang::is_complete>(points::job_ready, *this);              // GANG-3
    session.attach<&Gang::spare_members>(points::preemptable, *this);          // GANG-4
    session.attach<&Gang::spare_members>(points::reclaimable, *this);          // GANG-4
    session.attach<&Gang::is_complete_in_time>(points::job_pipelined, *this);  // GANG-5
  }

 private:
  Verdict has_enough_tasks(const Job& job) const {
    const auto valid = [](const StatusCounts& counts) {
      return ready_count(counts) + count_of(counts, TaskStatus::pipelined) +
             count_of(counts, TaskStatus::pending);
    };
    const auto short_role = role_below(job, valid);
    if (short_role != nullptr) {
      return reject(Reason::too_few_tasks_of_role, valid(short_role->counts), short_role->minimum,
                    short_role->name);
    }
    if (valid(job.counts) >= job.min_available) return pass();
    return reject(Reason::too_few_tasks, valid(job.counts), job.min_available);
  }

  Order incomplete_first(const Job& left, const Job& right) const {
    return has_minimum(left) <=> has_minimum(right);  // false sorts first
  }

  Verdict is_complete(const Job& job) const { return complete_by(job, ready_count); }

  Opinion<TaskSet> spare_members(const Task& /*claimant*/, const TaskSet& candidates) const {
    std::unordered_map<JobId, Spare> spare_of;  // look-up only
    TaskSet members;
    for (const TaskId id : candidates) {
      const Task& task = cluster_->task(id);
      if (!task.job.is_valid()) continue;
      const auto [entry, is_new] = spare_of.try_emplace(task.job);
      Spare& spare = entry->second;
      if (is_new) spare = spare_members_of(cluster_->job(task.job));
      const bool has_role = task.role < spare.of_role.size();
      if (spare.of_job <= 0 || (has_role && spare.of_role[task.role] <= 0)) continue;
      --spare.of_job;
      if (has_role) --spare.of_role[task.role];
      members.push_back(id);
    }
    return members;
  }

  // How many tasks are above the minimum of a job, and of each role where role minimums bind.
  struct Spare {
    std::int32_t of_job = 0;
    std::vector<std::int32_t> of_role;
  };

  static Spare spare_members_of(const Job& job) {
    Spare spare;
    spare.of_job = job.placed_count() - job.min_available;
    if (!job.roles_bind()) return spare;
    for (const Role& role : job.roles) {
      spare.of_role.push_back(ready_count(role.counts) - role.minimum);
    }
    return spare;
  }

  Vote is_complete_in_time(const Job& job) const {
    const Verdict verdict = complete_by(job, [](const StatusCounts& counts) {
      return ready_count(counts) + count_of(counts, TaskStatus::pipelined);
    });
    return verdict ? permit() : veto(verdict);
  }

  // Whether the job is complete; `count` gives the number of tasks that count.
  template <class Count>
  static Verdict complete_by(const Job& job, Count count) {
    if (const std::int32_t have = count(job.counts); have < job.min_available) {
      return reject(Reason::gang_incomplete, have, job.min_available);
    }
    if (const Role* role = role_below(job, count); role != nullptr) {
      return reject(Reason::role_incomplete, count(role->counts), role->minimum, role->name);
    }
    return pass();
  }

  // The role, first by name, that has fewer than its minimum.
  template <class Count>
  static const Role* role_below(const Job& job, Count count) {
    if (!job.roles_bind()) return nullptr;
    const Role* first = nullptr;
    for (const Role& role : job.roles) {
      if (count(role.counts) >= role.minimum) continue;
      if (first == nullptr || role.name < first->name) first = &role;
    }
    return first;
  }

  static bool has_minimum(const Job& job) {
    return static_cast<bool>(complete_by(job, ready_count));
  }

  const Cluster* cluster_ = nullptr;
};

}  // namespace

BERTH_PLUGIN(Gang, "gang");

}  // namespace berth::plugins
