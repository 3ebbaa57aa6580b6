#include "daemon/publish.h"

#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "steering/steering.h"
#include "steering/turns.h"

namespace berth::daemon {

namespace {

// A lone pod may have the name of a group.
std::string key_of(const Job& job) { return job.is_single ? "pod " + job.name : job.name; }

std::shared_ptr<const ports::PlannedGang> gang_of(const Cluster& cluster, const Job& job,
                                                  const PlanTableOptions& options) {
  ports::PlannedGang gang;
  gang.job = key_of(job);
  gang.bound = job.bound_count();
  gang.min_member = steering::needed_together(job, options.gangs_are_whole);
  gang.is_offered_first =
      options.shows ||
      (options.nominates && steering::is_worth_nominating(gang.min_member, cluster.node_count()));
  for (const QueueId queue : cluster.queues_with_nodes(job.queue)) {
    gang.queues.push_back(cluster.queue(queue).name);
  }
  return std::make_shared<const ports::PlannedGang>(std::move(gang));
}

void add_room(const Cluster& cluster, NodeId node, ports::RoomLeft& room) {
  const auto row = static_cast<std::uint32_t>(room.rows.size());
  if (!room.rows.emplace(cluster.node(node).name, row).second) return;
  for (std::size_t d = 0; d < cluster.dimensions().size(); ++d) {
    room.amounts.push_back(cluster.available().at(node, Dimension(d)));
  }
}

// CLAIM-9. Claimed room has nobody planned in it yet.
void take_room(const Cluster& cluster, TaskId task, NodeId node, ports::RoomLeft& room) {
  add_room(cluster, node, room);
  const std::size_t row = room.rows.find(cluster.node(node).name)->second;
  for (const auto& [dimension, amount] : cluster.shape_of(task).requested) {
    room.amounts[row * room.resources.size() + dimension.index()] -= amount;
  }
}

void add_locks(const Cluster& cluster, ports::PlanTable& table) {
  if (!cluster.locks().are_any()) return;
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    const Node& node = cluster.node(NodeId(n));
    const auto& [job, queue] = std::pair(node.lock.job, node.queue_lock.queue);
    if (job.is_valid()) table.locks.emplace(node.name, key_of(cluster.job(job)));
    if (queue.is_valid()) table.queue_nodes.emplace(node.name, cluster.queue(queue).name);
  }
}

// VIEW-20
void silence_rest(const Cluster& cluster, const Job& job, std::int32_t events,
                  std::vector<bool>& is_quiet) {
  for (auto rank = static_cast<std::size_t>(events); rank < job.tasks.size(); ++rank) {
    const std::size_t task = job.tasks[rank].index();
    if (is_quiet.empty()) is_quiet.resize(cluster.task_slots());
    is_quiet[task] = true;
  }
}

// STEER-16. Pods that are alike: of one shape, and of one gang, or of none and one queue.
void name_alike(const Cluster& cluster, const PlanTableOptions& options, ports::PlanTable& table) {
  using Group = std::tuple<JobId, QueueId, ShapeId>;
  std::map<Group, std::shared_ptr<std::vector<std::string>>> groups;
  for (std::size_t t = 0; t < cluster.task_slots(); ++t) {
    const Task& task = cluster.task(TaskId(t));
    if (task.status != TaskStatus::binding) continue;
    if (!steering::is_exchangeable(cluster, task, options.locks_are_taints)) continue;
    const JobId gang = cluster.job(task.job).is_single ? JobId() : task.job;
    auto& uids = groups[{gang, cluster.queue_of(task.job), task.shape}];
    if (uids == nullptr) uids = std::make_shared<std::vector<std::string>>();
    uids->push_back(task.uid);
    ports::PlannedPod& pod = table.pods.find(task.uid)->second;
    pod.alike = uids;
    pod.order = options.order_of(TaskId(t));
  }
}

}  // namespace

std::shared_ptr<const ports::PlanTable> make_plan_table(const Cluster& cluster,
                                                        const PlanTableOptions& options) {
  auto table = std::make_shared<ports::PlanTable>();
  table->epoch = options.epoch;
  table->ready = true;
  table->term = options.term;
  table->managed_schedulers = options.managed_schedulers;
  table->guard = options.guard;
  table->exchanges = options.exchanges;
  add_locks(cluster, *table);
  if (cluster.binding_task_count() == 0 && cluster.claimants().empty()) return table;

  for (std::size_t d = 0; d < cluster.dimensions().size(); ++d) {
    table->room_left.resources.push_back(cluster.dimensions().name(Dimension(d)));
  }
  std::unordered_map<JobId, std::shared_ptr<const ports::PlannedGang>> gangs;  // look-up only
  std::vector<bool> is_quiet;                                                  // likewise
  for (std::size_t t = 0; t < cluster.task_slots(); ++t) {
    const Task& task = cluster.task(TaskId(t));
    if (task.status != TaskStatus::binding) continue;
    const Node& node = cluster.node(task.node);
    auto& gang = gangs[task.job];
    if (gang == nullptr) {
      const Job& job = cluster.job(task.job);
      gang = gang_of(cluster, job, options);
      if (!job.is_single) silence_rest(cluster, job, options.scheduled_events, is_quiet);
    }
    const Shape& shape = cluster.shape(task.shape);
    table->pods.emplace(task.uid,
                        ports::PlannedPod{task.name, node.name, gang, shape.is_hint,
                                          shape.has_relations(), !is_quiet.empty() && is_quiet[t]});
    add_room(cluster, task.node, table->room_left);
  }
  if (options.order_of) name_alike(cluster, options, *table);
  for (const JobId id : cluster.claimants()) {
    for (const Claim& claim : cluster.job(id).claims) {
      if (cluster.task(claim.task).status != TaskStatus::pending) continue;
      take_room(cluster, claim.task, claim.node, table->room_left);
      table->claimed_nodes.insert(cluster.node(claim.node).name);
    }
  }
  return table;
}

}  // namespace berth::daemon
