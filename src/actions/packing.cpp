#include "actions/packing.h"

#include <deque>
#include <map>
#include <utility>

#include "actions/passes.h"
#include "berth/engine/fit.h"
#include "berth/engine/need.h"
#include "engine/bins.h"
#include "engine/exact_fill.h"

namespace berth::actions {

using namespace engine;

std::vector<NodeId> nodes_open_to(const Session& session, JobId job) {
  std::vector<NodeId> nodes;
  for (std::size_t n = 0; n < session.cluster().node_count(); ++n) {
    if (session.may_choose(NodeId(n)) && session.is_open_to(NodeId(n), job)) nodes.emplace_back(n);
  }
  return nodes;
}

namespace {

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

// The largest first, each on the first nodes that take some; else all ways are tried.
std::vector<Bins::Filling::Place> places_for(Session& session, const Need& need,
                                             const std::vector<NodeId>& nodes) {
  Need left = need;
  Bins::Filling filling = Bins(session, nodes).fill(left);
  return filling.is_whole ? std::move(filling.places) : ExactFill(session, need, nodes).run();
}

}  // namespace

bool place_packed(Session& session, const Job& job, const std::vector<NodeId>& nodes,
                  Statement& statement) {
  const std::vector<TaskId> tasks = lacking_members(session, job);
  const Need need = need_of(session, job, tasks);
  if (tasks.empty() || nodes.empty() || !need.rest.is_zero()) return false;
  const auto places = places_for(session, need, nodes);
  if (places.empty()) return false;
  const Statement::Checkpoint before = statement.checkpoint();
  std::vector<Planned> planned = with_places(session.cluster(), need, places, tasks);
  if (allocate_all(session, job, std::move(planned), statement) && has_minimum(session, job)) {
    return true;
  }
  statement.roll_back(before);
  return false;
}

}  // namespace berth::actions
