#include "actions/targets.h"

#include <vector>

#include "actions/placement.h"
#include "berth/engine/bins.h"
#include "berth/engine/need.h"
#include "berth/engine/statement.h"

namespace berth::actions {

using namespace engine;

namespace {

// Also those of best effort, which are backfill's otherwise: it may not be configured.
Waiting waiting_tasks(const Session& session, const Job& job) {
  Waiting waiting;
  waiting.tasks = session.unplaced_in_order(job);
  lacking_roles_first(session.cluster(), job, waiting.tasks);
  return waiting;
}

std::vector<NodeId> nodes_open_to(const Session& session, JobId job) {
  std::vector<NodeId> nodes;
  for (std::size_t n = 0; n < session.cluster().node_count(); ++n) {
    if (session.is_open_to(NodeId(n), job)) nodes.emplace_back(n);
  }
  return nodes;
}

// R2. Nodes chosen by score may leave no place for the last member where there was one: what was
// kept for the target is filled so that all of it counts. Its own nodes alone come first, since
// that they cover it was found by filling these.
Bins::Filling filled(Session& session, JobId id, const Need& need) {
  Need left = need;
  Bins::Filling filling = Bins(session, session.locked_for(id)).fill(left);
  if (filling.is_whole) return filling;
  left = need;
  return Bins(session, nodes_open_to(session, id)).fill(left);
}

bool pack(Session& session, JobId id) {
  const Cluster& cluster = session.cluster();
  const Job& job = cluster.job(id);
  const Need need = need_of(session, job);
  if (!need.rest.is_zero()) return false;
  const Bins::Filling filling = filled(session, id, need);
  if (!filling.is_whole) return false;

  std::vector<TaskId> tasks = waiting_tasks(session, job).tasks;
  Statement statement(session);
  for (const Bins::Filling::Place& place : filling.places) {
    std::int32_t count = place.count;
    for (TaskId& task : tasks) {
      if (count == 0) break;
      if (!task.is_valid() || cluster.task(task).shape != need.parts[place.part].shape) continue;
      if (!session.ask(points::allocatable, cluster.queue(job.queue), cluster.task(task))) {
        return false;
      }
      if (!statement.allocate(task, place.node)) return false;
      task = TaskId();
      --count;
    }
  }
  if (!has_minimum(session, job)) return false;
  std::move(statement).commit();
  session.clear_refusal(id);
  return true;
}

}  // namespace

void serve_targets(Session& session) {
  for (const JobId id : std::vector<JobId>(session.cluster().targets())) {
    const Job& job = session.cluster().job(id);
    if (!may_be_served(session, id)) continue;
    Waiting waiting = waiting_tasks(session, job);
    if (waiting.tasks.empty() || has_minimum(session, job)) continue;
    // R1. As any job is served, but first.
    if (serve(session, id, waiting) == Turn::refused) pack(session, id);
  }
}

}  // namespace berth::actions
