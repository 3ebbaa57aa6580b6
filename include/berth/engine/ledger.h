#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "berth/model/cluster.h"

namespace berth::engine {

// What a session does to the cluster, in order, and how to undo it. All changes of a session go
// through here; undo is data. Laws: rolling back to a mark leaves the cluster, its stamp included,
// bit for bit as it was at the mark; no task is placed where its request is not covered.
class Ledger {
 public:
  using Mark = std::size_t;

  explicit Ledger(Cluster& cluster) : cluster_(cluster) {}
  ~Ledger() { roll_back(0); }
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  // The task must be pending, its request covered by what is idle there, and the node not locked
  // for another job: aborts otherwise.
  void allocate(TaskId task, NodeId node);
  // The same against what will be idle once those that leave have left.
  void pipeline(TaskId task, NodeId node);
  // A bound or running task is on its way out.
  void evict(TaskId task);
  // What the task was given in this session is given back.
  void withdraw(TaskId task);
  void set_phase(JobId job, GroupPhase phase);
  // Makes the job a target, or no target any more.
  void set_election(JobId job, std::optional<Election> election);
  void set_lock(NodeId node, const Lock& lock);

  Mark mark() const { return operations_.size(); }
  void roll_back(Mark mark);

  struct Operation {
    enum class Kind : std::uint8_t { task, phase, election, lock };
    Kind kind = Kind::task;
    TaskStatus status_before = TaskStatus::pending;
    TaskStatus status_after = TaskStatus::pending;
    GroupPhase phase_before = GroupPhase::pending;
    TaskId task;
    JobId job;           // of a task: its job
    NodeId node_before;  // of a lock: the node itself
    std::uint64_t stamp_before = 0;
    std::uint64_t version_before = 0;  // of the job
  };
  const std::vector<Operation>& operations() const { return operations_; }

  // Told of each task that gained or lost room, forwards and on undo alike. At most one of each.
  std::function<void(const Task&)> on_allocated;
  std::function<void(const Task&)> on_released;

 private:
  void move(TaskId task, NodeId node, TaskStatus status);
  Operation operation_on(Operation::Kind kind, JobId job) const;
  void undo(const Operation& operation);
  void tell(const Task& task, TaskStatus before, TaskStatus after) const;
  void require_room(TaskId task, NodeId node, bool future) const;

  Cluster& cluster_;
  std::vector<Operation> operations_;
  // What elections and locks were before, for those operations alone: the others are many.
  std::vector<std::optional<Election>> elections_before_;
  std::vector<Lock> locks_before_;
};

}  // namespace berth::engine
