#include "actions/targets.h"

#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "actions/passes.h"
#include "actions/placement.h"
#include "actions/refused_plans.h"
#include "berth/engine/fit.h"
#include "berth/engine/need.h"
#include "berth/engine/statement.h"
#include "engine/bins.h"

namespace berth::actions {

using namespace engine;

bool is_waiting_target(const Session& session, const Job& job) {
  return job.election && !has_minimum(session, job);
}

Waiting tasks_of_target(const Session& session, const Job& job) {
  Waiting waiting;
  waiting.tasks = session.unplaced_in_order(job);
  lacking_roles_first(session.cluster(), job, waiting.tasks);
  return waiting;
}

namespace {

std::vector<NodeId> nodes_open_to(const Session& session, JobId job) {
  std::vector<NodeId> nodes;
  for (std::size_t n = 0; n < session.cluster().node_count(); ++n) {
    if (session.is_open_to(NodeId(n), job)) nodes.emplace_back(n);
  }
  return nodes;
}

struct Planned {
  TaskId task;
  NodeId node;
};

// The tasks in their order, each with a place that was found for its shape.
std::vector<Planned> with_places(const Cluster& cluster, const Need& need,
                                 const std::vector<Bins::Filling::Place>& places,
                                 const std::vector<TaskId>& tasks) {
  std::map<ShapeId, std::deque<NodeId>> nodes;
  for (const Bins::Filling::Place& place : places) {
    std::deque<NodeId>& of_shape = nodes[need.parts[place.part].shape];
    of_shape.insert(of_shape.end(), static_cast<std::size_t>(place.count), place.node);
  }
  std::vector<Planned> planned;
  for (const TaskId task : tasks) {
    std::deque<NodeId>& of_shape = nodes[cluster.task(task).shape];
    if (of_shape.empty()) continue;
    planned.push_back({task, of_shape.front()});
    of_shape.pop_front();
  }
  return planned;
}

// RELATION-8. A pod that is refused now may fit once others of its job have their places.
bool allocate_all(Session& session, const Job& job, std::vector<Planned> planned,
                  Statement& statement) {
  const Cluster& cluster = session.cluster();
  bool is_refused = false;  // whatever comes before it
  const auto refused = try_in_passes(std::move(planned), [&](const Planned& each) {
    if (is_refused) return false;
    const Task& task = cluster.task(each.task);
    const bool is_alone = depends_on(cluster.shape(task.shape)) == DependsOn::specification;
    if (!is_alone && !fits(session, task.shape, each.node, job.id)) return false;
    is_refused = !session.ask(points::allocatable, cluster.queue(job.queue), task) ||
                 !statement.allocate(each.task, each.node);
    return !is_refused;
  });
  return refused.empty();
}

// Places its minimum into these nodes in the order of filling and ignores scores.
bool pack(Session& session, JobId id, std::vector<NodeId> nodes) {
  const Job& job = session.cluster().job(id);
  const std::vector<TaskId> tasks = lacking_members(session, job);
  const Need need = need_of(session, job, tasks);
  if (nodes.empty() || !need.rest.is_zero()) return false;
  Need left = need;
  const Bins::Filling filling = Bins(session, std::move(nodes)).fill(left);
  if (!filling.is_whole) return false;

  Statement statement(session);
  const Statement::Checkpoint begin = statement.checkpoint();
  std::vector<Planned> planned = with_places(session.cluster(), need, filling.places, tasks);
  if (!allocate_all(session, job, std::move(planned), statement)) return false;
  if (!has_minimum(session, job)) return false;
  if (!differ_from_refused(session, job, statement, begin)) return false;
  std::move(statement).commit();
  session.clear_refusal(id);
  return true;
}

}  // namespace

void serve_targets(Session& session) {
  for (const JobId id : std::vector<JobId>(session.cluster().targets())) {
    if (!is_waiting_target(session, session.cluster().job(id))) continue;
    // Its own nodes were found to cover it when they alone were filled.
    if (!may_be_served(session, id) || session.worked_out(id).is_unpackable) continue;
    if (pack(session, id, session.cluster().locks().nodes_of(id))) continue;
    session.worked_out(id).is_unpackable = true;
  }
}

Turn serve_target(Session& session, JobId id, Waiting& waiting) {
  if (const Turn turn = serve(session, id, waiting); turn != Turn::refused) return turn;
  // RESERVE-2. Nodes chosen by score may leave no place for the last member where there was one.
  return pack(session, id, nodes_open_to(session, id)) ? Turn::started : Turn::refused;
}

}  // namespace berth::actions
