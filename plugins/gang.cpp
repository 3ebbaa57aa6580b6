// Gang: a job starts whole or not at all. A distributed job with three of its eight workers running
// holds three machines and does nothing.
// Rules: docs/design/gang.md.
//
//   GANG-1  valid: the job has enough tasks, and enough of each role
//   GANG-2  order: a job without its minimum comes before one that has it
//   GANG-3  ready: `min_available` tasks and the minimum of each role have a place
//   GANG-4  eviction: a job keeps its minimum and those of its roles running, or leaves whole
//   GANG-5  holding: promised room is kept if the job would be ready with it

#include <algorithm>

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
    session.attach<&Gang::stays_complete>(points::evictable, *this);           // GANG-4
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

  // Those that run together. Members that have succeeded are gone, whatever they count for.
  Verdict stays_complete(const Leaving& leaving) const {
    if (!leaving.job.is_valid()) return pass();
    const Job& job = cluster_->job(leaving.job);
    const auto leaving_count = static_cast<std::int32_t>(leaving.tasks.size());
    const std::int32_t count = on_nodes(job.counts);
    if (count == leaving_count) return pass();
    if (count - leaving_count < job.min_available) {
      return reject(Reason::gang_minimum, count, job.min_available);
    }
    if (!job.roles_bind()) return pass();
    for (std::size_t r = 0; r < job.roles.size(); ++r) {
      const Role& role = job.roles[r];
      const auto of_role = std::count_if(
          leaving.tasks.begin(), leaving.tasks.end(),
          [&](TaskId id) { return cluster_->task(id).role == static_cast<std::uint16_t>(r); });
      if (of_role > 0 && on_nodes(role.counts) - of_role < role.minimum) {
        return reject(Reason::gang_minimum, on_nodes(role.counts), role.minimum, role.name);
      }
    }
    return pass();
  }

  static std::int32_t on_nodes(const StatusCounts& counts) {
    return ready_count(counts) - count_of(counts, TaskStatus::succeeded);
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
