#include <algorithm>
#include <array>

#include "berth/base/check.h"
#include "model/volume_store.h"

// Pods: what they mount, what that requires, and what they have on nodes.

namespace berth {

namespace {

// In-tree provisioners. CSI drivers serve the first five of them; the others count nowhere.
constexpr std::array<std::string_view, 7> kInTree{
    "kubernetes.io/aws-ebs",       "kubernetes.io/gce-pd",          "kubernetes.io/azure-disk",
    "kubernetes.io/cinder",        "kubernetes.io/portworx-volume", "kubernetes.io/azure-file",
    "kubernetes.io/vsphere-volume"};
constexpr std::size_t kMigrated = 5;

bool is_in_tree(std::string_view provisioner, std::size_t among = kInTree.size()) {
  const auto last = kInTree.begin() + static_cast<std::ptrdiff_t>(among);
  return std::find(kInTree.begin(), last, provisioner) != last;
}

std::string_view without_namespace(std::string_view full_name) {
  return full_name.substr(full_name.find('/') + 1);
}

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

}  // namespace

const StorageClassObject* VolumeTable::Impl::class_of(const StoredClaim& claim) const {
  if (claim.class_name == nullptr) return nullptr;
  const auto found = classes_.find(*claim.class_name);
  return found == classes_.end() ? nullptr : &found->second;
}

// VOLUME-2.
bool VolumeTable::Impl::is_late(const StoredClaim& claim) const {
  if (!claim.exists || claim.volume.is_valid()) return false;
  const StorageClassObject* const its = class_of(claim);
  return its != nullptr && its->mode == BindingMode::wait_for_first_consumer;
}

void VolumeTable::Impl::add_pod(TaskId id, const std::string& name_space, const std::string& uid,
                                const VolumeWishes& wishes) {
  if (wishes.are_empty()) return;
  const auto [entry, is_new] = pods_.try_emplace(id);
  BERTH_CHECK(is_new);
  MountingPod& pod = entry->second;
  pod.uid = hash_of(uid);
  pod.disks = wishes.disks;
  pod.has_migrated = wishes.has_migrated;
  for (const ClaimWish& wish : wishes.claims) {
    const ClaimId claim = claims_.make(name_space + "/" + wish.name);
    pod.mounts.push_back({claim, wish.is_ephemeral, false, {}});
    const std::size_t before = late_in_use({claim});
    claims_[claim].users.push_back(id);
    note_late(before, late_in_use({claim}));
    mark(claim);  // others are not alone with it any more
  }
}

void VolumeTable::Impl::remove_pod(TaskId id) {
  const auto found = pods_.find(id);
  if (found == pods_.end()) return;
  BERTH_CHECK(found->second.node == nullptr);
  for (const Mount& mount : found->second.mounts) {
    const std::size_t before = late_in_use({mount.claim});
    std::vector<TaskId>& users = claims_[mount.claim].users;
    users.erase(std::find(users.begin(), users.end(), id));
    note_late(before, late_in_use({mount.claim}));
    mark(mount.claim);
    claims_.erase_if_unused(mount.claim);
  }
  pods_.erase(found);
  std::erase(changed_pods_, id);
}

void VolumeTable::Impl::mark(ClaimId claim) {
  const std::vector<TaskId>& users = claims_[claim].users;
  changed_pods_.insert(changed_pods_.end(), users.begin(), users.end());
}

bool VolumeTable::Impl::has_claims(TaskId id) const {
  const auto found = pods_.find(id);
  return found != pods_.end() && !found->second.mounts.empty();
}

void VolumeTable::Impl::mark_all_changed() {
  for (const auto& [id, pod] : pods_) changed_pods_.push_back(id);
}

std::vector<TaskId> VolumeTable::Impl::take_changed_pods() {
  std::vector<TaskId> changed = std::exchange(changed_pods_, {});
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  return changed;
}

std::vector<std::string> VolumeTable::Impl::take_changed_nodes() {
  const std::set<std::string> changed = std::exchange(changed_nodes_, {});
  return {changed.begin(), changed.end()};
}

bool VolumeTable::Impl::is_modelled(TaskId id) const {
  const auto found = pods_.find(id);
  if (found == pods_.end()) return true;
  const auto is_migrated = [this](const Mount& mount) {
    const StoredClaim& claim = claims_[mount.claim];
    if (claim.volume.is_valid() && volumes_[claim.volume].exists) {
      return volumes_[claim.volume].is_migrated;
    }
    const StorageClassObject* const its = class_of(claim);
    return its != nullptr && is_in_tree(its->provisioner, kMigrated);
  };
  const MountingPod& pod = found->second;
  return !pod.has_migrated && std::none_of(pod.mounts.begin(), pod.mounts.end(), is_migrated);
}

// --- what a pod needs -------------------------------------------------------------------------

// VOLUME-11. A volume of CSI; else, where there is none yet, one that its class's driver makes.
CountedVolume VolumeTable::Impl::counted(ClaimId id) const {
  const StoredClaim& claim = claims_[id];
  if (!claim.exists) return {};
  if (claim.volume.is_valid() && volumes_[claim.volume].exists) {
    const StoredVolume& volume = volumes_[claim.volume];
    if (volume.driver == nullptr) return {};
    return {key_of(*volume.driver, volume.handle), volume.driver};
  }
  const StorageClassObject* const its = class_of(claim);
  if (its == nullptr || its->provisioner.empty() || is_in_tree(its->provisioner)) return {};
  const auto driver = drivers_.find(its->provisioner);
  if (driver == drivers_.end()) return {};
  return {key_of(*driver, hash_of("claim " + claim.name)), &*driver};
}

// VOLUME-1, VOLUME-2, in the order of kube-scheduler's plugins: VolumeRestrictions, VolumeBinding
// and VolumeZone, each before the first node.
std::string VolumeTable::Impl::fault_of(const MountingPod& pod,
                                        const std::string& full_name) const {
  const auto named = [this](const Mount& mount) {
    return "persistentvolumeclaim " + quoted(without_namespace(claims_[mount.claim].name));
  };
  for (const Mount& mount : pod.mounts) {
    if (!mount.is_ephemeral && !claims_[mount.claim].exists) return named(mount) + " not found";
  }
  for (const Mount& mount : pod.mounts) {
    const StoredClaim& claim = claims_[mount.claim];
    if (!claim.exists) {
      return "waiting for ephemeral volume controller to create the " + named(mount);
    }
    if (claim.is_lost) {
      const std::string volume = claim.volume.is_valid() ? volumes_[claim.volume].name : "";
      return named(mount) + " bound to non-existent persistentvolume " + quoted(volume);
    }
    if (claim.is_ending) return named(mount) + " is being deleted";
    if (mount.is_ephemeral && claim.owner != pod.uid) {
      return "PVC " + claim.name + " was not created for pod " + full_name + " (pod is not owner)";
    }
    if (claim.rare && !claim.rare->fault.empty()) return named(mount) + ": " + claim.rare->fault;
  }
  for (const Mount& mount : pod.mounts) {
    const StoredClaim& claim = claims_[mount.claim];
    if (claim.is_bound()) continue;
    const StorageClassObject* const its = class_of(claim);
    if (its != nullptr && its->mode == BindingMode::unset) {
      return "VolumeBindingMode not set for StorageClass " + quoted(its->name);
    }
    if (!is_late(claim)) return "pod has unbound immediate PersistentVolumeClaims";
  }
  for (const Mount& mount : pod.mounts) {
    const VolumeId volume = claims_[mount.claim].volume;
    if (mount.is_ephemeral || !volume.is_valid() || volumes_[volume].exists) continue;
    return "persistentvolume " + quoted(volumes_[volume].name) + " not found";
  }
  return {};
}

VolumeNeed VolumeTable::Impl::need_of(const Mount& mount) const {
  const StoredClaim& claim = claims_[mount.claim];
  const bool has_others = std::any_of(claim.users.begin(), claim.users.end(),
                                      [&](TaskId user) { return user != claim.users.front(); });
  VolumeNeed need;
  const CountedVolume its = counted(mount.claim);
  if (its.driver != nullptr) need.driver = *its.driver;
  if (its.driver != nullptr && (has_others || volume_by_key_.count(its.key) > 1)) {
    need.volume = its.key;
  }
  // VOLUME-9 does not see ephemeral claims.
  need.is_for_one_pod = has_others && !mount.is_ephemeral && (claim.modes & kReadWriteOncePod) != 0;
  need.is_bound = claim.is_bound();
  if (need.is_for_one_pod) need.claim = claim.name;
  if (need.is_bound) {
    const StoredVolume& volume = volumes_[claim.volume];
    need.is_missing = !volume.exists;
    if (volume.has_affinity) need.affinity = *volume.affinity;
    if (volume.is_faulty) need.affinity.emplace();  // it holds nowhere
    // Nor does VOLUME-4.
    if (volume.zones != nullptr && !mount.is_ephemeral) need.zones = *volume.zones;
    return need;
  }
  if (has_others || !claim.wanted_by.empty()) need.claim = claim.name;
  need.class_name = *claim.class_name;
  if (claim.size >= 0) need.size = claim.size;
  need.modes = claim.modes;
  need.is_block = claim.is_block;
  if (claim.rare) {
    need.attributes_class = claim.rare->attributes_class;
    need.selector = claim.rare->selector;
    need.selected_node = claim.rare->selected_node;
  }
  return need;
}

VolumeNeeds VolumeTable::Impl::needs_of(TaskId id, const std::string& full_name) const {
  VolumeNeeds needs;
  const auto found = pods_.find(id);
  if (found == pods_.end()) return needs;
  const MountingPod& pod = found->second;
  needs.disks = pod.disks;
  needs.fault = fault_of(pod, full_name);
  if (!needs.fault.empty()) return needs;
  std::vector<std::uint64_t> keys;
  for (const Mount& mount : pod.mounts) {
    needs.claims.push_back(need_of(mount));
    // A volume that the pod mounts twice counts once.
    const std::uint64_t key = counted(mount.claim).key;
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) needs.claims.back().driver.clear();
    keys.push_back(key);
  }
  needs.depend_on_plan =
      std::any_of(needs.claims.begin(), needs.claims.end(),
                  [](const VolumeNeed& need) { return !need.is_bound || need.is_for_one_pod; });
  return needs;
}

