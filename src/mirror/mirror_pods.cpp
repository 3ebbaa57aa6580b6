#include <algorithm>
#include <utility>

#include "berth/base/look_up.h"
#include "berth/model/bounds.h"
#include "mirror/mirror.h"

// Pods become tasks: their job, their request, their node.

namespace berth::mirror {

namespace {

bool has_foreign_gate(const PodObject& object) {
  return std::any_of(object.gates.begin(), object.gates.end(),
                     [](const std::string& gate) { return gate != kPlanGate; });
}

bool is_critical(const PodObject& object) {
  return object.name_space == "kube-system" || object.priority_class == "system-node-critical" ||
         object.priority_class == "system-cluster-critical";
}

bool is_of_node(const PodObject& object) { return object.is_daemon || is_critical(object); }

// Terminating pods count on their node until they are gone; finished ones do not.
TaskStatus status_of(const PodObject& object, TaskStatus before) {
  if (object.phase == PodPhase::succeeded) return TaskStatus::succeeded;
  if (object.phase == PodPhase::failed) return TaskStatus::failed;
  if (object.terminating) return TaskStatus::releasing;
  if (object.node_name.empty()) {
    return before == TaskStatus::binding ? TaskStatus::binding : TaskStatus::pending;
  }
  return object.phase == PodPhase::pending ? TaskStatus::bound : TaskStatus::running;
}

// TERM-3
TimePoint scheduled_at(const PodObject& object, TimePoint before) {
  if (object.node_name.empty()) return TimePoint::min();
  return object.scheduled.value_or(object.started.value_or(before));
}

bool has_node(TaskStatus status) {
  return is_on_its_node(status) || status == TaskStatus::releasing;
}

}  // namespace

void Mirror::take(const PodObject& whole) {
  const auto& managed = options_.managed_schedulers;
  const bool is_ours = is_any_of(whole.scheduler_name, managed);
  const bool takes_room = !whole.node_name.empty() && !whole.has_ended();
  if (is_ours) {
    forget_others_pod(whole.uid);
  } else {
    note_others_pod(whole);
  }
  if (!is_ours && !takes_room) return drop_task(whole.uid);

  const PodObject& object = relation_bounds_.admitted(whole);  // BOUND-3
  TaskId id = find_task(object.uid);
  bool hangs = id.is_valid() && cluster_.task(id).hangs;
  if (hangs && object.has_ended()) hangs = cluster_.mutable_task(id).hangs = false;
  const bool has_job = is_ours && !hangs;
  if (!id.is_valid()) {
    Task task;
    task.name = object.full_name();
    task.uid = object.uid;
    task.labels = cluster_.take_labels(object.name_space, object.labels);
    task.shape = shape_of(TaskId(), object, task.labels);
    id = cluster_.add_task(std::move(task));
    task_by_uid_.emplace(object.uid, id);
    cluster_.mutable_volumes().add_pod(id, object.name_space, object.uid, object.volumes);
  } else {
    cluster_.set_labels(id, object.labels);
  }
  set_members(id, object, has_job ? job_of(object) : JobId());
  note_times(id, object);
  job_deadlines_.note_pod(id, object);
  note_deadline(id);
  note_account(id, object);
  topology_wishes_.note(id, cluster_.task(id).job, object.topology);
  if (has_job) target_names_.note_pod(cluster_.task(id).job, object);
  place(id, object);
  if (const JobId job = cluster_.task(id).job; job.is_valid()) mark_dirty(job);
}

ShapeId Mirror::shape_of(TaskId id, const PodObject& object, LabelSetId labels) {
  if (object.volumes.are_empty() || !id.is_valid()) {
    if (const ShapeId last = last_shape_.of(cluster_, object); last.is_valid()) return last;
    const ShapeId shape =
        cluster_.intern_shape(object.request, object.constraints, object.name_space, labels);
    last_shape_.note(cluster_, object, shape);
    return shape;
  }
  // As Cluster::set_constraints has it: amounts that count, by name.
  NamedAmounts amounts;
  for (const auto& [name, amount] : object.request) {
    if (amount > 0) amounts.emplace(name, std::min(amount, kAmountMax));
  }
  Constraints constraints = object.constraints;
  fill_volumes(id, object.full_name(), !object.node_name.empty(), constraints.volumes,
               constraints.unmodelled);
  return cluster_.intern_shape(amounts, constraints, object.name_space, labels);
}

// Nobody waits for the room of such a pod. Our own pods belong to jobs, and all count as ending.
bool Mirror::never_leaves(const PodObject& object, JobId job) {
  return is_of_node(object) || (!job.is_valid() && object.runs_forever);
}

void Mirror::set_members(TaskId id, const PodObject& object, JobId job) {
  const ShapeId shape = shape_of(id, object, cluster_.task(id).labels);
  const Task before = cluster_.task(id);
  const bool gated = has_foreign_gate(object);
  const bool never_leaves = Mirror::never_leaves(object, job) && !cluster_.task(id).hangs;
  const auto role_of = [&] {
    return job.is_valid() && !object.role.empty() ? role_index(job, object.role) : kNoRole;
  };
  std::uint16_t role = role_of();

  const bool stays = before.job == job && before.shape == shape && before.is_gated == gated &&
                     before.role == role && before.index == object.index &&
                     before.created == object.created && before.never_leaves == never_leaves &&
                     before.runs_forever == object.runs_forever &&
                     before.is_of_node == is_of_node(object);
  // A task must leave an account with the same values that it had on entering.
  if (!stays) {
    cluster_.move_task(id, NodeId(), TaskStatus::pending);
    if (before.job.is_valid()) cluster_.leave_job(id);
    if (before.job.is_valid()) target_names_.forget_pod(before.job, object.uid);
    role = role_of();  // with the task, an unused role has left
  }
  note_terms(id, job, object.eviction);
  const auto [priority, never_preempts] = resolve_priority(id, object);
  const TimePoint since = scheduled_at(object, before.scheduled_at);
  if (since == TimePoint::min() && job.is_valid() && !object.node_name.empty()) {
    without_time_.push_back(id);
  }
  if (stays && before.priority == priority && before.never_preempts == never_preempts &&
      before.scheduled_at == since && before.is_critical == is_critical(object)) {
    return;  // no change for planning
  }
  if (!stays) cluster_.set_shape(id, shape);
  Task& task = cluster_.mutable_task(id);
  task.is_gated = gated;
  task.role = role;
  task.index = object.index;
  task.created = object.created;
  task.priority = priority;
  task.never_preempts = never_preempts;
  task.scheduled_at = since;
  task.is_critical = is_critical(object);
  task.is_of_node = is_of_node(object);
  task.never_leaves = never_leaves;
  task.runs_forever = object.runs_forever;
  if (stays) return;
  if (job.is_valid()) cluster_.join_job(id, job);
  cluster_.move_task(id, before.node, before.status);
  if (job.is_valid()) hasten(job, true);
  if (before.job.is_valid() && before.job != job) drop_job_if_empty(before.job);
}

// TIME-1, TIME-4
void Mirror::note_times(TaskId id, const PodObject& object) {
  const TimePoint started =
      object.started ? std::max(*object.started, TimePoint()) : TimePoint::min();
  const Task& before = cluster_.task(id);
  if (before.times == object.times && before.started == started) return;
  Task& task = cluster_.mutable_task(id);
  task.times = object.times;
  task.started = started;
}

// TIME-7
void Mirror::note_deadline(TaskId id) {
  const std::optional<JobDeadline> deadline = job_deadlines_.of(id);
  if (cluster_.task(id).job_deadline == deadline) return;
  cluster_.mutable_task(id).job_deadline = deadline;
  if (const JobId job = cluster_.task(id).job; job.is_valid()) mark_dirty(job);
}

// TERM-3. Pods whose objects say no time.
void Mirror::settle_times(TimePoint now) {
  for (const TaskId id : std::exchange(without_time_, {})) {
    const Task& task = cluster_.task(id);
    const bool lacks_it = has_node(task.status) && task.scheduled_at == TimePoint::min();
    if (lacks_it && task.job.is_valid()) cluster_.mutable_task(id).scheduled_at = now;
  }
}

// TERM-4. Admission writes both on a pod. Otherwise its class counts.
Mirror::Rank Mirror::resolve_priority(TaskId id, const PodObject& object) {
  if (object.priority) {
    class_of_task_.erase(id);
    return {*object.priority, object.never_preempts};
  }
  class_of_task_[id] = {object.priority_class, object.never_preempts};
  return rank_of(class_of_task_[id]);
}

void Mirror::place(TaskId id, const PodObject& object) {
  const Task& task = cluster_.task(id);
  TaskStatus status = note_status(id, status_of(object, task.status));
  if (task.hangs) status = TaskStatus::running;
  NodeId node = cluster_.find_node(object.node_name);
  if (status == TaskStatus::binding) node = task.node;
  if (status == TaskStatus::succeeded || status == TaskStatus::failed) node = NodeId();

  node_of_waiting_.erase(object.uid);
  // Node ids are about to change with the nodes; names find their nodes afterwards.
  const bool unknown = !object.node_name.empty() && !object.has_ended() && !node.is_valid();
  if (unknown) node_of_waiting_[object.uid] = object.node_name;
  if (task.status == status && task.node == node) return;
  const bool was_there = occupies_node(task.status) && task.status != TaskStatus::binding;
  const bool is_there = occupies_node(status) && status != TaskStatus::binding;
  if (was_there && !is_there && task.node.is_valid()) note_room(task.node);
  if (is_there && !was_there && task.job.is_valid()) note_bound(task.job);
  if (status == TaskStatus::releasing) just_leaving_.push_back(id);
  cluster_.move_task(id, node, status);
}

void Mirror::on(const PodDeleted& deleted) {
  forget_others_pod(deleted.uid);
  drop_task(deleted.uid);
}

void Mirror::drop_task(const std::string& uid) {
  const auto found = task_by_uid_.find(uid);
  if (found == task_by_uid_.end()) return;
  relation_bounds_.forget(uid);
  const TaskId id = found->second;
  const JobId job = cluster_.task(id).job;
  task_by_uid_.erase(found);
  node_of_waiting_.erase(uid);
  class_of_task_.erase(id);
  evictions_.erase(id);
  leaving_for_.erase(id);
  leaving_since_.erase(id);
  refusals_.erase(id);
  terms_.erase(id);
  account_of_task_.erase(id);
  topology_wishes_.note(id, JobId(), {});
  default_spreads_.forget(id);
  job_deadlines_.forget_pod(id);
  const Task& task = cluster_.task(id);
  if (task.node.is_valid() && task.status != TaskStatus::binding) note_room(task.node);
  cluster_.remove_task(id);
  cluster_.mutable_volumes().remove_pod(id);
  if (!job.is_valid()) return;
  hasten(job, true);
  target_names_.forget_pod(job, uid);
  mark_dirty(job);
  drop_job_if_empty(job);
}

void Mirror::on(const PlacementDropped& dropped) {
  const TaskId id = find_task(dropped.pod_uid);
  if (!id.is_valid()) return;
  const Task& task = cluster_.task(id);
  if (task.status != TaskStatus::binding || cluster_.node(task.node).name != dropped.node) return;
  cluster_.move_task(id, NodeId(), TaskStatus::pending);
  mark_dirty(task.job);
}

void Mirror::on(const PlacementMoved& moved) {
  const TaskId id = find_task(moved.pod_uid);
  if (!id.is_valid()) return;
  const Task& task = cluster_.task(id);
  if (task.status != TaskStatus::binding || cluster_.node(task.node).name != moved.from) return;
  const NodeId to = cluster_.find_node(moved.to);
  cluster_.move_task(id, to, to.is_valid() ? TaskStatus::binding : TaskStatus::pending);
  mark_dirty(task.job);
}

JobId Mirror::job_of(const PodObject& object) {
  if (object.group.empty()) return single_job_of(object);
  return group_job(object.name_space + "/" + object.group);
}

JobId Mirror::single_job_of(const PodObject& object) {
  const TaskId id = find_task(object.uid);
  if (const JobId known = cluster_.task(id).job;
      known.is_valid() && cluster_.job(known).is_single) {
    cluster_.set_min_resources(known, object.request);
    cluster_.mutable_job(known).waiting_limit = object.waiting_limit;
    cluster_.mutable_job(known).gang_fault = object.gang_fault;
    cluster_.mutable_job(known).gang_advice = object.gang_advice;
    name_queue(known, object.name_space, object.queue);
    note_single(known, object.marks, false);
    return known;
  }
  Job job;
  job.name = object.full_name();
  job.uid = object.uid;
  job.created = object.created;
  job.has_group = true;
  job.is_single = true;
  job.min_available = 1;
  job.waiting_limit = object.waiting_limit;
  job.gang_fault = object.gang_fault;
  job.gang_advice = object.gang_advice;
  const JobId made = cluster_.add_job(std::move(job));
  cluster_.set_min_resources(made, object.request);
  note_single(made, object.marks, true);
  name_queue(made, object.name_space, object.queue);
  return made;
}

std::uint16_t Mirror::role_index(JobId id, const std::string& role) {
  const auto& roles = cluster_.job(id).roles;
  const auto place_of = [&roles](const std::string& name) {
    const auto found = std::find_if(roles.begin(), roles.end(),
                                    [&](const Role& each) { return each.name == name; });
    return static_cast<std::size_t>(found - roles.begin());
  };
  std::size_t place = place_of(role);
  if (place == roles.size()) place = place_of("");  // of a role that is gone
  if (place == bounds::kRolesOfGroup) return kNoRole;
  if (place == roles.size()) cluster_.mutable_job(id).roles.emplace_back();
  if (roles[place].name.empty()) cluster_.mutable_job(id).roles[place].name = role;
  return static_cast<std::uint16_t>(place);
}

void Mirror::drop_job_if_empty(JobId id) {
  const Job& job = cluster_.job(id);
  if (!job.exists || !job.tasks.empty()) return;
  if (!job.is_single) {
    const auto group = groups_.find(job.name);
    if (group == groups_.end() || group->second.has_object) return;
    groups_.erase(group);
  }
  cluster_.set_job_queue(id, QueueId());
  named_queue_.erase(id);
  without_queue_.erase({job.queue_name, id});
  single_marks_.erase(id);
  jobs_with_terms_.erase(id);
  target_names_.forget_job(id);
  rights_.release(id);
  controller_ages_.forget_job(id);
  attempted_.erase(id);
  cluster_.remove_job(id);
}

}  // namespace berth::mirror
