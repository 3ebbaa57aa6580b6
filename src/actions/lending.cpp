#include "actions/lending.h"

#include <algorithm>

namespace berth::actions {

using namespace engine;

bool is_idle_room_lent(Session& session) {
  return session.reclaims() && session.ask(points::idle_room_is_lent);
}

namespace {

bool may_be_evicted(const Task& task) {
  return task.is_preemptable && !task.cools_down && !task.is_critical;
}

}  // namespace

bool may_leave_again(Session& session, const Job& job) {
  if (job.placed_count() >= job.min_available) return true;
  const Cluster& cluster = session.cluster();
  return session.room_makers().of("reclaim")->takes_whole_jobs() &&
         std::all_of(job.tasks.begin(), job.tasks.end(),
                     [&](TaskId id) { return may_be_evicted(cluster.task(id)); });
}

void keep_those_that_may_leave(const Session& session, std::vector<TaskId>& tasks) {
  std::erase_if(tasks, [&](TaskId id) { return !may_be_evicted(session.cluster().task(id)); });
}

}  // namespace berth::actions
