#include "model/volume_store.h"

#include <algorithm>
#include <tuple>

namespace berth {

namespace {

void add_unique(std::vector<ClaimId>& claims, ClaimId id) {
  if (id.is_valid() && std::find(claims.begin(), claims.end(), id) == claims.end()) {
    claims.push_back(id);
  }
}

template <class Id>
void erase_one(std::vector<Id>& ids, Id id) {
  ids.erase(std::find(ids.begin(), ids.end(), id));
}

// Most local volumes require one.
std::string host_of(const StoredVolume& volume) {
  if (volume.affinity == nullptr || volume.affinity->size() != 1) return {};
  for (const Expression& each : volume.affinity->front().labels) {
    const bool is_one = each.op == Operator::in && each.values.size() == 1;
    if (is_one && each.key == kHostName) return each.values.front();
  }
  return {};
}

}  // namespace

std::uint64_t key_of(std::string_view driver, std::uint64_t handle) {
  const std::uint64_t seed = std::hash<std::string_view>{}(driver);
  return (seed ^ (handle + 0x9e3779b97f4a7c15 + (seed << 6U) + (seed >> 2U))) | 1U;
}

// The mounts on nodes of users of these claims are taken away, and added as they are afterwards.
void VolumeTable::Impl::change(const std::vector<ClaimId>& claims,
                               const std::function<void()>& mutate) {
  const std::size_t before = late_in_use(claims);
  for (const ClaimId id : claims) count(id, -1);
  mutate();
  for (const ClaimId id : claims) {
    if (!is_late(claims_[id])) end_plan(id);
    count(id, +1);
    mark(id);
  }
  note_late(before, late_in_use(claims));
}

std::size_t VolumeTable::Impl::late_in_use(const std::vector<ClaimId>& claims) const {
  return static_cast<std::size_t>(std::count_if(claims.begin(), claims.end(), [&](ClaimId id) {
    return !claims_[id].users.empty() && is_late(claims_[id]);
  }));
}

void VolumeTable::Impl::note_late(std::size_t before, std::size_t after) {
  late_in_use_ = late_in_use_ + after - before;
  if (late_in_use_ > 0 && std::exchange(has_missed_, false)) ++version_;
}

void VolumeTable::Impl::touch_late() {
  if (late_in_use_ > 0) {
    ++version_;
  } else {
    has_missed_ = true;
  }
}

const std::string* VolumeTable::Impl::driver_named(const std::string& name) {
  return name.empty() ? nullptr : &*drivers_.insert(name).first;
}

// --- claims -----------------------------------------------------------------------------------

void VolumeTable::Impl::clear(StoredClaim& claim) {
  texts_.give_back(claim.class_name);
  StoredClaim empty;
  empty.name = std::move(claim.name);
  empty.users = std::move(claim.users);
  empty.wanted_by = std::move(claim.wanted_by);
  empty.placed = claim.placed;
  claim = std::move(empty);
}

void VolumeTable::Impl::put(const ClaimObject& object) {
  const ClaimId id = claims_.make(object.full_name());
  const VolumeId before = claims_[id].volume;
  const VolumeId named = object.volume.empty() ? VolumeId() : volumes_.make(object.volume);
  change({id}, [&] {
    StoredClaim& claim = claims_[id];
    clear(claim);
    claim.exists = true;
    claim.class_name = object.class_name.empty() ? nullptr : texts_.take(object.class_name);
    claim.uid = hash_of(object.uid);
    claim.owner = hash_of(object.owner_uid);
    claim.size = object.size.value_or(-1);
    claim.modes = object.modes;
    claim.is_block = object.is_block;
    claim.is_bind_completed = object.is_bind_completed;
    claim.is_lost = object.is_lost;
    claim.is_ending = object.is_ending;
    claim.volume = named;
    if (before.is_valid()) erase_one(volumes_[before].claims, id);
    if (named.is_valid()) volumes_[named].claims.push_back(id);
    const StoredClaim::Rare rare{object.attributes_class, object.selector, object.selected_node,
                                 object.fault};
    if (!rare.attributes_class.empty() || rare.selector || rare.selected_node ||
        !rare.fault.empty()) {
      claim.rare = std::make_unique<StoredClaim::Rare>(rare);
    }
  });
  volumes_.erase_if_unused(before);
}

void VolumeTable::Impl::remove_claim(const std::string& name) {
  const ClaimId id = claims_.find(name);
  if (!id.is_valid() || !claims_[id].exists) return;
  const VolumeId volume = claims_[id].volume;
  change({id}, [&] {
    clear(claims_[id]);
    if (volume.is_valid()) erase_one(volumes_[volume].claims, id);
  });
  volumes_.erase_if_unused(volume);
  claims_.erase_if_unused(id);
}

std::vector<ClaimId> VolumeTable::Impl::claims_of_class(std::string_view name) const {
  std::vector<ClaimId> found;
  for (std::size_t c = 0; c < claims_.size(); ++c) {
    const StoredClaim& claim = claims_[ClaimId(c)];
    if (claim.exists && claim.class_name != nullptr && *claim.class_name == name) {
      found.emplace_back(c);
    }
  }
  return found;
}

// --- volumes ----------------------------------------------------------------------------------

// Claims that name the volume, or are named by it, or whose volume has the same key.
std::vector<ClaimId> VolumeTable::Impl::claims_beside(VolumeId id) const {
  const StoredVolume& volume = volumes_[id];
  std::vector<ClaimId> claims;
  for (const ClaimId claim : volume.claims) add_unique(claims, claim);
  add_unique(claims, volume.claim);
  if (volume.driver == nullptr) return claims;
  const auto [first, last] = volume_by_key_.equal_range(key_of(*volume.driver, volume.handle));
  for (auto each = first; each != last; ++each) {
    for (const ClaimId claim : volumes_[each->second].claims) add_unique(claims, claim);
  }
  return claims;
}

bool VolumeTable::Impl::is_before(VolumeId left, VolumeId right) const {
  const StoredVolume& l = volumes_[left];
  const StoredVolume& r = volumes_[right];
  return std::tie(l.size, l.name) < std::tie(r.size, r.name);
}

// The lists of free volumes are in the order in which VOLUME-6 takes them.
void VolumeTable::Impl::set_free(VolumeId id, bool is_free) {
  const StoredVolume& volume = volumes_[id];
  const std::pair name{volume.class_name == nullptr ? std::string() : *volume.class_name,
                       host_of(volume)};
  std::vector<VolumeId>& list = free_[name];
  const auto at =
      std::lower_bound(list.begin(), list.end(), id,
                       [&](VolumeId left, VolumeId right) { return is_before(left, right); });
  if (is_free) {
    list.insert(at, id);
  } else {
    list.erase(at);
  }
  if (list.empty()) free_.erase(name);
}

// Only its name, and who mentions it, stays.
void VolumeTable::Impl::clear(VolumeId id) {
  StoredVolume& volume = volumes_[id];
  if (!volume.exists) return;
  attach_all(id, -1);
  if (volume.is_free()) set_free(id, false);
  if (volume.driver != nullptr) {
    const auto [first, last] = volume_by_key_.equal_range(key_of(*volume.driver, volume.handle));
    volume_by_key_.erase(
        std::find_if(first, last, [id](const auto& each) { return each.second == id; }));
  }
  if (volume.claim.is_valid()) erase_one(claims_[volume.claim].wanted_by, id);
  texts_.give_back(volume.class_name);
  texts_.give_back(volume.attributes_class);
  affinities_.give_back(volume.affinity);
  zones_.give_back(volume.zones);
  labels_.give_back(volume.labels);
  StoredVolume empty;
  empty.name = std::move(volume.name);
  empty.claims = std::move(volume.claims);
  empty.taken_by = volume.taken_by;
  empty.attachments = volume.attachments;
  volume = std::move(empty);
}

void VolumeTable::Impl::put(const VolumeObject& object) {
  const VolumeId id = volumes_.make(object.name);
  const std::string claim_name =
      object.claim ? object.claim->name_space + "/" + object.claim->name : std::string();
  const ClaimId named = object.claim ? claims_.make(claim_name) : ClaimId();
  const ClaimId before = volumes_[id].claim;
  const bool was_free = volumes_[id].is_free();
  const std::string* const driver = driver_named(object.driver);
  const std::uint64_t handle = hash_of(object.handle);
  std::vector<ClaimId> claims = claims_beside(id);
  add_unique(claims, named);
  if (driver != nullptr && handle != 0) {
    const auto [first, last] = volume_by_key_.equal_range(key_of(*driver, handle));
    for (auto each = first; each != last; ++each) {
      for (const ClaimId claim : volumes_[each->second].claims) add_unique(claims, claim);
    }
  }
  change(claims, [&] {
    clear(id);
    StoredVolume& volume = volumes_[id];
    volume.exists = true;
    if (!object.class_name.empty()) volume.class_name = texts_.take(object.class_name);
    if (!object.attributes_class.empty()) {
      volume.attributes_class = texts_.take(object.attributes_class);
    }
    volume.has_affinity = object.affinity.has_value();
    if (object.affinity) volume.affinity = affinities_.take(*object.affinity);
    if (!object.zones.empty()) volume.zones = zones_.take(object.zones);
    if (!object.labels.empty()) volume.labels = labels_.take(object.labels);
    volume.driver = handle == 0 ? nullptr : driver;
    volume.handle = handle;
    volume.size = object.size;
    volume.claim = named;
    if (named.is_valid()) {
      volume.claim_uid = hash_of(object.claim->uid);
      claims_[named].wanted_by.push_back(id);
    }
    volume.modes = object.modes;
    volume.is_block = object.is_block;
    volume.is_available = object.is_available;
    volume.is_ending = object.is_ending;
    volume.is_migrated = object.is_migrated;
    volume.is_faulty = !object.fault.empty();
    if (volume.driver != nullptr) volume_by_key_.emplace(key_of(*driver, handle), id);
    if (volume.is_free()) set_free(id, true);
    attach_all(id, +1);
  });
  if (was_free || volumes_[id].is_free()) touch_late();
  claims_.erase_if_unused(before);
}

void VolumeTable::Impl::remove_volume(const std::string& name) {
  const VolumeId id = volumes_.find(name);
  if (!id.is_valid() || !volumes_[id].exists) return;
  const ClaimId before = volumes_[id].claim;
  if (volumes_[id].is_free()) touch_late();
  change(claims_beside(id), [&] { clear(id); });
  volumes_.erase_if_unused(id);
  claims_.erase_if_unused(before);
}

}  // namespace berth
