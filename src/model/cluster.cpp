#include "berth/model/cluster.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "berth/base/check.h"
#include "berth/base/look_up.h"

// The accounts: every way in which a task counts, added and taken away in one place. The mirror's
// own part is in cluster_membership.cpp.

namespace berth {

void AmountTable::reset(std::size_t nodes, std::size_t dimensions) {
  nodes_ = nodes;
  columns_.assign(dimensions, std::vector<std::int64_t>(nodes, 0));
}

NodeId Cluster::find_node(std::string_view name) const {
  return value_or(node_by_name_, std::string(name));
}

void Cluster::move_task(TaskId id, NodeId node, TaskStatus status) {
  Task& task = tasks_[id.index()];
  const bool wanted_room = task.wants_room();
  // Most pods neither count for a term nor have volumes.
  const Shape& shape = shapes_[task.shape.index()];
  const bool counts = shape.terms.are_counted();
  const NodeId mounted_on = shape.has_volumes ? node_of_volumes(task) : NodeId();
  account_on_node(task, -1);
  if (counts) account_in_terms(task, -1);
  account_in_job(task, -1);
  if (task.node != node) {
    if (task.node.is_valid()) {
      auto& there = nodes_[task.node.index()].tasks;
      // Undo removes the latest entries, so the search starts at the end.
      const auto last = std::find(there.rbegin(), there.rend(), id);
      BERTH_CHECK(last != there.rend());
      there.erase(std::next(last).base());
    }
    if (node.is_valid()) nodes_[node.index()].tasks.push_back(id);
  }
  task.node = node;
  task.status = status;
  account_on_node(task, +1);
  if (counts) account_in_terms(task, +1);
  if (shape.has_volumes) account_in_volumes(id, mounted_on);
  account_in_job(task, +1);
  if (task.wants_room() != wanted_room) account_demand(task, wanted_room ? -1 : +1);
  touch();
}

void Cluster::restore_versions(std::uint64_t stamp, JobId job, std::uint64_t version_of_job) {
  stamp_ = stamp;
  if (job.is_valid()) jobs_[job.index()].version = version_of_job;
}

Task& Cluster::mutable_task(TaskId id) {
  Task& task = tasks_[id.index()];
  touch();
  if (task.job.is_valid()) touch(task.job);
  return task;
}

void Cluster::set_phase(JobId id, GroupPhase phase) { mutable_job(id).phase = phase; }

void Cluster::set_election(JobId id, std::optional<Election> election) {
  locks_.touch();
  Job& job = mutable_job(id);
  const bool was_target = job.election.has_value();
  job.election = std::move(election);
  if (was_target) targets_.erase(std::find(targets_.begin(), targets_.end(), id));
  if (!job.election) return;
  const auto before = [this](JobId left, JobId right) {
    const Job& l = this->job(left);
    const Job& r = this->job(right);
    return std::tie(l.election->since, l.created, l.uid, l.name) <
           std::tie(r.election->since, r.created, r.uid, r.name);
  };
  targets_.insert(std::upper_bound(targets_.begin(), targets_.end(), id, before), id);
}

void Cluster::set_lock(NodeId id, const Lock& lock) {
  nodes_[id.index()].lock = lock;
  locks_.set_target(id, lock.job);
  changes_.note(id);
  touch();
}

void Cluster::set_queue_lock(NodeId id, const QueueLock& lock) {
  nodes_[id.index()].queue_lock = lock;
  locks_.set_queue(id, lock.queue);
  changes_.note(id);
  touch();
}

QueueId Cluster::queue_in_the_way(NodeId node, QueueId queue) const {
  const QueueId owner = locks_.queue(node);
  return !owner.is_valid() || is_below(queue, owner) ? QueueId() : owner;
}

bool Cluster::is_below(QueueId queue, QueueId above) const {
  for (; queue.is_valid(); queue = queues_[queue.index()].above) {
    if (queue == above) return true;
  }
  return false;
}

std::vector<QueueId> Cluster::queues_with_nodes(QueueId queue) const {
  std::vector<QueueId> found;
  for (; queue.is_valid(); queue = queues_[queue.index()].above) {
    if (locks_.has_nodes(queue)) found.push_back(queue);
  }
  return found;
}

bool Cluster::is_of_queue(const Task& task) const {
  return task.job.is_valid() && jobs_[task.job.index()].queue.is_valid();
}

void Cluster::account_on_node(const Task& task, int sign) {
  if (task.status == TaskStatus::binding) binding_tasks_ += sign;
  if (!task.node.is_valid()) return;
  const bool occupies = occupies_node(task.status);
  const bool releases = task.status == TaskStatus::releasing;
  const bool pipelines = task.status == TaskStatus::pipelined;
  if (!occupies && !pipelines) return;
  const NodeId node = task.node;
  const bool is_foreign = occupies && !is_of_queue(task);
  if (is_foreign) ++room_version_;
  const Shape& shape = shapes_[task.shape.index()];
  const auto keeps_away = [&] {
    return shape.has_host_ports || shape.has_volumes ||
           (!shape.only_prefers && shape.terms.are_counted());
  };
  if (occupies && (task.is_of_node || (task.never_leaves && keeps_away()))) ++of_nodes_version_;
  const bool is_special = is_foreign || task.never_leaves || task.is_of_node;
  for (const auto& [dimension, requested] : shape.requested) {
    const std::int64_t amount = sign * requested;
    if (occupies) {
      idle_.at(node, dimension) -= amount;
      available_.at(node, dimension) -= amount;
      total_used_.add(dimension, amount);
    }
    if (occupies && is_special) {
      if (is_foreign) foreign_.at(node, dimension) += amount;
      if (task.never_leaves) staying_.at(node, dimension) += amount;
      if (task.is_of_node) of_nodes_.at(node, dimension) += amount;
    }
    if (!releases && !pipelines) continue;
    if (releases) releasing_.at(node, dimension) += amount;
    if (pipelines) pipelined_.at(node, dimension) += amount;
    update_available(node, dimension);
  }
  if (releases) releasing_tasks_ += sign;
  changes_.note(task.node);
}

void Cluster::account_in_job(const Task& task, int sign) {
  if (!task.job.is_valid()) return;
  Job& job = jobs_[task.job.index()];
  touch(task.job);
  const Shape& shape = shapes_[task.shape.index()];
  job.counts[static_cast<std::size_t>(task.status)] += sign;
  if (task.role != kNoRole) {
    job.roles[task.role].counts[static_cast<std::size_t>(task.status)] += sign;
  }
  if (task.is_gated && task.status == TaskStatus::pending) {
    job.gated += sign;
    for (const auto& [dimension, amount] : shape.requested) {
      job.gated_request.add(dimension, sign * amount);
    }
  }
  if (shape.is_best_effort && task.status == TaskStatus::pending) job.best_effort += sign;
  if (task.status == TaskStatus::pipelined) {
    for (const auto& [dimension, amount] : shape.requested) {
      job.pipelined.add(dimension, sign * amount);
    }
  }
  if (!is_allocated(task.status)) return;
  Resources* const of_queue =
      job.queue.is_valid() ? &queues_[job.queue.index()].allocated : nullptr;
  for (const auto& [dimension, amount] : shape.requested) {
    job.allocated.add(dimension, sign * amount);
    if (of_queue != nullptr) of_queue->add(dimension, sign * amount);
  }
  if (of_queue == nullptr || task.node.is_valid()) return;
  ++room_version_;
  for (const auto& [dimension, amount] : shape.requested) {
    used_nowhere_.add(dimension, sign * amount);
  }
}

// Counts the demand of the task's queue. The caller knows that the task wants room.
void Cluster::account_demand(const Task& task, int sign) {
  if (!task.job.is_valid()) return;
  const QueueId queue = jobs_[task.job.index()].queue;
  if (!queue.is_valid()) return;
  Resources& demand = queues_[queue.index()].demand;
  for (const auto& [dimension, amount] : shapes_[task.shape.index()].requested) {
    // A saturated sum cannot be reduced by subtraction.
    const bool was_too_much = demand[dimension] == std::numeric_limits<std::int64_t>::max();
    if (sign < 0 && was_too_much) {
      uncounted_.push_back(queue);
    } else {
      demand.add(dimension, sign * amount);
    }
  }
}

void Cluster::count_the_uncounted() {
  for (const QueueId id : std::exchange(uncounted_, {})) {
    Resources demand;
    for (const Job& job : jobs_) {
      if (!job.exists || job.queue != id) continue;
      for (const TaskId member : job.tasks) {
        const Task& task = tasks_[member.index()];
        if (task.wants_room()) demand += shapes_[task.shape.index()].request;
      }
    }
    queues_[id.index()].demand = std::move(demand);
    touch();
  }
}

}  // namespace berth
