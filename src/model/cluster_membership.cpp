#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "berth/base/check.h"
#include "berth/model/cluster.h"

// Nodes, tasks, jobs and queues are added and removed. Called by the mirror only.

namespace berth {

namespace {

constexpr std::uint32_t kNotOpen = std::numeric_limits<std::uint32_t>::max();

}  // namespace

void Cluster::replace_nodes(std::vector<Node> nodes) {
  std::sort(nodes.begin(), nodes.end(),
            [](const Node& left, const Node& right) { return left.name < right.name; });
  std::vector<std::string> old_names(nodes_.size());
  for (std::size_t n = 0; n < nodes_.size(); ++n) old_names[n] = nodes_[n].name;

  nodes_ = std::move(nodes);
  node_by_name_.clear();
  ensure_dimensions();
  for (AmountTable* table : tables()) {
    table->reset(nodes_.size(), dimensions_.size());
  }
  total_allocatable_ = Resources();
  total_used_ = Resources();
  used_nowhere_ = Resources();
  ++room_version_;
  releasing_tasks_ = 0;
  binding_tasks_ = 0;
  locks_.reset(nodes_.size());
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    Node& node = nodes_[n];
    node.tasks.clear();
    node.id = NodeId(n);
    locks_.set_target(NodeId(n), node.lock.job);
    locks_.set_queue(NodeId(n), node.queue_lock.queue);
    BERTH_CHECK(node_by_name_.emplace(node.name, NodeId(n)).second);
    total_allocatable_ += node.allocatable;
    for (std::size_t d = 0; d < node.allocatable.extent(); ++d) {
      const Dimension dimension(d);
      allocatable_.at(NodeId(n), dimension) = node.allocatable[dimension];
      idle_.at(NodeId(n), dimension) = node.allocatable[dimension];
      available_.at(NodeId(n), dimension) = node.allocatable[dimension];
    }
  }
  for (const JobId id : std::vector<JobId>(claimants_)) {
    std::vector<Claim> claims = jobs_[id.index()].claims;
    for (Claim& claim : claims) claim.node = find_node(old_names[claim.node.index()]);
    std::erase_if(claims, [](const Claim& claim) { return !claim.node.is_valid(); });
    set_claims(id, std::move(claims));
  }
  for (std::size_t t = 0; t < tasks_.size(); ++t) {
    Task& task = tasks_[t];
    if (task.node.is_valid()) task.node = find_node(old_names[task.node.index()]);
    if (task.node.is_valid()) nodes_[task.node.index()].tasks.push_back(TaskId(t));
    if (task.uid.empty()) continue;
    account_on_node(task, +1);
    if (is_allocated(task.status) && !task.node.is_valid() && is_of_queue(task)) {
      used_nowhere_ += shapes_[task.shape.index()].request;
    }
  }
  relations_.reset_domains(nodes_);
  recount_terms();
  changes_.forget();
  ++spec_version_;
  touch();
}

void Cluster::update_node(NodeId id, Node node) {
  Node& current = nodes_[id.index()];
  BERTH_CHECK(current.name == node.name);
  const std::size_t extent = std::max(current.allocatable.extent(), node.allocatable.extent());
  for (std::size_t d = 0; d < extent; ++d) {
    const Dimension dimension(d);
    const std::int64_t gained = node.allocatable[dimension] - current.allocatable[dimension];
    allocatable_.at(id, dimension) += gained;
    idle_.at(id, dimension) += gained;
    update_available(id, dimension);
    total_allocatable_.add(dimension, gained);
  }
  node.tasks = std::move(current.tasks);
  node.lock = current.lock;
  node.queue_lock = current.queue_lock;
  current = std::move(node);
  current.id = id;
  if (relations_.update_domains(id, current, nodes_.size())) recount_terms();
  changes_.note(id);
  ++spec_version_;
  ++room_version_;
  touch();
}

TaskId Cluster::add_task(Task task) {
  BERTH_CHECK(!task.uid.empty() && !task.node.is_valid() && task.status == TaskStatus::pending);
  const TaskId id = free_tasks_.take_in(tasks_);
  const JobId job = task.job;
  task.job = JobId();
  use_shape(task.shape);
  relations_.link(id, task.labels);
  tasks_[id.index()] = std::move(task);
  if (job.is_valid()) join_job(id, job);
  touch();
  return id;
}

