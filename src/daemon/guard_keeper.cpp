#include "daemon/guard_keeper.h"

#include <utility>

namespace berth::daemon {

namespace {

std::int32_t on_nodes_of(const Job& job) {
  return job.placed_count() - job.count(TaskStatus::succeeded);
}

ports::GuardedGang gang_of(const Job& job) {
  ports::GuardedGang gang{job.min_available, job.placed_count(), on_nodes_of(job), {}};
  if (!job.roles_bind()) return gang;
  for (const Role& role : job.roles) gang.roles.push_back({role.minimum, ready_count(role.counts)});
  return gang;
}

}  // namespace

// GUARD-8. The journal has the nodes that changed. The counts and minimums of a job may change
// without any node; its version shows it.
void GuardKeeper::follow(const Cluster& cluster) {
  gangs_.grow(cluster.job_slots());
  is_known_.resize(cluster.job_slots());
  const ChangeJournal& changes = cluster.changes();
  ++round_;
  if (rows_ != nullptr && changes.has_since(position_)) {
    for (const NodeId id : changes.since(position_)) {
      if (std::exchange(read_at_[id.index()], round_) != round_) read_node(cluster, id);
    }
  } else {
    read_all(cluster);
  }
  position_ = changes.position();
  read_gangs(cluster);
}

void GuardKeeper::read_all(const Cluster& cluster) {
  auto rows = std::make_shared<ports::ByText<std::uint32_t>>();
  rows->reserve(cluster.node_count());
  nodes_ = {};
  nodes_.grow(cluster.node_count());
  read_at_.assign(cluster.node_count(), round_);
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    rows->emplace(cluster.node(NodeId(n)).name, static_cast<std::uint32_t>(n));
    read_node(cluster, NodeId(n));
  }
  rows_ = std::move(rows);
  table_ = nullptr;
}

// A planned pod is in the plan table, and a pod of no group is a gang that goes whole.
void GuardKeeper::read_node(const Cluster& cluster, NodeId id) {
  found_.list.clear();
  found_.uids.clear();
  for (const TaskId each : cluster.node(id).tasks) {
    const Task& task = cluster.task(each);
    if (task.status != TaskStatus::bound && task.status != TaskStatus::running) continue;
    if (!task.job.is_valid()) continue;
    const std::size_t gang = task.job.index();
    if (!is_known_[gang]) {
      if (cluster.job(task.job).is_single) continue;
      is_known_[gang] = true;
      known_.push_back({task.job});
    }
    found_.add(task.uid, static_cast<std::uint32_t>(gang), task.role);
  }
  if (found_.list.empty() && nodes_[id.index()] == nullptr) return;
  nodes_.change(id.index()) =
      found_.list.empty() ? nullptr : std::make_shared<const ports::GuardedMembers>(found_);
  table_ = nullptr;
}

void GuardKeeper::read_gangs(const Cluster& cluster) {
  std::erase_if(known_, [&](Known& known) {
    const Job& job = cluster.job(known.job);
    if (job.version == known.version) return false;
    known.version = job.version;
    gangs_.change(known.job.index()) = gang_of(job);
    table_ = nullptr;
    const bool is_gone = on_nodes_of(job) == 0;
    if (is_gone) is_known_[known.job.index()] = false;
    return is_gone;
  });
}

std::shared_ptr<const ports::GuardTable> GuardKeeper::table() {
  if (table_ == nullptr) {
    table_ = std::make_shared<const ports::GuardTable>(
        ports::GuardTable{rows_, nodes_.share(), gangs_.share()});
  }
  return table_;
}

}  // namespace berth::daemon
