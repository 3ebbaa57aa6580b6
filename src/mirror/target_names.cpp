#include "mirror/target_names.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "berth/base/look_up.h"

namespace berth::mirror {

namespace {

// The queues that the pod itself names, not those of the objects above it.
TargetWord word_of(const PodObject& object) {
  TargetWord word{object.created, {}};
  for (const std::string* queue : {&object.own_queue, &object.local_queue}) {
    if (!queue->empty()) word.queues.push_back(*queue);
  }
  if (word.queues.empty()) word.queues.emplace_back();
  word.controller = object.owner;
  return word;
}

// Those of deploy/admission/permissions/reserve.yaml.
bool is_known_group(std::string_view group) {
  constexpr std::array<std::string_view, 10> kGroups{"apps",
                                                     "batch",
                                                     "batch.volcano.sh",
                                                     "jobset.x-k8s.io",
                                                     "kubeflow.org",
                                                     "ray.io",
                                                     "leaderworkerset.x-k8s.io",
                                                     "scheduling.k8s.io",
                                                     "sparkoperator.k8s.io",
                                                     "trainer.kubeflow.org"};
  return is_any_of(group, kGroups);
}

}  // namespace

void TargetNames::note_pod(JobId job, const PodObject& object) {
  const TargetMarks& marks = object.marks;
  forget_pod(job, object.uid);
  if (!marks.is_named && !marks.is_declined && object.owner.is_none()) return;
  Words& words = jobs_[job];
  words.name_space = object.name_space;
  const TargetWord word = word_of(object);
  if (marks.is_named) words.naming.by_pods.emplace(object.uid, word);
  if (marks.is_declined) words.declining.by_pods.emplace(object.uid, word);
  if (object.owner.is_none()) return;
  words.owners_of_pods.insert(object.owner.uid);
  jobs_of_owner_[object.owner.uid].insert(job);
}

void TargetNames::forget_pod(JobId job, const std::string& uid) {
  const auto found = jobs_.find(job);
  if (found == jobs_.end()) return;
  found->second.naming.by_pods.erase(uid);
  found->second.declining.by_pods.erase(uid);
}

void TargetNames::note_group(JobId job, const PodGroupObject& object) {
  Words& words = jobs_[job];
  words.name_space = object.name_space;
  const TargetWord word{object.created, {object.queue}};
  words.naming.by_group.reset();
  words.declining.by_group.reset();
  if (object.marks.is_named) words.naming.by_group = word;
  if (object.marks.is_declined) words.declining.by_group = word;
  const std::string before = std::exchange(words.owner_of_group, object.owner_uid);
  if (before != object.owner_uid && !words.owners_of_pods.contains(before)) {
    erase_from(jobs_of_owner_, before, job);
  }
  if (!object.owner_uid.empty()) jobs_of_owner_[object.owner_uid].insert(job);
}

void TargetNames::forget_job(JobId job) {
  for (const std::string& owner : owners_of(job)) erase_from(jobs_of_owner_, owner, job);
  jobs_.erase(job);
}

std::vector<JobId> TargetNames::note_owner(const OwnerObject& object) {
  const TargetWord word{object.created, object.queues, is_known_group(object.self.group()),
                        object.name_space, object.controller};
  const auto note = [&](Owners& owners, bool is_listed) {
    if (!is_listed) return owners.erase(object.uid) > 0;
    const auto [entry, is_first] = owners.try_emplace(object.uid, word);
    const bool is_other = is_first || entry->second != word;
    entry->second = word;
    return is_other;
  };
  const bool is_naming_new = note(naming_owners_, object.names_target);
  const bool is_declining_new = note(declining_owners_, object.declines_target);
  if (!is_naming_new && !is_declining_new) return {};
  return jobs_of({object.uid});
}

std::set<std::string> TargetNames::owners_of(JobId job) const {
  const auto found = jobs_.find(job);
  if (found == jobs_.end()) return {};
  std::set<std::string> owners = found->second.owners_of_pods;
  owners.insert(found->second.owner_of_group);
  return owners;
}

std::vector<JobId> TargetNames::jobs_of(const std::set<std::string>& owners) const {
  std::set<JobId> jobs;
  for (const std::string& owner : owners) {
    const auto found = jobs_of_owner_.find(owner);
    if (found != jobs_of_owner_.end()) jobs.insert(found->second.begin(), found->second.end());
  }
  return {jobs.begin(), jobs.end()};
}

// A user writes any uid into ownerReferences. An owner is in the namespace of what it controls.
const TargetWord* TargetNames::word_for(const Words& words, const std::string& owner,
                                        const Owners& owners) {
  const auto found = owners.find(owner);
  const bool is_there = found != owners.end() && found->second.name_space == words.name_space;
  return is_there ? &found->second : nullptr;
}

bool TargetNames::is_listed(JobId job, Sources Words::*sources, const Owners& owners) const {
  const auto found = jobs_.find(job);
  if (found == jobs_.end()) return false;
  const Words& words = found->second;
  return (words.*sources).by_group.has_value() || !(words.*sources).by_pods.empty() ||
         word_for(words, words.owner_of_group, owners) != nullptr ||
         std::any_of(
             words.owners_of_pods.begin(), words.owners_of_pods.end(),
             [&](const std::string& owner) { return word_for(words, owner, owners) != nullptr; });
}

bool TargetNames::is_named_by(JobId job,
                              const std::function<bool(const TargetWord&)>& counts) const {
  const auto found = jobs_.find(job);
  if (found == jobs_.end()) return false;
  const Words& words = found->second;
  if (words.naming.by_group && counts(*words.naming.by_group)) return true;
  const auto& pods = words.naming.by_pods;
  if (std::any_of(pods.begin(), pods.end(), [&](const auto& pod) { return counts(pod.second); })) {
    return true;
  }
  const std::set<std::string> owners = owners_of(job);
  return std::any_of(owners.begin(), owners.end(), [&](const std::string& owner) {
    const TargetWord* const word = word_for(found->second, owner, naming_owners_);
    return word != nullptr && counts(*word);
  });
}

}  // namespace berth::mirror
