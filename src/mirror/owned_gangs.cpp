#include "mirror/owned_gangs.h"

#include "berth/base/look_up.h"

namespace berth::mirror {

namespace {

bool is_over(const PodObject& object) { return object.terminating || object.has_ended(); }

std::string key_of_queue(const std::string& name) { return "Queue " + name; }

// The owner's own word counts, whatever the objects above it say.
bool is_undecided(const Owners::Chain& chain) {
  return !chain.unseen.empty() && (chain.object == nullptr || chain.object->gang.is_none());
}

}  // namespace

OwnedGangs::OwnedGangs(const Options& options) : options_(options), owners_(options.owners) {
  queues_.insert(options.default_queue);
}

void OwnedGangs::take(const ClusterEvent& event, TimePoint now, const Give& give) {
  take_in(event, now, give);
  restate(give);
}

void OwnedGangs::take_in(const ClusterEvent& event, TimePoint now, const Give& give) {
  if (const auto* group = std::get_if<PodGroupObject>(&event)) return take_group(*group, give);
  if (const auto* pod = std::get_if<PodObject>(&event)) return take_pod(*pod, now, give);
  if (const auto* gone = std::get_if<PodDeleted>(&event)) forget(gone->uid);
  give(event);
  if (const auto* owner = std::get_if<OwnerObject>(&event)) {
    take_owner(*owner, give);
  } else if (const auto* gone_owner = std::get_if<OwnerDeleted>(&event)) {
    gone_.insert(gone_owner->uid);
    look_again(owners_.keys_of(gone_owner->uid), give);
    bury(gone_owner->uid);
  } else if (const auto* name_space = std::get_if<NamespaceObject>(&event)) {
    const std::string& of_namespace = name_space->queue;
    put_or_erase(queue_of_namespace_, name_space->name, of_namespace, !of_namespace.empty());
    renew_all_of(name_space->name);
  } else if (const auto* gone_namespace = std::get_if<NamespaceDeleted>(&event)) {
    queue_of_namespace_.erase(gone_namespace->name);
  } else if (const auto* queue = std::get_if<QueueObject>(&event)) {
    if (queues_.insert(queue->name).second) look_again({key_of_queue(queue->name)}, give);
  } else if (const auto* gone_queue = std::get_if<QueueDeleted>(&event)) {
    if (gone_queue->name == options_.default_queue) return;
    if (queues_.erase(gone_queue->name) > 0) look_again({key_of_queue(gone_queue->name)}, give);
  } else if (const auto* gone_group = std::get_if<PodGroupDeleted>(&event)) {
    notices_.erase(gone_group->full_name);
    look_again({made_.erase(gone_group->full_name)}, give);
  }
}

void OwnedGangs::take_group(const PodGroupObject& object, const Give& give) {
  const std::string key = made_.put(object);
  if (!object.is_made_by_berth) notices_.erase(object.full_name());
  give(stated(object));
  if (key.empty()) return;
  to_restate_.insert(object.full_name());  // it has another number
  look_again({key}, give);
}

void OwnedGangs::take_owner(const OwnerObject& object, const Give& give) {
  std::vector<std::string> keys = owners_.keys_of(object.uid);
  owners_.put(object);
  gone_.erase(object.uid);
  for (std::string& key : owners_.keys_of(object.uid)) keys.push_back(std::move(key));
  look_again(keys, give);
}

// OWNED-1: a group that a user names always counts.
bool OwnedGangs::may_be_owned(const PodObject& object) const {
  const auto& ours = options_.managed_schedulers;
  const bool may_differ =
      !object.owner.is_none() || !object.gang.is_none() || !object.local_queue.empty();
  return may_differ && object.group.empty() && is_any_of(object.scheduler_name, ours);
}

void OwnedGangs::take_pod(const PodObject& object, TimePoint now, const Give& give) {
  if (!may_be_owned(object)) {
    forget(object.uid);
    return give(object);
  }
  const auto [entry, is_new] = pods_.try_emplace(object.uid);
  Pod& pod = entry->second;
  if (is_new) {
    pod.seen = now;
    pod.has_waited = options_.owner_patience == Duration();
  } else {
    discount(pod);
  }
  pod.object = object;
  assess(object.uid, pod);
  count(pod);
  give(given(pod));
}

void OwnedGangs::look_again(const std::vector<std::string>& keys, const Give& give) {
  std::set<std::string> uids;
  for (const std::string& key : keys) {
    const auto found = by_key_.find(key);
    if (found != by_key_.end()) uids.insert(found->second.begin(), found->second.end());
  }
  for (const std::string& uid : uids) {
    Pod& pod = pods_.at(uid);
    discount(pod);
    const bool is_changed = assess(uid, pod);
    count(pod);
    if (is_changed) give(given(pod));
  }
}

void OwnedGangs::settle(TimePoint now, const Give& give) {
  while (!waiting_.empty() && waiting_.begin()->first <= now) {
    const std::string uid = waiting_.extract(waiting_.begin()).value().second;
    Pod& pod = pods_.at(uid);
    pod.has_waited = true;
    discount(pod);
    const bool is_changed = assess(uid, pod);
    count(pod);
    if (is_changed) give(given(pod));
  }
  restate(give);
}

bool OwnedGangs::assess(const std::string& uid, Pod& pod) {
  const std::vector<std::string> keys_before = take_keys_off(uid, pod);
  const Pod before = {{}, pod.membership, pod.queue, pod.gang, {}, {}, {}, false, {}};
  Owners::Chain chain = owners_.chain_of(pod.object);
  pod.membership = membership_of(pod.object, chain, options_.gangs, pod.has_waited);
  pod.owner = chain.owner;
  pod.queue = queue_of(pod.object, chain, chain.keys);
  pod.gang.clear();
  pod.notice.clear();
  // OWNED-13. Pods whose owner was waited for in vain, or whose gang cannot be read, say nothing
  // about the group that is there.
  const bool is_known = !chain.owner.uid.empty() && pod.membership.fault.empty() &&
                        (chain.unseen.empty() || pod.membership.is_member());
  if (is_known) {
    pod.gang = pod.object.name_space + "/" + name_of_group(chain.owner, chain.suffix);
  }
  keep_together(pod, chain);
  pod.keys = std::move(chain.keys);
  for (const std::string& key : pod.keys) by_key_[key].insert(uid);
  bury_unused(keys_before);
  const std::pair<TimePoint, std::string> until{pod.seen + options_.owner_patience, uid};
  if (!chain.unseen.empty() && !pod.has_waited) {
    waiting_.insert(until);
  } else {
    waiting_.erase(until);
  }
  return before.membership.number.has_value() != pod.membership.number.has_value() ||
         before.membership.fault != pod.membership.fault ||
         before.membership.advice != pod.membership.advice || before.queue != pod.queue ||
         (pod.membership.is_member() && before.gang != pod.gang);
}

// OWNED-16. Else a typing error, or a list that is refused, would take a running gang apart.
void OwnedGangs::keep_together(Pod& pod, Owners::Chain& chain) const {
  const std::string& name_space = pod.object.name_space;
  const bool is_known = pod.membership.fault.empty() && !is_undecided(chain);
  if (chain.owner.name.empty() || is_known) return;
  chain.keys.push_back(MadeGroups::key_of(name_space, chain.owner, chain.suffix));
  const PodGroupObject* const group = made_.find(name_space, chain.owner, chain.suffix);
  if (group != nullptr) {
    pod.notice = pod.membership.fault;
    if (pod.notice.empty()) pod.notice = chain.unseen + " has not been seen";
    if (is_undecided(chain)) pod.queue = group->queue;
    pod.membership = {group->min_member, {}, {}};
    pod.owner.uid = group->owner_uid;
    pod.gang = group->full_name();
    return;
  }
  const bool is_alone =
      pod.membership.fault.empty() && !pod.membership.is_member() && pod.object.gang.is_none();
  if (!is_alone || options_.owner_patience == Duration()) return;
  pod.membership.advice = chain.unseen +
                          " has not been seen, and its pods are planned one by one; it does not "
                          "exist, or berthd may not list and watch its kind";
}

void OwnedGangs::restate(const Give& give) {
  for (const std::string& name : std::exchange(to_restate_, {})) {
    const PodGroupObject* const group = made_.find(name);
    if (group == nullptr) continue;
    const auto gang = gangs_.find(name);
    const bool is_noted = gang != gangs_.end() && !gang->second.notices.empty();
    std::string notice = is_noted ? *gang->second.notices.begin() : std::string();
    if (is_noted) notice += "; minMember stays " + std::to_string(group->min_member);
    if (value_or(notices_, name) == notice) continue;
    put_or_erase(notices_, name, notice, !notice.empty());
    give(stated(*group));
  }
}

PodGroupObject OwnedGangs::stated(const PodGroupObject& object) const {
  const auto notice = notices_.find(object.full_name());
  if (notice == notices_.end()) return object;
  PodGroupObject group = object;
  group.not_honoured.push_back("a new size of the gang (" + notice->second + ")");
  return group;
}

// OWNED-15
std::string OwnedGangs::queue_of(const PodObject& object, const Owners::Chain& chain,
                                 std::vector<std::string>& keys) const {
  std::vector<QueueWish> wishes{{object.queue, object.local_queue}};
  for (const OwnerObject* each : chain.below) wishes.push_back(each->queue);
  if (chain.object != nullptr) wishes.push_back(chain.object->queue);
  for (const OwnerObject* each : chain.above) wishes.push_back(each->queue);
  for (const QueueWish& wish : wishes) {
    if (!wish.queue.empty()) return wish.queue;
  }
  for (const QueueWish& wish : wishes) {
    if (wish.local_queue.empty()) continue;
    keys.push_back(key_of_queue(wish.local_queue));
    if (queues_.contains(wish.local_queue)) return wish.local_queue;
  }
  return {};
}

PodObject OwnedGangs::given(const Pod& pod) {
  PodObject object = pod.object;
  if (pod.membership.is_member()) object.group = pod.gang.substr(pod.gang.find('/') + 1);
  object.queue = pod.queue;
  object.gang_fault = pod.membership.fault;
  object.gang_advice = pod.membership.advice;
  return object;
}

OwnedGangs::OwnerName OwnedGangs::owner_of(const Pod& pod) {
  return {pod.object.name_space, pod.owner.uid, pod.owner.name};
}

void OwnedGangs::count(const Pod& pod) {
  if (!pod.owner.name.empty()) ++pods_of_owner_[owner_of(pod)];
  if (pod.gang.empty()) return;
  Gang& gang = gangs_[pod.gang];
  gang.group.name_space = pod.object.name_space;
  gang.group.name = pod.gang.substr(pod.gang.find('/') + 1);
  gang.group.owner = pod.owner;
  ++gang.pods;
  if (!pod.notice.empty()) {
    gang.notices.insert(pod.notice);
    to_restate_.insert(pod.gang);
  }
  if (pod.membership.is_member()) {
    gang.numbers.insert(*pod.membership.number);
    gang.created.insert(pod.object.created);
    if (!pod.queue.empty()) gang.queues.insert(pod.queue);
    if (!is_over(pod.object)) ++gang.live;
  }
  renew(pod.gang);
}

void OwnedGangs::discount(const Pod& pod) {
  const auto owner = pods_of_owner_.find(owner_of(pod));
  if (owner != pods_of_owner_.end() && --owner->second == 0) {
    left_owners_.insert(owner->first);
    pods_of_owner_.erase(owner);
  }
  if (pod.gang.empty()) return;
  Gang& gang = gangs_.at(pod.gang);
  --gang.pods;
  if (!pod.notice.empty()) {
    gang.notices.erase(gang.notices.find(pod.notice));
    to_restate_.insert(pod.gang);
  }
  if (pod.membership.is_member()) {
    gang.numbers.erase(gang.numbers.find(*pod.membership.number));
    gang.created.erase(gang.created.find(pod.object.created));
    if (!pod.queue.empty()) gang.queues.erase(gang.queues.find(pod.queue));
    if (!is_over(pod.object)) --gang.live;
  }
  renew(pod.gang);
}

void OwnedGangs::renew(const std::string& name) {
  const Gang& gang = gangs_.at(name);
  changes_.insert(name);
  if (gang.pods == 0) {
    groups_.erase(name);
    gangs_.erase(name);
    return;
  }
  OwnedGroup& group = groups_[name];
  group = gang.group;
  group.is_left = gang.numbers.empty();
  group.is_live = gang.live > 0 && !gone_.contains(group.owner.uid);
  if (group.is_left) return;
  group.min_member = *gang.numbers.rbegin();
  group.created = *gang.created.begin();
  group.queue = gang.queues.empty()
                    ? value_or(queue_of_namespace_, group.name_space, options_.default_queue)
                    : *gang.queues.begin();
}

void OwnedGangs::renew_all_of(const std::string& name_space) {
  for (const auto& [name, gang] : gangs_) {
    if (gang.group.name_space == name_space) renew(name);
  }
}

void OwnedGangs::forget(const std::string& uid) {
  const auto found = pods_.find(uid);
  if (found == pods_.end()) return;
  Pod& pod = found->second;
  discount(pod);
  const std::vector<std::string> keys = take_keys_off(uid, pod);
  waiting_.erase({pod.seen + options_.owner_patience, uid});
  pods_.erase(found);
  bury_unused(keys);
}

std::vector<std::string> OwnedGangs::take_keys_off(const std::string& uid, Pod& pod) {
  std::vector<std::string> keys = std::exchange(pod.keys, {});
  for (const std::string& key : keys) erase_from(by_key_, key, uid);
  return keys;
}

void OwnedGangs::bury_unused(const std::vector<std::string>& keys) {
  if (gone_.empty()) return;
  for (const std::string& key : keys) {
    const std::string uid = owners_.uid_of(key);
    if (gone_.contains(uid)) bury(uid);
  }
}

// OWNED-12. The garbage collector deletes an owner's pods after it. Until then they are one gang.
void OwnedGangs::bury(const std::string& owner_uid) {
  for (const std::string& key : owners_.keys_of(owner_uid)) {
    if (by_key_.contains(key)) return;
  }
  owners_.erase(owner_uid);
  gone_.erase(owner_uid);
}

const OwnerReference* OwnedGangs::controller_of(const std::string& pod_uid) const {
  const auto found = pods_.find(pod_uid);
  if (found == pods_.end() || found->second.object.owner.is_none()) return nullptr;
  return &found->second.object.owner;
}

const OwnerReference* OwnedGangs::lone_owner(const std::string& pod_uid) const {
  const auto found = pods_.find(pod_uid);
  if (found == pods_.end() || found->second.membership.advice.empty()) return nullptr;
  return &found->second.owner;
}

std::set<OwnedGangs::OwnerName> OwnedGangs::take_left_owners() {
  std::set<OwnerName> left = std::exchange(left_owners_, {});
  std::erase_if(left, [&](const OwnerName& owner) { return pods_of_owner_.contains(owner); });
  return left;
}

}  // namespace berth::mirror
