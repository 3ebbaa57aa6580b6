#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "berth/model/volume_table.h"

// How VolumeTable keeps its objects. Its parts: volume_store.cpp takes objects in, volume_pods.cpp
// has the pods and their accounts, volume_answers.cpp the answers.

namespace berth {

using ClaimId = StrongId<struct ClaimTag>;
using VolumeId = StrongId<struct VolumeTag>;

// Equal values are kept once, and while they are in use. Pointers stay valid that long. Null stands
// for the empty value.
template <class T>
class Pool {
 public:
  const T* take(const T& value) {
    const auto entry = uses_.try_emplace(value, 0).first;
    ++entry->second;
    return &entry->first;
  }
  void give_back(const T* value) {
    if (value == nullptr) return;
    const auto entry = uses_.find(*value);
    if (--entry->second == 0) uses_.erase(entry);
  }

 private:
  std::map<T, std::uint32_t> uses_;
};

// A place for each name that an object has, or that another object mentions.
template <class Id, class Stored>
class Slots {
 public:
  const Stored& operator[](Id id) const { return slots_[id.index()]; }
  Stored& operator[](Id id) { return slots_[id.index()]; }
  std::size_t size() const { return slots_.size(); }

  Id find(std::string_view name) const {
    const auto [first, last] = by_hash_.equal_range(std::hash<std::string_view>{}(name));
    for (auto each = first; each != last; ++each) {
      if (slots_[each->second].name == name) return Id(each->second);
    }
    return {};
  }
  Id make(std::string_view name) {
    if (const Id known = find(name); known.is_valid()) return known;
    Id id(slots_.size());
    if (free_.empty()) {
      slots_.emplace_back();
    } else {
      id = free_.back();
      free_.pop_back();
    }
    slots_[id.index()].name = name;
    by_hash_.emplace(std::hash<std::string_view>{}(name), static_cast<std::uint32_t>(id.index()));
    return id;
  }
  void erase_if_unused(Id id) {
    if (!id.is_valid() || slots_[id.index()].is_used()) return;
    const auto [first, last] =
        by_hash_.equal_range(std::hash<std::string_view>{}(slots_[id.index()].name));
    for (auto each = first; each != last; ++each) {
      if (each->second != id.index()) continue;
      by_hash_.erase(each);
      break;
    }
    slots_[id.index()] = Stored();
    free_.push_back(id);
  }

 private:
  std::deque<Stored> slots_;
  std::vector<Id> free_;
  std::unordered_multimap<std::size_t, std::uint32_t> by_hash_;  // look-up only
};

// Objects are compared by hashes of their uids.
struct StoredClaim {
  std::string name;  // namespace/name
  const std::string* class_name = nullptr;
  std::size_t uid = 0;
  std::size_t owner = 0;
  std::int64_t size = -1;  // none
  // Most claims have none of these.
  struct Rare {
    std::string attributes_class;
    std::optional<std::vector<Expression>> selector;
    std::optional<std::string> selected_node;
    std::string fault;
  };
  std::unique_ptr<Rare> rare;
  std::vector<TaskId> users;        // one for each time that a pod mounts it
  std::vector<VolumeId> wanted_by;  // volumes that name it
  std::int32_t placed = 0;          // of the users, those with a node; ephemeral ones aside
  VolumeId volume;
  std::uint8_t modes = 0;
  bool exists = false;
  bool is_block = false;
  bool is_bind_completed = false;
  bool is_lost = false;
  bool is_ending = false;

  bool is_bound() const { return volume.is_valid() && is_bind_completed; }
  bool is_used() const { return exists || !users.empty() || !wanted_by.empty(); }
};

struct StoredVolume {
  std::string name;
  const std::string* class_name = nullptr;
  const std::string* attributes_class = nullptr;
  const std::vector<SelectorTerm>* affinity = nullptr;
  const std::vector<ZoneLabel>* zones = nullptr;
  const Labels* labels = nullptr;
  const std::string* driver = nullptr;  // never given back
  std::uint64_t handle = 0;             // a hash
  std::int64_t size = 0;
  std::vector<ClaimId> claims;  // that name it
  std::size_t claim_uid = 0;    // 0: any
  ClaimId claim;                // that it names
  ClaimId taken_by;             // by a pod that has a node
  std::uint32_t attachments = 0;
  std::uint8_t modes = 0;
  bool exists = false;
  bool is_block = false;
  bool is_available = false;
  bool is_ending = false;
  bool is_migrated = false;
  bool has_affinity = false;
  bool is_faulty = false;

