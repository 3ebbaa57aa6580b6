#include "reconcile/owned_groups.h"

#include <utility>

#include "berth/base/look_up.h"
#include "reconcile/reservation_marks.h"

namespace berth::reconcile {

namespace {

using WriteResult = ports::WriteOutcome::Result;
using Verb = ports::GroupSpec::Verb;

constexpr Duration kRefusedFor = std::chrono::minutes(1);
constexpr std::size_t kPodsNotified = 5;
constexpr std::size_t kAdvisedMost = 1000;  // of a namespace

ports::ObjectRef ref_of_new(const OwnedGroup& group) {
  return {ports::ObjectKind::pod_group, group.name_space, group.name,
          ports::kToBeMade + group.full_name()};
}

}  // namespace

void OwnedGroups::observe(const ClusterEvent& event) {
  if (const auto* group = std::get_if<PodGroupObject>(&event)) {
    const std::string name = group->full_name();
    unseen_.erase(name);
    failed_.erase(name);
    changed_.insert(name);
  } else if (const auto* gone = std::get_if<PodGroupDeleted>(&event)) {
    unseen_.erase(gone->full_name);
    changed_.insert(gone->full_name);
  }
}

void OwnedGroups::stop_leading() {
  unseen_.clear();
  failed_.clear();
  advised_.clear();
}

void OwnedGroups::reconcile(const Groups& groups, TimePoint now) {
  std::erase_if(changed_,
                [&](const std::string& name) { return reconcile_group(name, groups, now); });
}

// True when nothing is left to be done for it. OWNED-11, OWNED-12, OWNED-13.
bool OwnedGroups::reconcile_group(const std::string& name, const Groups& groups, TimePoint now) {
  const auto found = groups.find(name);
  if (found == groups.end()) {
    unseen_.erase(name);
    failed_.erase(name);
    return true;
  }
  const OwnedGroup& group = found->second;
  const ObservedGroup* observed = observed_.group(name);
  if (observed == nullptr) {
    if (group.is_left || !group.is_live) return true;
    write(ref_of_new(group), {Verb::make, group.owner, group.min_member, group.queue}, now);
    return false;
  }
  if (!observed->is_made_by_berth) return true;
  if (group.is_left) {
    write(observed->ref, {Verb::remove, {}, 1, {}}, now);
    return false;
  }
  const bool is_alike =
      observed->status.min_member == group.min_member && observed->queue == group.queue;
  if (is_alike) {
    writes_.settle(observed->ref, Aspect::group_spec);
    return true;
  }
  write(observed->ref, {Verb::change, {}, group.min_member, group.queue}, now);
  return false;
}

void OwnedGroups::write(const ports::ObjectRef& object, ports::GroupSpec wanted, TimePoint now) {
  const auto last = unseen_.find(object.full_name());
  const bool is_written = last != unseen_.end() && last->second.wanted == wanted;
  if (is_written && now < last->second.until) return;
  if (!writes_.may_begin(object, Aspect::group_spec, now)) return;
  if (is_written && last->second.is_done) writes_.doubt_watches(now);
  unseen_[object.full_name()] = {wanted, now + kSeenWithin};
  writes_.begin(object, std::move(wanted), now);
}

void OwnedGroups::take(const Ended& ended, TimePoint now) {
  if (aspect_of(ended.write.content) != Aspect::group_spec) return;
  const auto unseen = unseen_.find(ended.write.object.full_name());
  if (ended.is(WriteResult::done)) {
    if (unseen != unseen_.end()) unseen->second.is_done = true;
    return;
  }
  if (unseen != unseen_.end()) {
    if (ended.is(WriteResult::refused)) {
      unseen->second.until = now + kRefusedFor;
    } else {
      unseen_.erase(unseen);  // as soon as the back-off allows
    }
  }
  if (ended.is(WriteResult::forbidden) || ended.is(WriteResult::refused))
    announce_failure(ended, now);
}

// OWNED-14
void OwnedGroups::announce_failure(const Ended& ended, TimePoint now) {
  const ports::ObjectRef& group = ended.write.object;
  const auto& spec = std::get<ports::GroupSpec>(ended.write.content);
  if (spec.verb != Verb::make || !failed_.insert(group.full_name()).second) return;
  const ports::Event event{
      true, "PodGroupNotMade",
      "its pods are a gang of " + std::to_string(spec.min_member) +
          " and wait, because Berth cannot make their PodGroup: " + ended.outcome.error};
  events_.publish(ref_of(spec.owner, group.name_space), event, now);
  std::map<std::string, ports::ObjectRef> pods;  // by name
  for (const auto& [uid, pod] : observed_.pods()) {
    if (pod.group != group.name || pod.ref.name_space != group.name_space) continue;
    pods.emplace(pod.ref.name, pod.ref);
    if (pods.size() > kPodsNotified) pods.erase(std::prev(pods.end()));
  }
  for (const auto& [name, pod] : pods) events_.publish(pod, event, now);
}

// OWNED-9
void OwnedGroups::advise(const OwnerReference& owner, const Job& job, TimePoint now) {
  const std::string name_space = job.name.substr(0, job.name.find('/'));
  Advised& advised = advised_[name_space];
  if (advised.size() >= kAdvisedMost || !advised.emplace(owner.uid, owner.name).second) return;
  events_.publish(ref_of(owner, name_space), {false, "PlannedOneByOne", job.gang_advice}, now);
  events_.log(job.gang_advice);
}

// Users write any uid into ownerReferences, so an owner may never be seen, nor its end.
void OwnedGroups::forget_advice(const std::string& name_space, const std::string& uid,
                                const std::string& name) {
  erase_from(advised_, name_space, std::pair(uid, name));
}

}  // namespace berth::reconcile
