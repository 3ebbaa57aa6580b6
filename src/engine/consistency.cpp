#include "engine/consistency.h"

#include <functional>
#include <vector>

#include "berth/model/dimensions.h"

namespace berth::engine {

namespace {

struct NodeSums {
  Resources occupied;
  Resources foreign;
  Resources staying;
  Resources of_node;
  Resources releasing;
  Resources pipelined;
  std::size_t tasks = 0;
};

bool is_of_queue(const Cluster& cluster, const Task& task) {
  return task.job.is_valid() && cluster.job(task.job).queue.is_valid();
}

// DIMENSION-1, DIMENSION-2
std::string dimension_fault(const Cluster& cluster) {
  const auto is_off = [&](const NamedAmounts& unknown, const Resources& asked) {
    return !(unknown_of(cluster.dimensions(), unknown) == unknown) ||
           asked[kUnknown] != to_resources(cluster.dimensions(), unknown)[kUnknown];
  };
  for (std::size_t s = 0; s < cluster.shape_count(); ++s) {
    const Shape& shape = cluster.shape(ShapeId(s));
    if (is_off(shape.unknown, shape.request)) return "a shape's unknown resources are off";
  }
  for (std::size_t j = 0; j < cluster.job_slots(); ++j) {
    const Job& job = cluster.job(JobId(j));
    if (job.min_resources && is_off(job.unknown, *job.min_resources)) {
      return "job " + job.name + ": its unknown resources are off";
    }
  }
  return "";
}

std::string node_fault(const Cluster& cluster, NodeId id, const NodeSums& sums) {
  const Node& node = cluster.node(id);
  if (node.tasks.size() != sums.tasks) return "node " + node.name + ": its list of tasks is off";
  for (std::size_t d = 0; d < cluster.dimensions().size(); ++d) {
    const Dimension dimension(d);
    const std::string what = "node " + node.name + ": " + cluster.dimensions().name(dimension);
    const std::int64_t idle = cluster.idle().at(id, dimension);
    if (cluster.allocatable().at(id, dimension) != node.allocatable[dimension] ||
        idle != node.allocatable[dimension] - sums.occupied[dimension]) {
      return what + " idle is not allocatable less what its tasks ask for";
    }
    if (cluster.foreign().at(id, dimension) != sums.foreign[dimension])
      return what + " foreign is off";
    if (cluster.staying().at(id, dimension) != sums.staying[dimension]) {
      return what + " staying is off";
    }
    if (cluster.of_nodes().at(id, dimension) != sums.of_node[dimension]) {
      return what + " of the node is off";
    }
    if (cluster.releasing().at(id, dimension) != sums.releasing[dimension]) {
      return what + " releasing is off";
    }
    if (cluster.pipelined().at(id, dimension) != sums.pipelined[dimension]) {
      return what + " pipelined is off";
    }
    const std::int64_t future = cluster.future_idle(id, dimension);
    if (cluster.available().at(id, dimension) != std::min(idle, future)) {
      return what + " available is off";
    }
  }
  return "";
}

std::string job_fault(const Cluster& cluster, JobId id) {
  const Job& job = cluster.job(id);
  StatusCounts counts{};
  Resources allocated;
  Resources pipelined;
  std::int32_t gated = 0;
  std::int32_t best_effort = 0;
  for (const TaskId task_id : job.tasks) {
    const Task& task = cluster.task(task_id);
    if (task.job != id) return "job " + job.name + ": a member belongs to another job";
    ++counts[static_cast<std::size_t>(task.status)];
    if (is_allocated(task.status)) allocated += cluster.shape(task.shape).request;
    if (task.status == TaskStatus::pipelined) pipelined += cluster.shape(task.shape).request;
    if (task.status != TaskStatus::pending) continue;
    if (task.is_gated) ++gated;
    if (cluster.shape(task.shape).is_best_effort) ++best_effort;
  }
  if (counts != job.counts) return "job " + job.name + ": counts are off";
  if (gated != job.gated) return "job " + job.name + ": gated is off";
  if (best_effort != job.best_effort) return "job " + job.name + ": best-effort is off";
  if (!(allocated == job.allocated)) return "job " + job.name + ": allocated is off";
  if (!(pipelined == job.pipelined)) return "job " + job.name + ": pipelined is off";
  return "";
}

std::string queue_fault(const Cluster& cluster) {
  std::vector<Resources> allocated(cluster.queue_slots());
  std::vector<Resources> demand(cluster.queue_slots());
  for (std::size_t j = 0; j < cluster.job_slots(); ++j) {
    const Job& job = cluster.job(JobId(j));
    if (!job.exists || !job.queue.is_valid()) continue;
    allocated[job.queue.index()] += job.allocated;
    for (const TaskId id : job.tasks) {
      if (!cluster.task(id).wants_room()) continue;
      demand[job.queue.index()] += cluster.shape_of(id).request;
    }
  }
  for (std::size_t q = 0; q < cluster.queue_slots(); ++q) {
    const Queue& queue = cluster.queue(QueueId(q));
    if (queue.exists && !(queue.allocated == allocated[q])) {
      return "queue " + queue.name + ": allocated is off";
    }
    if (queue.exists && !(queue.demand == demand[q])) {
      return "queue " + queue.name + ": demand is off";
    }
  }
  return "";
}

// Locks are for targets, and targets are listed and counted.
std::string lock_fault(const Cluster& cluster) {
  std::size_t locked = 0;
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    const Lock& lock = cluster.node(NodeId(n)).lock;
    if (lock.job.is_valid() && cluster.locks().target(NodeId(n)) != lock.job) {
      return "node " + cluster.node(NodeId(n)).name + ": its lock does not count";
    }
    const QueueId queue = cluster.node(NodeId(n)).queue_lock.queue;
    if (cluster.locks().queue(NodeId(n)) != queue) {
      return "node " + cluster.node(NodeId(n)).name + ": its lock for a queue does not count";
    }
    if (queue.is_valid() && !cluster.queue(queue).exists) {
      return "node " + cluster.node(NodeId(n)).name + " is locked for no queue";
    }
    if (!lock.job.is_valid()) continue;
    ++locked;
    const bool is_target = cluster.job(lock.job).exists && cluster.job(lock.job).election;
    if (!is_target) return "node " + cluster.node(NodeId(n)).name + " is locked for no target";
  }
  if (locked != cluster.locks().for_targets()) return "the count of locked nodes is off";
  std::size_t targets = 0;
  for (std::size_t j = 0; j < cluster.job_slots(); ++j) {
    targets += cluster.job(JobId(j)).election ? 1 : 0;
  }
  return targets == cluster.targets().size() ? "" : "the list of targets is off";
}

// Claims are of the job's own tasks, on nodes that there are, and jobs that have some are listed.
std::string claim_fault(const Cluster& cluster) {
  std::size_t claimants = 0;
  for (std::size_t j = 0; j < cluster.job_slots(); ++j) {
    const Job& job = cluster.job(JobId(j));
    claimants += job.claims.empty() ? 0 : 1;
    for (const Claim& claim : job.claims) {
      const bool is_there = claim.node.is_valid() && claim.node.index() < cluster.node_count();
      if (!is_there || cluster.task(claim.task).job != JobId(j)) {
        return "job " + job.name + ": a claim is off";
      }
    }
  }
  return claimants == cluster.claimants().size() ? "" : "the list of claimants is off";
}

class Hash {
 public:
  template <class T>
  void add(const T& value) {
    state_ = (state_ ^ std::hash<T>{}(value)) * 0x9e3779b97f4a7c15ULL;
    state_ ^= state_ >> 29;
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0x243f6a8885a308d3ULL;
};

}  // namespace

std::string first_inconsistency(const Cluster& cluster) {
  std::vector<NodeSums> sums(cluster.node_count());
  for (std::size_t t = 0; t < cluster.task_slots(); ++t) {
    const Task& task = cluster.task(TaskId(t));
    if (task.is_evicted && task.status != TaskStatus::releasing) {
      return "task " + task.name + " is evicted, and not leaving";
    }
    if (task.uid.empty() || !task.node.is_valid()) continue;
    NodeSums& sum = sums[task.node.index()];
    const Resources& request = cluster.shape(task.shape).request;
    ++sum.tasks;
    if (occupies_node(task.status)) sum.occupied += request;
    if (occupies_node(task.status) && !is_of_queue(cluster, task)) sum.foreign += request;
    if (occupies_node(task.status) && task.never_leaves) sum.staying += request;
    if (occupies_node(task.status) && task.is_of_node) sum.of_node += request;
    if (task.status == TaskStatus::releasing) sum.releasing += request;
    if (task.status == TaskStatus::pipelined) sum.pipelined += request;
  }
  for (std::size_t n = 0; n < sums.size(); ++n) {
    if (std::string fault = node_fault(cluster, NodeId(n), sums[n]); !fault.empty()) return fault;
  }
  for (std::size_t j = 0; j < cluster.job_slots(); ++j) {
    if (!cluster.job(JobId(j)).exists) continue;
    if (std::string fault = job_fault(cluster, JobId(j)); !fault.empty()) return fault;
  }
  Resources nowhere;
  for (std::size_t t = 0; t < cluster.task_slots(); ++t) {
    const Task& task = cluster.task(TaskId(t));
    if (task.uid.empty() || task.node.is_valid() || !is_of_queue(cluster, task)) continue;
    if (is_allocated(task.status)) nowhere += cluster.shape(task.shape).request;
  }
  if (!(nowhere == cluster.used_nowhere())) return "what is used on lost nodes is off";
  if (std::string fault = dimension_fault(cluster); !fault.empty()) return fault;
  if (std::string fault = lock_fault(cluster); !fault.empty()) return fault;
  if (std::string fault = claim_fault(cluster); !fault.empty()) return fault;
  if (std::string fault = relation_fault(cluster); !fault.empty()) return fault;
  if (std::string fault = volume_fault(cluster); !fault.empty()) return fault;
  return queue_fault(cluster);
}

std::uint64_t fingerprint(const Cluster& cluster) {
  Hash hash;
  hash.add(cluster.stamp());
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    for (std::size_t d = 0; d < cluster.dimensions().size(); ++d) {
      hash.add(cluster.idle().at(NodeId(n), Dimension(d)));
      hash.add(cluster.releasing().at(NodeId(n), Dimension(d)));
      hash.add(cluster.pipelined().at(NodeId(n), Dimension(d)));
      hash.add(cluster.available().at(NodeId(n), Dimension(d)));
    }
    for (const TaskId task : cluster.node(NodeId(n)).tasks) hash.add(task.index());
    hash.add(cluster.node(NodeId(n)).lock.job);
    hash.add(cluster.node(NodeId(n)).lock.since.time_since_epoch().count());
    hash.add(cluster.node(NodeId(n)).queue_lock.queue);
    hash.add(cluster.node(NodeId(n)).queue_lock.since.time_since_epoch().count());
  }
  for (std::size_t t = 0; t < cluster.task_slots(); ++t) {
    const Task& task = cluster.task(TaskId(t));
    hash.add(static_cast<int>(task.status));
    hash.add(task.node);
    hash.add(task.is_evicted);
  }
  for (std::size_t j = 0; j < cluster.job_slots(); ++j) {
    const Job& job = cluster.job(JobId(j));
    hash.add(job.version);
    hash.add(static_cast<int>(job.phase));
    hash.add(job.election ? job.election->since.time_since_epoch().count() : -1);
    for (const std::int32_t count : job.counts) hash.add(count);
    for (const Claim& claim : job.claims) {
      hash.add(claim.task);
      hash.add(claim.node);
      hash.add(claim.since.time_since_epoch().count());
    }
    for (std::size_t d = 0; d < cluster.dimensions().size(); ++d) {
      hash.add(job.allocated[Dimension(d)]);
    }
  }
  for (std::size_t q = 0; q < cluster.queue_slots(); ++q) {
    for (std::size_t d = 0; d < cluster.dimensions().size(); ++d) {
      hash.add(cluster.queue(QueueId(q)).allocated[Dimension(d)]);
    }
  }
  return hash.value();
}

}  // namespace berth::engine