  bool is_free() const {
    return exists && is_available && !is_ending && !is_faulty && !claim.is_valid();
  }
  bool is_used() const {
    return exists || !claims.empty() || taken_by.is_valid() || attachments > 0;
  }
};

// A volume as a node counts it. Without a driver it does not count.
struct CountedVolume {
  std::uint64_t key = 0;
  const std::string* driver = nullptr;
};

struct Mount {
  ClaimId claim;
  bool is_ephemeral = false;
  bool has_plan = false;
  CountedVolume counted;  // while the pod has a node
};

struct MountingPod {
  std::size_t uid = 0;
  std::vector<Mount> mounts;
  std::vector<Disk> disks;
  bool has_migrated = false;
  const std::string* node = nullptr;
};

// Where a late claim gets its volume, by pods that have a node.
struct LatePlan {
  VolumeId volume;  // invalid: it is provisioned
  std::string node;
  std::string zone;
  std::int32_t mounts = 0;
};

// The volumes of pods that are tried. By the names of nodes, and drivers.
struct TriedVolumes {
  bool is_alone = false;  // as if no pod had a node, and nothing were attached
  std::map<std::pair<std::string_view, std::string_view>, std::int64_t> attached;
  std::map<std::pair<std::string_view, std::uint64_t>, std::int32_t> shared;  // by their keys
  std::map<std::string_view, std::int32_t> in_use;                            // claims for one pod
  std::map<ClaimId, LatePlan> plans;  // of claims that several pods mount
  std::set<VolumeId> taken;
};

class NodeVolumes {
 public:
  void add(const CountedVolume& volume, std::int32_t mounts, std::int32_t attachments);
  std::int64_t count(const std::string* driver) const;  // used or attached
  bool is_used(std::uint64_t key) const;                // by a pod
  const std::int64_t* limit(std::string_view driver) const;
  bool is_empty() const { return uses_.empty() && limits.empty(); }

  std::vector<std::pair<std::string, std::int64_t>> limits;

 private:
  struct Use {
    std::int32_t mounts = 0;
    std::int32_t attachments = 0;
  };
  std::unordered_map<std::uint64_t, Use> uses_;  // look-up only
  std::vector<std::pair<const std::string*, std::int64_t>> counts_;
};

class VolumeTable::Impl {
 public:
  void put(const ClaimObject& object);
  void put(const VolumeObject& object);
  void put(const StorageClassObject& object);
  void put(const CsiNodeObject& object);
  void put(const CsiDriverObject& object);
  void put(const StorageCapacityObject& object);
  void put(const AttachmentObject& object);
  void remove(StorageKind kind, const std::string& full_name);

  void add_pod(TaskId id, const std::string& name_space, const std::string& uid,
               const VolumeWishes& wishes);
  void remove_pod(TaskId id);
  bool has_pod(TaskId id) const { return pods_.contains(id); }
  bool is_modelled(TaskId id) const;
  VolumeNeeds needs_of(TaskId id, const std::string& full_name) const;
  bool has_claims(TaskId id) const;
  void mark_all_changed();
  std::vector<TaskId> take_changed_pods();
  std::vector<std::string> take_changed_nodes();
  std::uint64_t version() const { return version_; }
  std::uint64_t opened() const { return opened_; }
  std::uint64_t limits_version() const { return limits_version_; }

  Reason may_run_on(const VolumeNeeds& needs, const std::string& node,
                    const NodeLabels& labels) const;
  Reason is_free(const VolumeNeeds& needs, const std::string& node, const NodeLabels& labels) const;
  Reason has_room(const VolumeNeeds& needs, const std::string& node, bool alone) const;
  using Attachable = VolumeTable::Attachable;
  // `tried`: beside what is tried, and unless it says `is_alone`, what is there. Null: alone.
  Attachable attachable(const VolumeNeeds& needs, const std::string& node,
                        const TriedVolumes* tried = nullptr) const;
  std::optional<std::vector<std::uint32_t>> free_volumes(const VolumeNeed& need,
                                                         const NodeLabels& labels) const;

  void place(TaskId id, const std::string& node, const NodeLabels& labels);
  void unplace(TaskId id);
  std::vector<std::string> taken() const;
  std::string node_of(TaskId id) const;
  std::int64_t count(const std::string& node, const std::string& driver) const;

 private:
  friend class VolumeTrial;
  // Volumes that are taken already.
  struct Beside {
    bool the_plan = false;  // by pods that have a node
    const TriedVolumes* tried = nullptr;
  };
  struct Chosen {
    Reason refusal = Reason::none;
    std::vector<VolumeId> volumes;  // for each claim; invalid: provisioned, or bound before
  };

