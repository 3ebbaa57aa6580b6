#include "support/behind_law.h"

#include <algorithm>
#include <optional>
#include <set>

#include "berth/model/time_limit.h"
#include "support/lock_laws.h"

namespace berth::support {

namespace {

struct Stay {
  NodeId node;
  TaskId task;
  TimePoint until;
};

// What takes room on these nodes, and for how long: before the plan, or with it.
std::vector<Stay> stays_on(const Cluster& before, const std::vector<NodeId>& nodes,
                           const Plan* plan, TimePoint now) {
  std::vector<Stay> stays;
  for (const NodeId node : nodes) {
    for (const TaskId id : before.node(node).tasks) {
      const Task& task = before.task(id);
      if (!occupies_node(task.status)) continue;
      const TimePoint until = task.is_of_node ? TimePoint::max() : gone_by(before, task, now);
      stays.push_back({node, id, until});
    }
  }
  for (std::size_t i = 0; plan != nullptr && i < plan->binds.size(); ++i) {
    const auto& [id, node] = plan->binds[i];
    if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) continue;
    const Duration stay = longest_stay(before, before.task(id));
    const bool ends = stay < TimePoint::max() - now;
    stays.push_back({node, id, ends ? now + stay : TimePoint::max()});
  }
  return stays;
}

// The pods of this shape that the nodes hold once those are gone that end by then.
std::int64_t slots_at(const Cluster& before, const std::vector<NodeId>& nodes, const Shape& shape,
                      const std::vector<Stay>& stays, TimePoint time) {
  std::int64_t slots = 0;
  for (const NodeId node : nodes) {
    std::int64_t of_node = 1'000'000;
    for (const auto& [d, asked] : shape.requested) {
      std::int64_t room = before.allocatable().at(node, d);
      for (const Stay& stay : stays) {
        if (stay.node == node && stay.until > time) room -= before.shape_of(stay.task).request[d];
      }
      of_node = std::min(of_node, std::max<std::int64_t>(0, room) / asked);
    }
    slots += of_node;
  }
  return slots;
}

TimePoint earliest(const Cluster& before, const std::vector<NodeId>& nodes, const Shape& shape,
                   std::int64_t count, const std::vector<Stay>& stays, TimePoint now) {
  std::set<TimePoint> times{now};
  for (const Stay& stay : stays) times.insert(stay.until);
  for (const TimePoint time : times) {
    if (time == TimePoint::max()) break;
    if (slots_at(before, nodes, shape, stays, time) >= count) return time;
  }
  return TimePoint::max();
}

// The one shape of what it lacks; none: they differ, or some have a place by the plan.
std::optional<ShapeId> shape_that_waits(const Cluster& before, const Job& job, const Plan& plan) {
  std::optional<ShapeId> shape;
  for (const TaskId id : job.tasks) {
    const Task& task = before.task(id);
    if (task.status != TaskStatus::pending) continue;
    const auto is_it = [&](const Placement& each) { return each.task == id; };
    if (std::any_of(plan.binds.begin(), plan.binds.end(), is_it)) return std::nullopt;
    if (shape && *shape != task.shape) return std::nullopt;
    shape = task.shape;
  }
  return shape;
}

}  // namespace

std::vector<std::string> broken_behind_laws(const Cluster& before, const Plan& plan,
                                            TimePoint now) {
  std::vector<std::string> faults;
  const std::vector<JobId> owners = locks_throughout(before, plan);
  for (const Reservation& each : plan.reservations) {
    const Job& job = before.job(each.job);
    std::vector<NodeId> nodes;
    for (std::size_t n = 0; n < owners.size(); ++n) {
      if (owners[n] == each.job) nodes.emplace_back(n);
    }
    const auto is_placed_there = [&](const Placement& placed) {
      return std::find(nodes.begin(), nodes.end(), placed.node) != nodes.end() &&
             before.task(placed.task).job != each.job;
    };
    if (std::none_of(plan.binds.begin(), plan.binds.end(), is_placed_there)) continue;
    const std::optional<ShapeId> shape = shape_that_waits(before, job, plan);
    const std::int64_t lacking = job.min_available - job.placed_count();
    if (!shape || lacking <= 0) continue;
    const Shape& what = before.shape(*shape);
    const auto start = [&](const Plan* with) {
      return earliest(before, nodes, what, lacking, stays_on(before, nodes, with, now), now);
    };
    const TimePoint without = start(nullptr);
    if (without == TimePoint::max()) {
      faults.push_back("others are placed on nodes of " + job.name +
                       ", and nobody knows its start");
    } else if (start(&plan) > without) {
      faults.push_back(job.name + " could start later by those that are placed on its nodes");
    }
  }
  return faults;
}

}  // namespace berth::support
