#include <algorithm>
#include <array>

#include "model/volume_store.h"

// Which nodes the claims of a pod admit.

namespace berth {

namespace {

constexpr std::string_view kNoProvisioner = "kubernetes.io/no-provisioner";
constexpr const char* kRegion = "topology.kubernetes.io/region";
constexpr const char* kBetaZone = "failure-domain.beta.kubernetes.io/zone";
constexpr const char* kBetaRegion = "failure-domain.beta.kubernetes.io/region";

const std::string* value_of(const VolumeTable::NodeLabels& labels, const std::string& key) {
  const auto found = labels.find(key);
  return found == labels.end() ? nullptr : &found->second;
}

// VOLUME-4.
bool zone_holds(const ZoneLabel& zone, const VolumeTable::NodeLabels& labels) {
  const std::string* value = value_of(labels, zone.key);
  if (value == nullptr && zone.key == kBetaZone) value = value_of(labels, kZone);
  if (value == nullptr && zone.key == kBetaRegion) value = value_of(labels, kRegion);
  return value != nullptr && std::binary_search(zone.values.begin(), zone.values.end(), *value);
}

// VOLUME-3.
Reason refusal_of_bound(const VolumeNeeds& needs, const VolumeTable::NodeLabels& labels) {
  for (const VolumeNeed& need : needs.claims) {
    if (!need.is_bound) continue;
    if (need.is_missing) return Reason::volume_missing;
    if (need.affinity && !affinity_holds(*need.affinity, labels)) {
      return Reason::volume_node_affinity;
    }
  }
  return Reason::none;
}

}  // namespace

bool zones_hold(const VolumeNeeds& needs, const VolumeTable::NodeLabels& labels) {
  constexpr std::array<const char*, 4> kLabels{kBetaZone, kBetaRegion, kZone, kRegion};
  const bool has_any = std::any_of(kLabels.begin(), kLabels.end(),
                                   [&](const char* key) { return labels.contains(key); });
  if (!has_any) return true;
  return std::all_of(needs.claims.begin(), needs.claims.end(), [&](const VolumeNeed& need) {
    return std::all_of(need.zones.begin(), need.zones.end(),
                       [&](const ZoneLabel& zone) { return zone_holds(zone, labels); });
  });
}

// Fields are not looked at: kube-scheduler asks about a node without a name.
bool affinity_holds(const std::vector<SelectorTerm>& terms, const VolumeTable::NodeLabels& labels) {
  return std::any_of(terms.begin(), terms.end(), [&](const SelectorTerm& term) {
    const bool is_empty = term.labels.empty() && term.fields.empty();
    return !is_empty && all_hold(term.labels, labels);
  });
}

Reason VolumeTable::Impl::may_run_on(const VolumeNeeds& needs, const std::string& node,
                                     const NodeLabels& labels) const {
  if (!needs.fault.empty()) return Reason::claim_not_ready;
  // Of several refusals, kube-scheduler names a missing volume last.
  const Reason bound = refusal_of_bound(needs, labels);
  if (bound == Reason::volume_node_affinity) return bound;
  const Reason late = choose(needs, node, labels, Beside()).refusal;
  return late != Reason::none ? late : bound;
}

Reason VolumeTable::Impl::is_free(const VolumeNeeds& needs, const std::string& node,
                                  const NodeLabels& labels) const {
  for (const VolumeNeed& need : needs.claims) {
    if (!need.is_for_one_pod) continue;
    const ClaimId claim = claims_.find(need.claim);
    if (claim.is_valid() && claims_[claim].placed > 0) return Reason::claim_in_use;  // VOLUME-9
  }
  return choose(needs, node, labels, {true}).refusal;
}

// VOLUME-11.
Reason VolumeTable::Impl::has_room(const VolumeNeeds& needs, const std::string& node,
                                   bool alone) const {
  const auto found = nodes_.find(node);
  if (found == nodes_.end() || found->second.limits.empty()) return Reason::none;
  const NodeVolumes& volumes = found->second;
  for (const VolumeNeed& need : needs.claims) {
    const std::int64_t* const limit = volumes.limit(need.driver);
    if (need.driver.empty() || limit == nullptr) continue;
    const std::int64_t more =
        std::count_if(needs.claims.begin(), needs.claims.end(), [&](const VolumeNeed& each) {
          return each.driver == need.driver && (alone || !volumes.is_used(each.volume));
        });
    const auto driver = drivers_.find(need.driver);
    const std::int64_t there = alone || driver == drivers_.end() ? 0 : volumes.count(&*driver);
    if (more > 0 && there + more > *limit) return Reason::too_many_volumes;
  }
  return Reason::none;
}

// --- late claims ------------------------------------------------------------------------------

// VOLUME-5 to VOLUME-8.
VolumeTable::Impl::Chosen VolumeTable::Impl::choose(const VolumeNeeds& needs,
                                                    const std::string& node,
                                                    const NodeLabels& labels,
                                                    const Beside& beside) const {
  Chosen chosen{Reason::none, std::vector<VolumeId>(needs.claims.size())};
  std::vector<std::size_t> to_match;
  std::vector<std::size_t> to_provision;
  for (std::size_t n = 0; n < needs.claims.size(); ++n) {
    const VolumeNeed& need = needs.claims[n];
    if (need.is_bound) continue;
    if (need.selected_node && *need.selected_node != node) {
      chosen.refusal = Reason::no_volume_to_bind;
      return chosen;
    }
    (need.selected_node ? to_provision : to_match).push_back(n);
  }
  std::stable_sort(to_match.begin(), to_match.end(), [&](std::size_t left, std::size_t right) {
    return needs.claims[left].size.value_or(0) < needs.claims[right].size.value_or(0);
  });
  std::vector<VolumeId> taken;
  for (const std::size_t n : to_match) {
    const std::optional<VolumeId> found = find_volume(needs.claims[n], labels, taken, beside);
    if (!found) {
      to_provision.push_back(n);
      continue;
    }
    chosen.volumes[n] = *found;
    taken.push_back(*found);
  }
  for (const std::size_t n : to_provision) {
    const VolumeNeed& need = needs.claims[n];
    const ClaimId claim = need.claim.empty() ? ClaimId() : claims_.find(need.claim);
    const LatePlan* const plan = plan_of(claim, beside);
    if (plan != nullptr && !follows_plan(*plan, node, labels)) {
      chosen.refusal = Reason::no_volume_to_bind;
    } else {
      chosen.refusal = refusal_to_provision(need, labels);
    }
    if (chosen.refusal != Reason::none) return chosen;
  }
  return chosen;
}

const LatePlan* VolumeTable::Impl::plan_of(ClaimId claim, const Beside& beside) const {
  if (beside.the_plan) {
    const auto found = plans_.find(claim);
    if (found != plans_.end()) return &found->second;
  }
  if (beside.tried == nullptr) return nullptr;
  const auto found = beside.tried->plans.find(claim);
  return found == beside.tried->plans.end() ? nullptr : &found->second;
}

bool VolumeTable::Impl::is_taken(VolumeId id, const Beside& beside) const {
  return (beside.the_plan && volumes_[id].taken_by.is_valid()) ||
         (beside.tried != nullptr && beside.tried->taken.contains(id));
}

// A pod of the plan decides where the volume is made, and nobody knows yet from where it can be
// reached: its zone, or else its node.
bool VolumeTable::Impl::follows_plan(const LatePlan& plan, const std::string& node,
                                     const NodeLabels& labels) const {
  if (plan.node == node) return true;
  const std::string* const zone = value_of(labels, kZone);
  return !plan.zone.empty() && zone != nullptr && *zone == plan.zone;
}

bool VolumeTable::Impl::is_large_enough(const StoredVolume& volume, const VolumeNeed& need) const {
  const std::string attributes =
      volume.attributes_class == nullptr ? std::string() : *volume.attributes_class;
  return volume.size >= need.size.value_or(0) && volume.is_block == need.is_block &&
         attributes == need.attributes_class && !volume.is_ending;
}

bool VolumeTable::Impl::suits(const StoredVolume& volume, const VolumeNeed& need) const {
  static const Labels kNone;
  return is_large_enough(volume, need) && (need.modes & ~volume.modes) == 0 &&
         (!need.selector ||
          all_hold(*need.selector, volume.labels == nullptr ? kNone : *volume.labels));
}

// VOLUME-6. None: there is none.
std::optional<VolumeId> VolumeTable::Impl::find_volume(const VolumeNeed& need,
                                                       const NodeLabels& labels,
                                                       const std::vector<VolumeId>& chosen,
                                                       const Beside& beside) const {
  const auto is_chosen = [&](VolumeId id) {
    return std::find(chosen.begin(), chosen.end(), id) != chosen.end();
  };
  const auto is_reachable = [&](const StoredVolume& volume) {
    return !volume.is_faulty && (!volume.has_affinity || affinity_holds(*volume.affinity, labels));
  };
  const ClaimId claim = need.claim.empty() ? ClaimId() : claims_.find(need.claim);
  if (claim.is_valid()) {
    const StoredClaim& its = claims_[claim];
    std::vector<VolumeId> named = its.wanted_by;
    const LatePlan* const plan = plan_of(claim, beside);
    if (plan != nullptr && plan->volume.is_valid()) named.push_back(plan->volume);
    for (const VolumeId id : named) {
      const StoredVolume& volume = volumes_[id];
      const bool is_of_claim =
          volume.claim != claim || volume.claim_uid == 0 || volume.claim_uid == its.uid;
      const std::string_view of_class =
          volume.class_name == nullptr ? std::string_view() : *volume.class_name;
      if (!volume.exists || !is_of_claim || is_chosen(id) || of_class != need.class_name ||
          !is_large_enough(volume, need)) {
        continue;
      }
      return is_reachable(volume) ? std::optional(id) : std::nullopt;
    }
  }
  const VolumeId found = find_free(need, labels, chosen, beside);
  return found.is_valid() ? std::optional(found) : std::nullopt;
}

// The first that suits, of those for the node's host name and those for any.
VolumeId VolumeTable::Impl::find_free(const VolumeNeed& need, const NodeLabels& labels,
                                      const std::vector<VolumeId>& chosen,
                                      const Beside& beside) const {
  const std::string* const host = value_of(labels, kHostName);
  VolumeId best;
  for (const std::string& name : {std::string(), host == nullptr ? std::string() : *host}) {
    const auto free = free_.find({need.class_name, name});
    if (free == free_.end()) continue;
    for (const VolumeId id : free->second) {
      if (best.is_valid() && is_before(best, id)) break;
      const StoredVolume& volume = volumes_[id];
      const bool is_chosen = std::find(chosen.begin(), chosen.end(), id) != chosen.end();
      if (is_chosen || is_taken(id, beside) || !suits(volume, need)) continue;
      if (volume.has_affinity && !affinity_holds(*volume.affinity, labels)) continue;
      best = id;
      break;
    }
  }
  return best;
}

// VOLUME-7.
Reason VolumeTable::Impl::refusal_to_provision(const VolumeNeed& need,
                                               const NodeLabels& labels) const {
  const auto found = classes_.find(need.class_name);
  if (found == classes_.end()) return Reason::no_volume_to_bind;
  const StorageClassObject& its = found->second;
  if (its.provisioner.empty() || its.provisioner == kNoProvisioner) {
    return Reason::no_volume_to_bind;
  }
  const bool is_allowed =
      its.topologies.empty() ||
      std::any_of(its.topologies.begin(), its.topologies.end(),
                  [&](const auto& term) { return !term.empty() && all_hold(term, labels); });
  if (!is_allowed) return Reason::no_volume_to_bind;
  return has_capacity(need, its.provisioner, labels) ? Reason::none : Reason::not_enough_storage;
}

// VOLUME-8.
bool VolumeTable::Impl::has_capacity(const VolumeNeed& need, const std::string& provisioner,
                                     const NodeLabels& labels) const {
  const auto driver = tracks_capacity_.find(provisioner);
  if (!need.size || driver == tracks_capacity_.end() || !driver->second) return true;
  const auto found = capacities_.find(need.class_name);
  if (found == capacities_.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(), [&](const auto& entry) {
    const StorageCapacityObject& capacity = entry.second;
    return capacity.largest && *capacity.largest >= *need.size && capacity.topology &&
           all_hold(*capacity.topology, labels);
  });
}

}  // namespace berth
