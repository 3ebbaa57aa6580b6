#include "mirror/target_names.h"

#include <algorithm>

namespace berth::mirror {

void TargetNames::note_pod(JobId job, const PodObject& object) {
  if (!object.marks.is_named) forget_pod(job, object.uid);
  if (!object.marks.is_named && object.owner_uid.empty()) return;
  Said& said = jobs_[job];
  if (object.marks.is_named) said.by_pods.insert(object.uid);
  if (!object.owner_uid.empty()) said.owners_of_pods.insert(object.owner_uid);
}

void TargetNames::forget_pod(JobId job, const std::string& uid) {
  if (const auto found = jobs_.find(job); found != jobs_.end()) found->second.by_pods.erase(uid);
}

void TargetNames::note_group(JobId job, const PodGroupObject& object) {
  Said& said = jobs_[job];
  said.by_group = object.marks.is_named;
  said.owner_of_group = object.owner_uid;
}

std::vector<JobId> TargetNames::note_owner(const std::string& uid, bool names_target) {
  const bool is_news = names_target ? naming_owners_.insert(uid).second : naming_owners_.erase(uid);
  std::vector<JobId> concerned;
  if (!is_news) return concerned;
  for (const auto& [job, said] : jobs_) {
    if (said.owner_of_group == uid || said.owners_of_pods.contains(uid)) concerned.push_back(job);
  }
  return concerned;
}

bool TargetNames::is_named(JobId job) const {
  const auto found = jobs_.find(job);
  if (found == jobs_.end()) return false;
  const Said& said = found->second;
  return said.by_group || !said.by_pods.empty() || naming_owners_.contains(said.owner_of_group) ||
         std::any_of(said.owners_of_pods.begin(), said.owners_of_pods.end(),
                     [&](const std::string& owner) { return naming_owners_.contains(owner); });
}

}  // namespace berth::mirror
