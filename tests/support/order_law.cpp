#include "support/order_law.h"

#include <algorithm>
#include <set>

#include "engine/fit/fits_on.h"

namespace berth::support {

namespace {

// Moves tasks, and takes all back.
class Pretence {
 public:
  explicit Pretence(Cluster& cluster) : cluster_(cluster), stamp_(cluster.stamp()) {}
  ~Pretence() {
    for (; !moves_.empty(); moves_.pop_back()) {
      const Move& last = moves_.back();
      cluster_.move_task(last.task, last.node, last.status);
      cluster_.restore_versions(stamp_, cluster_.task(last.task).job, last.version);
    }
  }
  Pretence(const Pretence&) = delete;
  Pretence& operator=(const Pretence&) = delete;

  void place(const Placement& where) { move(where.task, where.node, TaskStatus::allocated); }
  void leave(TaskId task) { move(task, NodeId(), TaskStatus::failed); }

 private:
  struct Move {
    TaskId task;
    NodeId node;
    TaskStatus status = TaskStatus::pending;
    std::uint64_t version = 0;  // of the job
  };

  void move(TaskId id, NodeId node, TaskStatus status) {
    const Task& task = cluster_.task(id);
    const std::uint64_t version = task.job.is_valid() ? cluster_.job(task.job).version : 0;
    moves_.push_back({id, task.node, task.status, version});
    cluster_.move_task(id, node, status);
  }

  Cluster& cluster_;
  const std::uint64_t stamp_;
  std::vector<Move> moves_;
};

engine::Verdict may_come(const Cluster& cluster, const Placement& each) {
  const Shape& shape = cluster.shape_of(each.task);
  const engine::Verdict verdict = engine::fits_on(cluster, shape, each.node);
  return verdict ? engine::check_occupants({cluster, shape, cluster.node(each.node)}) : verdict;
}

}  // namespace

std::vector<std::string> members_without_a_place(Cluster& cluster, const Plan& plan) {
  std::set<JobId> served;
  for (const PlannedEviction& each : plan.evictions) {
    if (each.beneficiary.is_valid()) served.insert(each.beneficiary);
  }
  if (served.empty()) return {};
  Pretence pretence(cluster);
  for (const Placement& each : plan.binds) pretence.place(each);
  for (std::size_t t = 0; t < cluster.task_slots(); ++t) {
    const Task& task = cluster.task(TaskId(t));
    if (!task.uid.empty() && task.status == TaskStatus::releasing && task.node.is_valid()) {
      pretence.leave(TaskId(t));
    }
  }
  for (const PlannedEviction& each : plan.evictions) pretence.leave(each.task);
  std::vector<Placement> waiting = plan.pipelined;
  std::size_t before = 0;
  do {
    before = waiting.size();
    std::erase_if(waiting, [&](const Placement& each) {
      if (!may_come(cluster, each)) return false;
      pretence.place(each);
      return true;
    });
  } while (waiting.size() < before);
  std::vector<std::string> faults;
  for (const Placement& each : waiting) {
    const Task& task = cluster.task(each.task);
    if (!served.contains(task.job)) continue;
    faults.push_back(task.name + " has no place on " + cluster.node(each.node).name +
                     " once all have left: " + std::string(code(may_come(cluster, each).reason)));
  }
  return faults;
}

}  // namespace berth::support
