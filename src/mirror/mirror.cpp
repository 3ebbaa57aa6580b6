#include "mirror/mirror.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "berth/base/look_up.h"

namespace berth::mirror {

QueueObject bare_queue(const std::string& name) {
  QueueObject queue;
  queue.name = name;
  queue.uid = "queue:" + name;
  return queue;
}

Mirror::Mirror(Options options)
    : options_(std::move(options)),
      default_spreads_(options_.default_spreads),
      rights_(options_.naming_check) {
  cluster_.mutable_topologies().set_levels(options_.topology_levels);
  cluster_.mutable_usage().set_half_life(options_.usage_half_life);
  on(default_queue());
}

QueueObject Mirror::default_queue() const {
  QueueObject queue = bare_queue(options_.default_queue);
  queue.is_fifo = options_.default_queue_is_fifo;
  return queue;
}

void Mirror::apply(const ClusterEvent& event) {
  std::visit([this](const auto& what) { on(what); }, event);
}

void Mirror::settle(TimePoint now) {
  forget_late_evictions(now);
  if (!cluster_.recent_evictions().entries().empty()) forget_recent_evictions(now);
  settle_refusals(now);
  settle_times(now);
  settle_attempts(now);
  note_leaving(now);
  settle_leaving();
  settle_volumes();
  settle_default_spreads();
  settle_relations();
  settle_rights(now);
  if (locks_changed_) bound_locks(now);
  if (nodes_changed_) rebuild_nodes();
  settle_topologies();
  settle_device_classes();
  for (std::size_t j = 0; are_all_dirty_ && j < cluster_.job_slots(); ++j) {
    if (cluster_.job(JobId(j)).exists) dirty_.push_back(JobId(j));
  }
  are_all_dirty_ = false;
  sort_once(dirty_);
  for (const JobId id : dirty_) {
    if (cluster_.job(id).exists) settle_owner(id);
  }
  settle_locks();
  cluster_.count_the_uncounted();
  changes_.insert(changes_.end(), dirty_.begin(), dirty_.end());
  for (const JobId id : dirty_) {
    if (!cluster_.job(id).exists) continue;
    refresh(id, now);
  }
  count_usage(now);
  dirty_.clear();
  cluster_.trim();
}

void Mirror::count_usage(TimePoint now) {
  UsageTable& usage = cluster_.mutable_usage();
  const auto count = [&](JobId id) {
    const Job& job = cluster_.job(id);
    if (!job.exists) return;
    const std::string_view queue =
        job.queue.is_valid() ? std::string_view(cluster_.queue(job.queue).name) : "";
    usage.count(id, queue, std::string_view(job.name).substr(0, job.name.find('/')), job.allocated);
  };
  for (const JobId id : dirty_) count(id);
  // DIMENSION-2. The amounts of jobs may belong to other dimensions.
  const std::size_t dimensions = cluster_.dimensions().size();
  if (std::exchange(counted_dimensions_, dimensions) != dimensions) {
    for (std::size_t j = 0; j < cluster_.job_slots(); ++j) count(JobId(j));
  }
  usage.pass(cluster_.total_allocatable(), now);
}

void Mirror::refresh(JobId id, TimePoint now) {
  const Job& job = cluster_.job(id);
  if (!job.is_ours()) return cluster_.set_open(id, false);
  settle_barred(id);
  bound_marks(id, now);
  note_wholeness(id, now);
  rights_.release(id);  // what it still needs, it asks anew
  std::vector<std::string> refused(2);
  settle_terms(id, now, refused[0]);
  settle_naming(id, now);
  const std::int32_t priority = bounded_priority(id, now, refused[1]);
  std::erase(refused, std::string());
  note_unhonoured(id, std::move(refused));
  const std::int32_t of_admission = admission_priority(job, priority);
  if (job.priority != priority || job.admission_priority != of_admission) {
    Job& changed = cluster_.mutable_job(id);
    changed.priority = priority;
    changed.admission_priority = of_admission;
  }
  if (const GroupPhase phase = derived_phase(job); phase != job.phase) {
    cluster_.set_phase(id, phase);
    phase_changes_.push_back(id);
  }
  const bool has_pods = job.count(TaskStatus::bound) + job.count(TaskStatus::running) > 0;
  if (has_pods != job.has_pods_on_nodes) {
    Job& changed = cluster_.mutable_job(id);
    changed.has_pods_on_nodes = has_pods;
    if (!has_pods) changed.ran_until = now;
  }
  const auto note_since = [&](std::optional<TimePoint> Job::*since, GroupPhase phase) {
    if ((job.phase == phase) == (job.*since).has_value()) return;
    cluster_.mutable_job(id).*since =
        job.phase == phase ? std::optional<TimePoint>(now) : std::nullopt;
  };
  note_since(&Job::unready_since, GroupPhase::unknown);
  note_since(&Job::admitted_at, GroupPhase::inqueue);
  const bool lacks_members = job.min_resources && job.phase == GroupPhase::running &&
                             !job.allocated.covers(*job.min_resources);
  const bool open = job.count(TaskStatus::pending) > 0 || job.count(TaskStatus::binding) > 0 ||
                    lacks_members ||
                    (job.phase != GroupPhase::running && job.phase != GroupPhase::completed);
  cluster_.set_open(id, open);
  const bool is_placed = job.count(TaskStatus::pending) + job.count(TaskStatus::binding) == 0;
  if (is_placed && job.task_count() > 0) forget_attempts(id);
}

void Mirror::assume(const Plan& plan, TimePoint now) {
  for (const auto& [task, node] : plan.binds) {
    cluster_.move_task(task, node, TaskStatus::binding);
    mark_dirty(cluster_.task(task).job);
  }
  const auto move = [&](JobId id, GroupPhase phase) {
    cluster_.set_phase(id, phase);
    phase_changes_.push_back(id);
    mark_dirty(id);
  };
  for (const JobId id : plan.admitted) {
    move(id, GroupPhase::inqueue);
    cluster_.mutable_job(id).admitted_at = now;
    cluster_.mutable_job(id).returned_at.reset();
  }
  assume_promises(plan);
  for (const JobId id : plan.returned) {
    move(id, GroupPhase::pending);
    cluster_.mutable_job(id).returned_at = now;
  }
  for (const PlannedEviction& each : plan.evictions) {
    assume_eviction(each.task, now, each.beneficiary);
    note_eviction(each.task, now);
  }
  assume_claims(plan, now);
}

// BEHIND-6. Promises that are not in the plan are forgotten. Those that stay are not touched.
void Mirror::assume_promises(const Plan& plan) {
  std::vector<JobId> before = std::exchange(promised_, {});
  for (const PromisedStart& each : plan.promises) {
    if (cluster_.job(each.job).promised_start != each.start) {
      cluster_.mutable_job(each.job).promised_start = each.start;
    }
    promised_.push_back(each.job);
  }
  std::sort(promised_.begin(), promised_.end());
  for (const JobId id : before) {
    if (std::binary_search(promised_.begin(), promised_.end(), id)) continue;
    if (cluster_.job(id).promised_start) cluster_.mutable_job(id).promised_start.reset();
  }
}

void Mirror::forget_plans() {
  assume_promises({});
  while (!attempted_.empty()) forget_attempts(*attempted_.begin());
  while (!evictions_.empty()) end_eviction(evictions_.begin()->first);
  for (const JobId id : std::vector<JobId>(cluster_.claimants())) {
    cluster_.set_claims(id, {});
    Job& job = cluster_.mutable_job(id);
    job.others_left_for_it = job.others_are_leaving = job.claims_are_restored = false;
    mark_dirty(id);
  }
  leaving_for_.clear();
  for (std::size_t t = 0; t < cluster_.task_slots(); ++t) {
    const Task& task = cluster_.task(TaskId(t));
    if (task.status != TaskStatus::binding) continue;
    mark_dirty(task.job);
    cluster_.move_task(TaskId(t), NodeId(), TaskStatus::pending);
  }
}

TaskId Mirror::find_task(const std::string& uid) const { return value_or(task_by_uid_, uid); }

JobId Mirror::find_group(const std::string& full_name) const {
  const auto found = groups_.find(full_name);
  return found == groups_.end() ? JobId() : found->second.job;
}

std::vector<JobId> Mirror::take_phase_changes() { return std::exchange(phase_changes_, {}); }

// --- nodes ------------------------------------------------------------------------------------

namespace {

bool same_spec(const NodeObject& left, const NodeObject& right) {
  return left.labels == right.labels && left.taints == right.taints &&
         left.unschedulable == right.unschedulable && left.allocatable == right.allocatable;
}

}  // namespace

Node Mirror::to_node(const NodeObject& object) {
  std::vector<std::pair<std::uint64_t, std::string>> vetoed;
  if (const auto found = vetoes_.find(object.name); found != vetoes_.end()) {
    for (const auto& [shape, veto] : found->second) {
      if (veto.is_in_force) vetoed.emplace_back(shape, veto.why);
    }
  }
  return Node{.name = object.name,
              .uid = object.uid,
              .labels = object.labels,
              .taints = object.taints,
              .is_unschedulable = object.unschedulable,
              .allocatable = cluster_.intern_resources(object.allocatable),
              .vetoed = std::move(vetoed),
              .lock = resolved_lock(object.name),
              .queue_lock = resolved_queue_lock(object.name),
              .tasks = {}};
}

void Mirror::on(const NodeObject& object) {
  const auto [entry, is_new] = nodes_.try_emplace(object.name, object);
  cluster_.set_images(object.name, object.images);
  entry->second.images = {};  // the cluster has them
  read_lock(object, is_new);
  read_queue_lock(object, is_new);
  if (is_new || entry->second.labels != object.labels) note_place(object);
  if (is_new) {
    note_specification(object.name);
    nodes_changed_ = true;
    return;
  }
  const bool same = same_spec(entry->second, object);
  if (!same) note_specification(object.name);
  entry->second = object;
  entry->second.images = {};
  // A status heartbeat changes nothing that we plan with.
  if (same || nodes_changed_) return;
  cluster_.update_node(cluster_.find_node(object.name), to_node(object));
}

void Mirror::on(const NodeDeleted& deleted) {
  vetoes_.erase(deleted.name);
  changed_nodes_.erase(deleted.name);
  if (locks_.erase(deleted.name) > 0) locks_changed_ = true;
  queue_locks_.erase(deleted.name);
  cluster_.set_images(deleted.name, {});
  if (nodes_.erase(deleted.name) == 0) return;
  nodes_changed_ = true;
  cluster_.mutable_topologies().erase_node(deleted.name);
  topologies_changed_ = true;
}

void Mirror::refresh_node(const std::string& name) {
  const auto found = nodes_.find(name);
  if (found == nodes_.end() || nodes_changed_) return;  // settle() makes it anew
  cluster_.update_node(cluster_.find_node(name), to_node(found->second));
}

void Mirror::rebuild_nodes() {
  nodes_changed_ = false;
  for (std::size_t n = 0; n < cluster_.node_count(); ++n) {
    const Node& node = cluster_.node(NodeId(n));
    if (nodes_.contains(node.name)) continue;
    for (const TaskId id : std::vector<TaskId>(node.tasks)) lose_node(id, node.name);
  }
  std::vector<Node> nodes;
  nodes.reserve(nodes_.size());
  for (const auto& [name, object] : nodes_) nodes.push_back(to_node(object));
  for (const JobId id : cluster_.claimants()) mark_dirty(id);  // some may lose their node
  cluster_.replace_nodes(std::move(nodes));

  for (auto waiting = node_of_waiting_.begin(); waiting != node_of_waiting_.end();) {
    const NodeId node = cluster_.find_node(waiting->second);
    if (!node.is_valid()) {
      ++waiting;
      continue;
    }
    const TaskId id = find_task(waiting->first);
    cluster_.move_task(id, node, cluster_.task(id).status);
    waiting = node_of_waiting_.erase(waiting);
  }
}

void Mirror::lose_node(TaskId id, const std::string& name) {
  const Task& task = cluster_.task(id);
  if (task.job.is_valid()) mark_dirty(task.job);
  if (task.status == TaskStatus::binding) {
    // Only planned, so the next session plans it again.
    cluster_.move_task(id, NodeId(), TaskStatus::pending);
    return;
  }
  node_of_waiting_[task.uid] = name;
  cluster_.move_task(id, NodeId(), task.status);
}

}  // namespace berth::mirror
