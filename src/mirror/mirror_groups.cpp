#include <algorithm>
#include <limits>

#include "berth/base/look_up.h"
#include "mirror/mirror.h"

// Pod groups become jobs. Queues, priority classes and namespaces decide a job's queue and
// priority.

namespace berth::mirror {

JobId Mirror::group_job(const std::string& full_name) {
  const auto [entry, is_new] = groups_.try_emplace(full_name);
  if (is_new) {
    Job job;
    job.name = full_name;
    job.owner = GroupOwner::unclaimed;  // until settle() knows
    entry->second.job = cluster_.add_job(std::move(job));
    name_queue(entry->second.job, full_name.substr(0, full_name.find('/')), "");
  }
  mark_dirty(entry->second.job);
  return entry->second.job;
}

void Mirror::on(const PodGroupObject& object) {
  const JobId id = group_job(object.full_name());
  Group& group = groups_.at(object.full_name());
  const bool is_another = group.has_object && group.object.uid != object.uid;
  const bool is_first = !group.has_object || is_another;
  // The new object decides its own election; the old object's locks are not its own.
  if (is_another) {
    forget_waiting(id);
    forget_attempts(id);
    locks_changed_ = true;
    group.had_our_pods = false;
    cluster_.set_claims(id, {});
  }
  // Only the leader changes phases. It reads the API's phase once, after a restart.
  const bool is_followed = follows_api_phases_ || !cluster_.job(id).is_ours();
  if (is_first || is_followed) cluster_.set_phase(id, object.phase);
  target_names_.note_group(id, object);
  const PodGroupObject& before = group.object;
  const bool asks_otherwise =
      before.min_member != object.min_member || before.min_task_member != object.min_task_member ||
      before.queue != object.queue || before.priority_class != object.priority_class;
  if (asks_otherwise) hasten(id, true);
  group.has_object = true;
  group.object = object;
  configure_group(group);
  // After the creation time is known: it orders the targets.
  read_marks(id, object.marks, is_first);
}

void Mirror::configure_group(const Group& group) {
  const PodGroupObject& object = group.object;
  cluster_.set_min_resources(group.job, object.min_resources);
  Job& job = cluster_.mutable_job(group.job);
  job.uid = object.uid;
  job.created = object.created;
  job.has_group = true;
  job.api = object.api;
  job.min_available = object.min_member;
  job.waiting_limit = object.waiting_limit;
  job.time_limit = object.time_limit;
  job.fault = object.fault;
  job.waits_for = object.waits_for;
  job.leaves_whole = object.leaves_whole;
  job.never_preempts = object.never_preempts;
  name_queue(group.job, object.name_space, object.queue);
  set_roles(group.job, object.min_task_member);
  if (!object.eviction.are_empty()) jobs_with_terms_.insert(group.job);
  mark_dirty(group.job);
}

void Mirror::on(const PodGroupDeleted& deleted) {
  const auto found = groups_.find(deleted.full_name);
  if (found == groups_.end() || !found->second.has_object) return;
  const JobId id = found->second.job;
  Group& group = found->second;
  // Members may outlive the object. Its spec is forgotten, or the job would need that many members
  // for ever.
  group.has_object = false;
  group.object = PodGroupObject();
  group.object.name_space = deleted.full_name.substr(0, deleted.full_name.find('/'));
  configure_group(group);
  target_names_.note_group(id, group.object);
  forget_waiting(id);
  cluster_.set_claims(id, {});
  Job& job = cluster_.mutable_job(id);
  job.has_group = false;
  job.phase = GroupPhase::pending;
  drop_job_if_empty(id);
}

void Mirror::set_roles(JobId id, const std::map<std::string, std::int32_t>& minimums) {
  for (Role& role : cluster_.mutable_job(id).roles) role.minimum = 0;
  std::int32_t total = 0;
  for (const auto& [name, minimum] : minimums) {
    const std::uint16_t role = role_index(id, name);
    if (role == kNoRole) continue;
    cluster_.mutable_job(id).roles[role].minimum = minimum;
    // Some operators write a number that means "all".
    total = static_cast<std::int32_t>(std::min<std::int64_t>(
        std::int64_t{total} + minimum, std::numeric_limits<std::int32_t>::max()));
  }
  cluster_.mutable_job(id).role_minimum_total = total;
  cluster_.drop_unused_roles(id);
}

const PriorityClassObject* Mirror::class_of_group(const Job& job) const {
  const auto group = groups_.find(job.name);
  if (job.is_single || group == groups_.end() || !group->second.has_object) return nullptr;
  return find_value(classes_, group->second.object.priority_class);
}

// Without pods: that of the cluster's default class.
std::int32_t Mirror::highest_priority_of_pods(const Job& job) const {
  if (job.tasks.empty()) return priority_class_of("").value;
  std::int32_t highest = cluster_.task(job.tasks.front()).priority;
  for (const TaskId id : job.tasks) highest = std::max(highest, cluster_.task(id).priority);
  return highest;
}

PriorityClassObject Mirror::priority_class_of(const std::string& name) const {
  if (const auto named = classes_.find(name); named != classes_.end()) return named->second;
  // The API server allows one default. Among several, the lowest value is the safe choice.
  const PriorityClassObject* lowest = nullptr;
  for (const auto& [each_name, each] : classes_) {
    if (each.global_default && (lowest == nullptr || each.value < lowest->value)) lowest = &each;
  }
  return lowest == nullptr ? PriorityClassObject() : *lowest;
}

Mirror::Rank Mirror::rank_of(const NamedClass& named) const {
  const PriorityClassObject of = priority_class_of(named.name);
  return {of.value, named.never_preempts || of.never_preempts};
}

std::string Mirror::queue_name_for(const std::string& name_space, const std::string& named) const {
  if (!named.empty()) return named;
  return value_or(namespace_queue_, name_space, options_.default_queue);
}

void Mirror::name_queue(JobId id, const std::string& name_space, const std::string& named) {
  put_or_erase(named_queue_, id, named, !named.empty());
  Job& job = cluster_.mutable_job(id);
  without_queue_.erase({job.queue_name, id});
  job.queue_name = queue_name_for(name_space, named);
  assign_queue(id);
}

void Mirror::assign_queue(JobId id) {
  const Job& job = cluster_.job(id);
  const auto found = queues_.find(job.queue_name);
  if (found == queues_.end()) {
    without_queue_.emplace(job.queue_name, id);
  } else {
    without_queue_.erase({job.queue_name, id});
  }
  const bool is_served = job.is_ours() && found != queues_.end();
  cluster_.set_job_queue(id, is_served ? found->second : QueueId());
}

void Mirror::reassign_all() {
  for (const auto& [id, named] : class_of_task_) {
    const Rank rank = rank_of(named);
    cluster_.mutable_task(id).priority = rank.priority;
    cluster_.mutable_task(id).never_preempts = rank.never_preempts;
  }
  for (std::size_t j = 0; j < cluster_.job_slots(); ++j) {
    if (cluster_.job(JobId(j)).exists) assign_queue(JobId(j));
  }
  mark_all_dirty();
}

void Mirror::on(const QueueObject& object) {
  Queue queue;
  static_cast<QueueSpec&>(queue) = object;
  queue.exists = true;
  queue.is_reclaimable = object.reclaimable;
  for (const auto& [name, amount] : object.capability) {
    queue.capability.set(cluster_.intern_dimension(name), amount);
  }
  queue.guarantee =
      cluster_.intern_resources(object.guarantee, std::numeric_limits<std::int64_t>::max());
  for (const std::string& name : object.guarantee_share_of) {
    queue.guarantee_share_of.push_back(cluster_.intern_dimension(name));
  }
  for (const auto& [name, amount] : object.deserved) {
    queue.deserved.set(cluster_.intern_dimension(name), amount);
  }
  note_queue_scheduler(object.name, object.scheduler);

  const auto [entry, is_new] = queues_.try_emplace(object.name);
  if (is_new) {
    entry->second = cluster_.add_queue(std::move(queue));
    locks_changed_ = locks_changed_ || !queue_locks_.empty();
    auto next = without_queue_.lower_bound({object.name, JobId(0)});
    while (next != without_queue_.end() && next->first == object.name) {
      assign_queue((next++)->second);
    }
    return mark_all_dirty();
  }
  const Queue& before = cluster_.queue(entry->second);
  const bool may_bar = before.namespaces != queue.namespaces || before.parent != queue.parent;
  cluster_.update_queue(entry->second, std::move(queue));
  if (may_bar) mark_all_dirty();  // MAY-3
}

void Mirror::on(const QueueDeleted& deleted) {
  const auto found = queues_.find(deleted.name);
  if (found == queues_.end()) return;
  if (deleted.name == options_.default_queue) return on(default_queue());
  const QueueId id = found->second;
  forget_nodes_of(id);
  queues_.erase(found);
  note_queue_scheduler(deleted.name, "");
  for (std::size_t j = 0; j < cluster_.job_slots(); ++j) {
    const Job& job = cluster_.job(JobId(j));
    if (job.exists && job.queue_name == deleted.name) assign_queue(JobId(j));
  }
  mark_all_dirty();
  cluster_.remove_queue(id);
}

void Mirror::on(const PriorityClassObject& object) {
  classes_[object.name] = object;
  reassign_all();
}

void Mirror::on(const PriorityClassDeleted& deleted) {
  if (classes_.erase(deleted.name) > 0) reassign_all();
}

void Mirror::on(const NamespaceObject& object) {
  note_labels_of(object.name, object.labels);
  if (value_or(namespace_queue_, object.name) == object.queue) return;
  put_or_erase(namespace_queue_, object.name, object.queue, !object.queue.empty());
  rename_queues_of(object.name);
}

void Mirror::on(const NamespaceDeleted& deleted) {
  note_labels_of(deleted.name, std::nullopt);
  if (namespace_queue_.erase(deleted.name) > 0) rename_queues_of(deleted.name);
}

void Mirror::rename_queues_of(const std::string& name_space) {
  for (std::size_t j = 0; j < cluster_.job_slots(); ++j) {
    const Job& job = cluster_.job(JobId(j));
    if (!job.exists || !job.name.starts_with(name_space + "/")) continue;
    name_queue(JobId(j), name_space, value_or(named_queue_, JobId(j)));
    mark_dirty(JobId(j));
  }
}

}  // namespace berth::mirror
