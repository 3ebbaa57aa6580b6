#include <utility>

#include "berth/base/look_up.h"
#include "mirror/mirror.h"

// The owner of a group is decided from all facts together, so that it does not depend on their
// order.

namespace berth::mirror {

void Mirror::note_others_pod(const PodObject& object) {
  if (object.group.empty()) return forget_others_pod(object.uid);
  const std::string name = object.name_space + "/" + object.group;
  std::string& group = group_of_others_pod_[object.uid];
  if (group == name) return;
  if (!group.empty()) forget_others_pod(object.uid);
  group_of_others_pod_[object.uid] = name;
  others_pods_[name].insert(object.uid);
  mark_group_dirty(name);
}

void Mirror::forget_others_pod(const std::string& uid) {
  const auto found = group_of_others_pod_.find(uid);
  if (found == group_of_others_pod_.end()) return;
  mark_group_dirty(found->second);
  erase_from(others_pods_, found->second, uid);
  group_of_others_pod_.erase(found);
}

void Mirror::mark_group_dirty(const std::string& full_name) {
  if (const JobId id = find_group(full_name); id.is_valid()) mark_dirty(id);
}

void Mirror::note_queue_scheduler(const std::string& queue, const std::string& scheduler) {
  if (value_or(queue_scheduler_, queue) == scheduler) return;
  put_or_erase(queue_scheduler_, queue, scheduler, !scheduler.empty());
  for (const auto& [name, group] : groups_) {
    if (cluster_.job(group.job).queue_name == queue) mark_dirty(group.job);
  }
}

GroupEvidence Mirror::evidence_of(const Group& group) const {
  const Job& job = cluster_.job(group.job);
  GroupEvidence evidence;
  evidence.has_our_pods = !job.tasks.empty();
  evidence.had_our_pods = group.had_our_pods;
  evidence.has_others_pods = others_pods_.contains(job.name);
  evidence.scheduler = group.object.scheduler;
  evidence.queue_scheduler = value_or(queue_scheduler_, job.queue_name);
  evidence.bears_our_marks = group.object.marks != TargetMarks();
  evidence.is_volcano = group.object.api == GroupApi::volcano;
  return evidence;
}

void Mirror::settle_owner(JobId id) {
  const Job& job = cluster_.job(id);
  if (job.is_single) return;
  const auto found = groups_.find(job.name);
  if (found == groups_.end()) return;
  Group& group = found->second;
  group.had_our_pods = group.had_our_pods || !job.tasks.empty();
  const GroupOwner owner = owner_of(evidence_of(group), options_.managed_schedulers);
  if (owner != job.owner) change_hands(group, owner);
}

// A group that becomes ours takes its state from the API, like a new one. A group that is no longer
// ours loses all state that we gave it.
void Mirror::change_hands(Group& group, GroupOwner owner) {
  const JobId id = group.job;
  const bool was_ours = cluster_.job(id).is_ours();
  Job& job = cluster_.mutable_job(id);
  job.owner = owner;
  if (job.is_ours() == was_ours) return;
  forget_waiting(id);
  job.is_whole = false;
  job.admitted_at.reset();
  job.returned_at.reset();
  cluster_.set_claims(id, {});
  if (job.election) {
    cluster_.set_election(id, std::nullopt);
    locks_changed_ = true;
  }
  if (group.has_object) cluster_.set_phase(id, group.object.phase);
  assign_queue(id);
  if (group.has_object) read_marks(id, group.object.marks, true);
}

}  // namespace berth::mirror