void Cluster::remove_task(TaskId id) {
  move_task(id, NodeId(), TaskStatus::pending);
  if (tasks_[id.index()].job.is_valid()) leave_job(id);
  const Task gone = std::exchange(tasks_[id.index()], Task());
  relations_.unlink(id, gone.labels);
  relations_.mutable_labels().give_back(gone.labels);
  free_tasks_.add(id);
  release_shape(gone.shape);
}

const Task Cluster::kNoTask;
const Job Cluster::kNoJob;

void Cluster::trim() {
  free_tasks_.trim(tasks_, [](const Task& task) { return task.uid.empty(); });
  free_jobs_.trim(jobs_, [](const Job& job) { return !job.exists; });
  free_shapes_.trim(shapes_, [](const Shape& shape) { return shape.serial == 0; });
  shorten(open_position_, jobs_.size());
  relations_.trim(tasks_.size());
}

void Cluster::order_into(std::vector<TaskId>& tasks, TaskId id) const {
  const auto before = [this](TaskId left, TaskId right) {
    const Task& l = task(left);
    const Task& r = task(right);
    return std::tie(l.index, l.created, l.uid) < std::tie(r.index, r.created, r.uid);
  };
  tasks.insert(std::upper_bound(tasks.begin(), tasks.end(), id, before), id);
}

void Cluster::join_job(TaskId id, JobId job) {
  Task& task = tasks_[id.index()];
  BERTH_CHECK(!task.job.is_valid());
  account_on_node(task, -1);
  task.job = job;
  account_on_node(task, +1);
  order_into(jobs_[job.index()].tasks, id);
  account_in_job(task, +1);
  if (task.wants_room()) account_demand(task, +1);
  touch();
}

void Cluster::leave_job(TaskId id) {
  Task& task = tasks_[id.index()];
  if (const Job& job = jobs_[task.job.index()]; !job.claims.empty()) {
    std::vector<Claim> claims = job.claims;
    std::erase_if(claims, [id](const Claim& claim) { return claim.task == id; });
    set_claims(job.id, std::move(claims));
  }
  if (task.wants_room()) account_demand(task, -1);
  account_in_job(task, -1);
  account_on_node(task, -1);
  auto& members = jobs_[task.job.index()].tasks;
  members.erase(std::find(members.begin(), members.end(), id));
  const JobId left = std::exchange(task.job, JobId());
  account_on_node(task, +1);
  drop_unused_roles(left);
  touch();
}

// BOUND-7. Places of roles stay, because tasks know them; those of unused ones are given again.
void Cluster::drop_unused_roles(JobId id) {
  std::vector<Role>& roles = jobs_[id.index()].roles;
  for (Role& role : roles) {
    if (role.minimum == 0 && role.counts == StatusCounts{}) role.name.clear();
  }
  while (!roles.empty() && roles.back().name.empty()) roles.pop_back();
}

JobId Cluster::add_job(Job job) {
  const JobId id = free_jobs_.take_in(jobs_);
  open_position_.resize(jobs_.size(), kNotOpen);
  job.exists = true;
  job.id = id;
  jobs_[id.index()] = std::move(job);
  touch(id);
  touch();
  return id;
}

void Cluster::remove_job(JobId id) {
  BERTH_CHECK(jobs_[id.index()].tasks.empty());
  if (jobs_[id.index()].election) {
    for (const NodeId node : locks_.nodes_of(id)) set_lock(node, Lock());
    set_election(id, std::nullopt);
  }
  set_open(id, false);
  set_claims(id, {});
  usage_.forget(id);
  jobs_[id.index()] = Job();
  free_jobs_.add(id);
  touch();
}

