#include "mirror/target_names.h"

#include <algorithm>

namespace berth::mirror {

void TargetNames::note_pod(JobId job, const PodObject& object) {
  const TargetMarks& marks = object.marks;
  forget_pod(job, object.uid);
  if (!marks.is_named && !marks.is_declined && object.owner_uid.empty()) return;
  Words& words = jobs_[job];
  if (marks.is_named) words.naming.by_pods.insert(object.uid);
  if (marks.is_declined) words.declining.by_pods.insert(object.uid);
  if (!object.owner_uid.empty()) words.owners_of_pods.insert(object.owner_uid);
}

void TargetNames::forget_pod(JobId job, const std::string& uid) {
  const auto found = jobs_.find(job);
  if (found == jobs_.end()) return;
  found->second.naming.by_pods.erase(uid);
  found->second.declining.by_pods.erase(uid);
}

void TargetNames::note_group(JobId job, const PodGroupObject& object) {
  Words& words = jobs_[job];
  words.naming.by_group = object.marks.is_named;
  words.declining.by_group = object.marks.is_declined;
  words.owner_of_group = object.owner_uid;
}

std::vector<JobId> TargetNames::note_owner(const OwnerObject& object) {
  const auto note = [&object](Owners& owners, bool is_listed) {
    return is_listed ? owners.insert(object.uid).second : owners.erase(object.uid) > 0;
  };
  const bool is_naming_new = note(naming_owners_, object.names_target);
  const bool is_declining_new = note(declining_owners_, object.declines_target);
  std::vector<JobId> concerned;
  if (!is_naming_new && !is_declining_new) return concerned;
  for (const auto& [job, words] : jobs_) {
    if (words.owner_of_group == object.uid || words.owners_of_pods.contains(object.uid)) {
      concerned.push_back(job);
    }
  }
  return concerned;
}

bool TargetNames::is_listed(JobId job, Sources Words::*sources, const Owners& owners) const {
  const auto found = jobs_.find(job);
  if (found == jobs_.end()) return false;
  const Words& words = found->second;
  return (words.*sources).by_group || !(words.*sources).by_pods.empty() ||
         owners.contains(words.owner_of_group) ||
         std::any_of(words.owners_of_pods.begin(), words.owners_of_pods.end(),
                     [&](const std::string& owner) { return owners.contains(owner); });
}

}  // namespace berth::mirror