// --- accounts ---------------------------------------------------------------------------------

void VolumeTable::Impl::count_mount(MountingPod& pod, Mount& mount, std::int32_t sign) {
  if (sign > 0) mount.counted = counted(mount.claim);
  if (!mount.is_ephemeral) claims_[mount.claim].placed += sign;
  if (mount.counted.driver == nullptr) return;
  NodeVolumes& node = nodes_[*pod.node];
  node.add(mount.counted, sign, 0);
  if (node.is_empty()) nodes_.erase(*pod.node);
  if (sign < 0) mount.counted = {};
}

// The mounts of this claim by pods that have a node.
void VolumeTable::Impl::count(ClaimId id, std::int32_t sign) {
  TaskId last;
  for (const TaskId user : claims_[id].users) {
    if (std::exchange(last, user) == user) continue;  // its mounts are beside each other
    MountingPod& pod = pods_.at(user);
    if (pod.node == nullptr) continue;
    for (Mount& mount : pod.mounts) {
      if (mount.claim != id) continue;
      count_mount(pod, mount, sign);
      changed_nodes_.insert(*pod.node);
    }
  }
}

void VolumeTable::Impl::place(TaskId id, const std::string& node, const NodeLabels& labels) {
  const auto found = pods_.find(id);
  if (found == pods_.end()) return;
  MountingPod& pod = found->second;
  BERTH_CHECK(pod.node == nullptr);
  const bool has_late = std::any_of(pod.mounts.begin(), pod.mounts.end(),
                                    [this](const Mount& m) { return is_late(claims_[m.claim]); });
  const VolumeNeeds needs = has_late ? needs_of(id, {}) : VolumeNeeds();
  pod.node = texts_.take(node);
  for (Mount& mount : pod.mounts) count_mount(pod, mount, +1);
  if (has_late && needs.fault.empty()) plan_late(pod, needs, labels);
}