  // Objects (volume_store.cpp).
  void change(const std::vector<ClaimId>& claims, const std::function<void()>& mutate);
  void clear(StoredClaim& claim);
  void clear(VolumeId id);
  void remove_claim(const std::string& name);
  void remove_volume(const std::string& name);
  void remove_attachment(const std::string& name);
  std::vector<ClaimId> claims_of_class(std::string_view name) const;
  std::vector<ClaimId> claims_beside(VolumeId id) const;
  void attach(const AttachmentObject& object, std::int32_t sign);
  void attach_all(VolumeId id, std::int32_t sign);
  void set_free(VolumeId id, bool is_free);
  void touch_late();
  std::size_t late_in_use(const std::vector<ClaimId>& claims) const;
  void note_late(std::size_t before, std::size_t after);
  const std::string* driver_named(const std::string& name);

  // Pods (volume_pods.cpp).
  void count(ClaimId claim, std::int32_t sign);
  void count_mount(MountingPod& pod, Mount& mount, std::int32_t sign);
  void end_plan(ClaimId claim);
  void mark(ClaimId claim);
  void plan_late(MountingPod& pod, const VolumeNeeds& needs, const NodeLabels& labels);
  CountedVolume counted(ClaimId claim) const;
  std::string fault_of(const MountingPod& pod, const std::string& full_name) const;
  VolumeNeed need_of(const Mount& mount) const;

  bool is_late(const StoredClaim& claim) const;
  const StorageClassObject* class_of(const StoredClaim& claim) const;

  // Answers (volume_answers.cpp).
  Chosen choose(const VolumeNeeds& needs, const std::string& node, const NodeLabels& labels,
                const Beside& beside) const;
  VolumeId find_free(const VolumeNeed& need, const NodeLabels& labels,
                     const std::vector<VolumeId>& chosen, const Beside& beside) const;
  bool is_before(VolumeId left, VolumeId right) const;
  std::optional<VolumeId> find_volume(const VolumeNeed& need, const NodeLabels& labels,
                                      const std::vector<VolumeId>& chosen,
                                      const Beside& beside) const;
  bool is_taken(VolumeId id, const Beside& beside) const;
  const LatePlan* plan_of(ClaimId claim, const Beside& beside) const;
  bool is_large_enough(const StoredVolume& volume, const VolumeNeed& need) const;
  bool suits(const StoredVolume& volume, const VolumeNeed& need) const;
  bool follows_plan(const LatePlan& plan, const std::string& node, const NodeLabels& labels) const;
  Reason refusal_to_provision(const VolumeNeed& need, const NodeLabels& labels) const;
  bool has_capacity(const VolumeNeed& need, const std::string& provisioner,
                    const NodeLabels& labels) const;

  Slots<ClaimId, StoredClaim> claims_;
  Slots<VolumeId, StoredVolume> volumes_;
  std::map<std::string, StorageClassObject, std::less<>> classes_;
  std::map<std::string, bool, std::less<>> tracks_capacity_;  // by driver
  using Capacities = std::map<std::string, StorageCapacityObject>;
  std::map<std::string, Capacities, std::less<>> capacities_;  // by class, then full name
  std::map<std::string, std::string> class_of_capacity_;
  std::map<std::string, AttachmentObject> attachments_;
  std::multimap<VolumeId, std::string> attachments_of_;
  // By class and by the host name that they require, empty for none; then by (size, name).
  std::map<std::pair<std::string, std::string>, std::vector<VolumeId>> free_;
  std::unordered_multimap<std::uint64_t, VolumeId> volume_by_key_;  // look-up only
  std::set<std::string> drivers_;

  Pool<std::string> texts_;
  Pool<std::vector<SelectorTerm>> affinities_;
  Pool<std::vector<ZoneLabel>> zones_;
  Pool<Labels> labels_;

  std::unordered_map<TaskId, MountingPod> pods_;        // look-up only
  std::unordered_map<std::string, NodeVolumes> nodes_;  // look-up only
  std::map<ClaimId, LatePlan> plans_;
  std::vector<TaskId> changed_pods_;
  std::set<std::string> changed_nodes_;
  std::uint64_t version_ = 1;
  std::uint64_t opened_ = 1;
  std::uint64_t limits_version_ = 1;
  std::size_t late_in_use_ = 0;
  bool has_missed_ = false;  // a change while nobody had a late claim
};

inline constexpr const char* kHostName = "kubernetes.io/hostname";
inline constexpr const char* kZone = "topology.kubernetes.io/zone";

// 0 only for no text.
inline std::size_t hash_of(std::string_view text) {
  return text.empty() ? 0 : std::hash<std::string_view>{}(text) | 1U;
}

// Empty: it has none.
inline std::string zone_of(const VolumeTable::NodeLabels& labels) {
  const auto zone = labels.find(kZone);
  return zone == labels.end() ? std::string() : zone->second;
}

bool affinity_holds(const std::vector<SelectorTerm>& terms, const VolumeTable::NodeLabels& labels);
std::uint64_t key_of(std::string_view driver, std::uint64_t handle);

}  // namespace berth
