#include "support/behind_law.h"

#include <algorithm>
#include <optional>
#include <set>

#include "berth/model/time_limit.h"

namespace berth::support {

namespace {

struct Stay {
  NodeId node;
  TaskId task;
  TimePoint until;
};

// The pods that take room on these nodes, and for how long, with these placements.
std::vector<Stay> stays_on(const Cluster& before, const std::vector<NodeId>& nodes,
                           const std::vector<Placement>& placed, TimePoint now, LimitTrust trust) {
  std::vector<Stay> stays;
  for (const NodeId node : nodes) {
    for (const TaskId id : before.node(node).tasks) {
      const Task& task = before.task(id);
      if (!occupies_node(task.status)) continue;
      const TimePoint until =
          task.is_of_node ? TimePoint::max() : gone_by(before, task, now, trust);
      stays.push_back({node, id, until});
    }
  }
  for (const auto& [id, node] : placed) {
    if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) continue;
    const Duration stay = longest_stay(before, before.task(id), now, trust);
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

std::string seconds(TimePoint now, TimePoint time) {
  if (time == TimePoint::max()) return "never";
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time - now).count()) + "s";
}

// "n1: ns/a-0 until 10s, ns/b-0 until never; "
std::string stays_text(const Cluster& before, const std::vector<NodeId>& nodes, const Plan& plan,
                       TimePoint now, LimitTrust trust) {
  std::string text;
  for (const NodeId node : nodes) {
    text += before.node(node).name + ":";
    for (const Stay& stay : stays_on(before, {node}, plan.binds, now, trust)) {
      text += " " + before.task(stay.task).name + " until " + seconds(now, stay.until) + ",";
    }
    text += "; ";
  }
  return text;
}

// Is a pod of another job on these nodes that has come too late? Empty: no.
std::string delay_on(const Cluster& before, const Plan& plan, const Job& job,
                     const std::vector<NodeId>& nodes, TimePoint now, LimitTrust trust) {
  const auto is_placed_there = [&](const Placement& placed) {
    return std::find(nodes.begin(), nodes.end(), placed.node) != nodes.end() &&
           before.task(placed.task).job != job.id;
  };
  if (std::none_of(plan.binds.begin(), plan.binds.end(), is_placed_there)) return {};
  const std::optional<ShapeId> shape = shape_that_waits(before, job, plan);
  const std::int64_t lacking = job.min_available - job.placed_count();
  if (!shape || lacking <= 0) return {};
  // Before a node is locked, those ahead of the target may have taken it.
  std::vector<Placement> ahead;
  for (const Placement& each : plan.binds) {
    if (before.node(each.node).lock.job != job.id) ahead.push_back(each);
  }
  const auto start = [&](const std::vector<Placement>& placed) {
    return earliest(before, nodes, before.shape(*shape), lacking,
                    stays_on(before, nodes, placed, now, trust), now);
  };
  const TimePoint without = start(ahead);
  const TimePoint with = start(plan.binds);
  if (with <= without && without != TimePoint::max()) return {};
  return job.name + " could start in " + seconds(now, without) + ", now in " + seconds(now, with) +
         ": " + stays_text(before, nodes, plan, now, trust);
}

// Those that no other target has, before or after.
std::vector<NodeId> usable_nodes(const Cluster& before, const Plan& plan, JobId target) {
  std::set<NodeId> taken;
  for (const Reservation& each : plan.reservations) {
    if (each.job != target) taken.insert(each.nodes.begin(), each.nodes.end());
  }
  std::vector<NodeId> nodes;
  for (std::size_t n = 0; n < before.node_count(); ++n) {
    const Lock& lock = before.node(NodeId(n)).lock;
    const bool is_others = lock.is_foreign || (lock.job.is_valid() && lock.job != target);
    if (!is_others && !taken.contains(NodeId(n))) nodes.emplace_back(n);
  }
  return nodes;
}

}  // namespace

std::vector<std::string> broken_soonest_laws(const Cluster& before, const Plan& plan,
                                             TimePoint now) {
  std::vector<std::string> faults;
  for (const Reservation& each : plan.reservations) {
    const Job& job = before.job(each.job);
    const bool is_new = before.locks().nodes_of(job.id).empty() && !each.nodes.empty();
    const std::optional<ShapeId> shape = shape_that_waits(before, job, plan);
    if (!is_new || !shape) continue;
    const auto start_on = [&](const std::vector<NodeId>& nodes) {
      return earliest(before, nodes, before.shape(*shape), job.min_available - job.placed_count(),
                      stays_on(before, nodes, plan.binds, now, LimitTrust::stated), now);
    };
    const TimePoint by_all = start_on(usable_nodes(before, plan, job.id));
    const TimePoint by_locked = start_on(each.nodes);
    if (by_all == TimePoint::max() || by_locked <= by_all) continue;
    faults.push_back(job.name + " could start in " + seconds(now, by_all) +
                     ", on the nodes that are kept for it in " + seconds(now, by_locked));
  }
  return faults;
}

std::vector<std::string> broken_behind_laws(const Cluster& before, const Plan& plan, TimePoint now,
                                            LimitTrust trust) {
  std::vector<std::string> faults;
  for (const Reservation& each : plan.reservations) {
    const Job& job = before.job(each.job);
    // Reserve may come before backfill, or after it.
    const std::vector<NodeId> held = before.locks().nodes_of(job.id);
    const std::string before_it = delay_on(before, plan, job, held, now, trust);
    const std::string after_it = delay_on(before, plan, job, each.nodes, now, trust);
    if (before_it.empty() || after_it.empty()) continue;
    faults.push_back(before_it + "; or " + after_it);
  }
  return faults;
}

}  // namespace berth::support
