#include "berth/engine/ledger.h"

#include <algorithm>
#include <utility>

#include "berth/base/check.h"
#include "berth/engine/fit.h"

namespace berth::engine {

void Ledger::allocate(TaskId task, NodeId node) {
  require_room(task, node, false);
  move(task, node, TaskStatus::allocated);
}

void Ledger::pipeline(TaskId task, NodeId node) {
  require_room(task, node, true);
  move(task, node, TaskStatus::pipelined);
}

// EVICT-5
void Ledger::evict(TaskId id) {
  const Task& task = cluster_.task(id);
  BERTH_CHECK(is_on_its_node(task.status));
  move(id, task.node, TaskStatus::releasing);
}

void Ledger::spare(TaskId id) {
  const auto evicts = [&](const Operation& each) {
    return each.kind == Operation::Kind::task && each.task == id &&
           each.status_after == TaskStatus::releasing;
  };
  const auto eviction = std::find_if(operations_.rbegin(), operations_.rend(), evicts);
  BERTH_CHECK(eviction != operations_.rend() && cluster_.task(id).status == TaskStatus::releasing);
  move(id, cluster_.task(id).node, eviction->status_before);
}

// After the undo, its place among the node's tasks may differ; their order has no meaning.
void Ledger::withdraw(TaskId id) {
  const TaskStatus status = cluster_.task(id).status;
  BERTH_CHECK(status == TaskStatus::allocated || status == TaskStatus::pipelined);
  move(id, NodeId(), TaskStatus::pending);
}

void Ledger::require_room(TaskId id, NodeId node, bool future) const {
  BERTH_CHECK(cluster_.task(id).status == TaskStatus::pending);
  BERTH_CHECK(!cluster_.is_locked_out(node, cluster_.task(id).job));
  const Shape& shape = cluster_.shape_of(id);
  BERTH_CHECK(future ? has_room(OnceVacated{cluster_}, shape, node)
                     : has_room(IdleNow{cluster_}, shape, node));
}

Ledger::Operation Ledger::operation_on(Operation::Kind kind, JobId job) const {
  Operation operation;
  operation.kind = kind;
  operation.job = job;
  operation.stamp_before = cluster_.stamp();
  if (job.is_valid()) operation.version_before = cluster_.job(job).version;
  return operation;
}

void Ledger::move(TaskId id, NodeId node, TaskStatus status) {
  const Task& task = cluster_.task(id);
  Operation operation = operation_on(Operation::Kind::task, task.job);
  operation.task = id;
  operation.status_before = task.status;
  operation.status_after = status;
  operation.node_before = task.node;
  operations_.push_back(operation);
  cluster_.move_task(id, node, status);
  notify(task, operation.status_before, status);
}

void Ledger::set_phase(JobId job, GroupPhase phase) {
  Operation operation = operation_on(Operation::Kind::phase, job);
  operation.phase_before = cluster_.job(job).phase;
  operations_.push_back(operation);
  cluster_.set_phase(job, phase);
}

void Ledger::set_election(JobId job, std::optional<Election> election) {
  operations_.push_back(operation_on(Operation::Kind::election, job));
  elections_before_.push_back(cluster_.job(job).election);
  cluster_.set_election(job, std::move(election));
}

void Ledger::set_lock(NodeId node, const Lock& lock) {
  Operation operation = operation_on(Operation::Kind::lock, JobId());
  operation.node_before = node;
  operations_.push_back(operation);
  locks_before_.push_back(cluster_.node(node).lock);
  cluster_.set_lock(node, lock);
}

void Ledger::set_queue_lock(NodeId node, const QueueLock& lock) {
  Operation operation = operation_on(Operation::Kind::queue_lock, JobId());
  operation.node_before = node;
  operations_.push_back(operation);
  queue_locks_before_.push_back(cluster_.node(node).queue_lock);
  cluster_.set_queue_lock(node, lock);
}

void Ledger::roll_back(Mark mark) {
  while (operations_.size() > mark) {
    const Operation operation = operations_.back();
    operations_.pop_back();
    undo(operation);
    cluster_.restore_versions(operation.stamp_before, operation.job, operation.version_before);
  }
}

void Ledger::undo(const Operation& operation) {
  switch (operation.kind) {
    case Operation::Kind::task:
      cluster_.move_task(operation.task, operation.node_before, operation.status_before);
      return notify(cluster_.task(operation.task), operation.status_after, operation.status_before);
    case Operation::Kind::phase:
      return cluster_.set_phase(operation.job, operation.phase_before);
    case Operation::Kind::election:
      cluster_.set_election(operation.job, std::move(elections_before_.back()));
      return elections_before_.pop_back();
    case Operation::Kind::lock:
      cluster_.set_lock(operation.node_before, locks_before_.back());
      return locks_before_.pop_back();
    case Operation::Kind::queue_lock:
      cluster_.set_queue_lock(operation.node_before, queue_locks_before_.back());
      return queue_locks_before_.pop_back();
  }
}

// A pipelined task is charged like an allocated one; a victim is credited at once.
void Ledger::notify(const Task& task, TaskStatus before, TaskStatus after) const {
  const bool had = is_allocated(before) || before == TaskStatus::pipelined;
  const bool has = is_allocated(after) || after == TaskStatus::pipelined;
  if (had == has) return;
  if (has && on_allocated) on_allocated(task);
  if (had && on_released) on_released(task);
}

}  // namespace berth::engine