// VOLUME-6, VOLUME-12.
void VolumeTable::Impl::plan_late(MountingPod& pod, const VolumeNeeds& needs,
                                  const NodeLabels& labels) {
  const Chosen chosen = choose(needs, *pod.node, labels, {true});
  for (std::size_t m = 0; m < pod.mounts.size(); ++m) {
    Mount& mount = pod.mounts[m];
    if (!is_late(claims_[mount.claim])) continue;
    const auto [entry, is_new] = plans_.try_emplace(mount.claim);
    LatePlan& plan = entry->second;
    mount.has_plan = true;
    ++plan.mounts;
    if (!is_new) continue;
    plan.node = *pod.node;
    plan.zone = zone_of(labels);
    plan.volume = chosen.volumes[m];
    if (plan.volume.is_valid()) volumes_[plan.volume].taken_by = mount.claim;
  }
}

void VolumeTable::Impl::unplace(TaskId id) {
  const auto found = pods_.find(id);
  if (found == pods_.end() || found->second.node == nullptr) return;
  ++opened_;
  MountingPod& pod = found->second;
  for (Mount& mount : pod.mounts) {
    count_mount(pod, mount, -1);
    if (!std::exchange(mount.has_plan, false)) continue;
    if (--plans_.at(mount.claim).mounts == 0) end_plan(mount.claim);
  }
  texts_.give_back(std::exchange(pod.node, nullptr));
}

void VolumeTable::Impl::end_plan(ClaimId id) {
  const auto found = plans_.find(id);
  if (found == plans_.end()) return;
  const VolumeId volume = found->second.volume;
  const bool is_planned_still = found->second.mounts > 0;
  plans_.erase(found);
  if (is_planned_still) {
    for (const TaskId user : claims_[id].users) {
      for (Mount& mount : pods_.at(user).mounts) {
        if (mount.claim == id) mount.has_plan = false;
      }
    }
  }
  if (!volume.is_valid()) return;
  volumes_[volume].taken_by = ClaimId();
  volumes_.erase_if_unused(volume);
}

std::vector<std::string> VolumeTable::Impl::taken() const {
  std::vector<std::string> all;
  for (const auto& [claim, plan] : plans_) {
    if (plan.volume.is_valid())
      all.push_back(claims_[claim].name + " " + volumes_[plan.volume].name);
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::string VolumeTable::Impl::node_of(TaskId id) const {
  const auto found = pods_.find(id);
  return found == pods_.end() || found->second.node == nullptr ? "" : *found->second.node;
}

std::int64_t VolumeTable::Impl::count(const std::string& node, const std::string& driver) const {
  const auto found = nodes_.find(node);
  const auto named = drivers_.find(driver);
  if (found == nodes_.end() || named == drivers_.end()) return 0;
  return found->second.count(&*named);
}

}  // namespace berth
