#include "mirror/job_deadlines.h"

#include "berth/base/look_up.h"

namespace berth::mirror {

namespace {

// Of those that have one.
bool may_have_deadline(const OwnerReference& owner) {
  return owner.group() == "batch" || owner.group() == "kubeflow.org";
}

}  // namespace

void JobDeadlines::note_pod(TaskId task, const PodObject& object) {
  const auto known = controlled_.find(task);
  if (known != controlled_.end()) {
    const auto& [owner, name_space] = known->second;
    if (owner == object.owner.uid && name_space == object.name_space) return;
    forget_pod(task);
  }
  if (object.owner.is_none() || !may_have_deadline(object.owner)) return;
  controlled_[task] = {object.owner.uid, object.name_space};
  tasks_of_owner_[object.owner.uid].insert(task);
}

void JobDeadlines::forget_pod(TaskId task) {
  const auto known = controlled_.find(task);
  if (known == controlled_.end()) return;
  erase_from(tasks_of_owner_, known->second.owner, task);
  controlled_.erase(known);
}

std::optional<JobDeadline> JobDeadlines::of(TaskId task) const {
  const auto known = controlled_.find(task);
  if (known == controlled_.end()) return std::nullopt;
  const auto owner = owners_.find(known->second.owner);
  if (owner == owners_.end() || owner->second.name_space != known->second.name_space) {
    return std::nullopt;
  }
  return owner->second.deadline;
}

std::set<TaskId> JobDeadlines::note_owner(const OwnerObject& object) {
  if (!object.deadline) return forget_owner(object.uid);
  const Owner now{object.name_space, *object.deadline};
  const auto [known, is_new] = owners_.try_emplace(object.uid, now);
  if (!is_new && known->second == now) return {};
  known->second = now;
  return value_or(tasks_of_owner_, object.uid);
}

std::set<TaskId> JobDeadlines::forget_owner(const std::string& uid) {
  return owners_.erase(uid) > 0 ? value_or(tasks_of_owner_, uid) : std::set<TaskId>();
}

}  // namespace berth::mirror