void Cluster::set_job_queue(JobId id, QueueId queue) {
  Job& job = jobs_[id.index()];
  if (job.queue == queue) return;
  const auto account = [&](int sign) {
    if (!job.queue.is_valid()) return;
    Queue& current = queues_[job.queue.index()];
    if (sign > 0) current.allocated += job.allocated;
    if (sign < 0) current.allocated -= job.allocated;
    for (const TaskId task : job.tasks) {
      if (tasks_[task.index()].wants_room()) account_demand(tasks_[task.index()], sign);
    }
  };
  // A task without a queue takes room like a pod of another scheduler.
  const auto account_tasks = [&](int sign) {
    for (const TaskId each : job.tasks) {
      const Task& task = tasks_[each.index()];
      account_on_node(task, sign);
      if (job.queue.is_valid() && is_allocated(task.status) && !task.node.is_valid()) {
        ++room_version_;
        for (const auto& [dimension, amount] : shapes_[task.shape.index()].requested) {
          used_nowhere_.add(dimension, sign * amount);
        }
      }
    }
  };
  account_tasks(-1);
  account(-1);
  job.queue = queue;
  account(+1);
  account_tasks(+1);
  touch(id);
  touch();
}

QueueId Cluster::add_queue(Queue queue) {
  ensure_dimensions();
  queue.exists = true;
  ++queue_version_;
  touch();
  const QueueId id = free_queues_.take_in(queues_);
  queue.id = id;
  queues_[id.index()] = std::move(queue);
  queue_links_.add(queues_, id);
  return id;
}

void Cluster::remove_queue(QueueId id) {
  for (const NodeId node : locks_.nodes_of(id)) set_queue_lock(node, {});
  queue_links_.remove(queues_, id);
  queues_[id.index()] = Queue();
  free_queues_.add(id);
  recent_evictions_.forget_queue(id);
  ++queue_version_;
  touch();
}

bool same_spec(const Queue& left, const Queue& right) {
  const auto spec = [](const Queue& queue) {
    return std::tuple<const QueueSpec&, bool, const Resources&>(queue, queue.is_reclaimable,
                                                                queue.guarantee);
  };
  const auto by_dimension = [](const Queue& queue) {
    return std::tie(queue.capability.entries(), queue.guarantee_share_of, queue.deserved.entries());
  };
  return spec(left) == spec(right) && by_dimension(left) == by_dimension(right);
}

void Cluster::update_queue(QueueId id, Queue queue) {
  Queue& current = queues_[id.index()];
  if (same_spec(current, queue)) return;
  queue.id = id;
  queue.exists = true;
  queue.allocated = std::move(current.allocated);
  queue.demand = std::move(current.demand);
  queue.node_choice = std::move(current.node_choice);
  const bool moves = current.name != queue.name || current.parent != queue.parent;
  if (moves) queue_links_.remove(queues_, id);
  queue.above = current.above;
  current = std::move(queue);
  if (moves) queue_links_.add(queues_, id);
  ++queue_version_;
  touch();
}

// No decision depends on it, so the stamp stays.
void Cluster::note_relocking(const std::vector<QueueNodes>& chosen, TimePoint at) {
  locks_.note_relocking(at);
  for (Queue& queue : queues_) queue.node_choice = {};
  for (const QueueNodes& each : chosen) queues_[each.queue.index()].node_choice = each.choice;
}

void Cluster::set_claims(JobId id, std::vector<Claim> claims) {
  if (jobs_[id.index()].claims == claims) return;
  Job& job = mutable_job(id);
  if (!job.claims.empty()) claimants_.erase(std::find(claimants_.begin(), claimants_.end(), id));
  job.claims = std::move(claims);
  if (job.claims.empty()) return;
  const auto since = [this](JobId each) {
    const std::vector<Claim>& all = jobs_[each.index()].claims;
    return std::min_element(all.begin(), all.end(),
                            [](const Claim& l, const Claim& r) { return l.since < r.since; })
        ->since;
  };
  const auto before = [&](JobId left, JobId right) {
    const Job& l = jobs_[left.index()];
    const Job& r = jobs_[right.index()];
    return std::tuple(since(left), l.created, std::tie(l.uid, l.name)) <
           std::tuple(since(right), r.created, std::tie(r.uid, r.name));
  };
  claimants_.insert(std::upper_bound(claimants_.begin(), claimants_.end(), id, before), id);
}

void Cluster::set_open(JobId id, bool open) {
  std::uint32_t& position = open_position_[id.index()];
  if (open == (position != kNotOpen)) return;
  if (open) {
    position = static_cast<std::uint32_t>(open_jobs_.size());
    open_jobs_.push_back(id);
    return;
  }
  const JobId last = open_jobs_.back();
  open_jobs_[position] = last;
  open_position_[last.index()] = position;
  open_jobs_.pop_back();
  position = kNotOpen;
}

}  // namespace berth
