#include "berth/model/volume_trial.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "model/volume_store.h"

namespace berth {

// VOLUME-14. With the limit that leaves the fewest pods.
VolumeTable::Attachable VolumeTable::Impl::attachable(const VolumeNeeds& needs,
                                                      const std::string& node,
                                                      const TriedVolumes* tried) const {
  constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
  Attachable least{kAny, {}, 0, 0};
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return least;
  const NodeVolumes& volumes = found->second;
  const bool is_alone = tried == nullptr || tried->is_alone;
  const auto is_there = [&](std::uint64_t volume) {
    return (!is_alone && volumes.is_used(volume)) ||
           (tried != nullptr && tried->shared.contains({node, volume}));
  };
  for (const auto& limit : volumes.limits) {
    std::int64_t each = 0;
    std::int64_t once = 0;
    std::string_view driver;
    for (const VolumeNeed& need : needs.claims) {
      if (need.driver != limit.first) continue;
      driver = need.driver;
      if (need.volume == 0) ++each;
      if (need.volume != 0 && !is_there(need.volume)) ++once;
    }
    if (each + once == 0) continue;
    std::int64_t left = limit.second - once;
    const auto name = drivers_.find(limit.first);
    if (!is_alone && name != drivers_.end()) left -= volumes.count(&*name);
    if (tried != nullptr) {
      const auto there = tried->attached.find({node, driver});
      if (there != tried->attached.end()) left -= there->second;
    }
    std::int64_t pods = 0;
    if (left >= 0) pods = each == 0 ? kAny : left / each;
    if (pods < least.pods) least = {pods, driver, each + once, limit.second};
  }
  return least;
}

std::optional<std::vector<std::uint32_t>> VolumeTable::Impl::free_volumes(
    const VolumeNeed& need, const NodeLabels& labels) const {
  const bool takes_any = !need.is_bound && !need.selected_node && need.claim.empty();
  if (!takes_any || refusal_to_provision(need, labels) == Reason::none) return std::nullopt;
  std::vector<std::uint32_t> found;
  const auto add = [&](const std::string& host) {
    const auto free = free_.find({need.class_name, host});
    if (free == free_.end()) return;
    for (const VolumeId id : free->second) {
      const StoredVolume& volume = volumes_[id];
      const bool is_near = !volume.has_affinity || affinity_holds(*volume.affinity, labels);
      if (is_near && suits(volume, need)) found.push_back(static_cast<std::uint32_t>(id.index()));
    }
  };
  add("");
  const auto host = labels.find(kHostName);
  if (host != labels.end() && !host->second.empty()) add(host->second);
  std::sort(found.begin(), found.end());
  return found;
}

// --- pods that are tried ------------------------------------------------------------------------

struct VolumeTrial::State {
  struct Step {
    const VolumeNeeds* needs = nullptr;
    const std::string* node = nullptr;
    std::int32_t pods = 0;
    std::vector<VolumeId> taken;
    std::vector<ClaimId> planned;
  };
  TriedVolumes tried;
  std::vector<Step> log;
};

VolumeTrial::VolumeTrial(const VolumeTable& table, bool is_alone)
    : table_(table), is_alone_(is_alone) {}
VolumeTrial::~VolumeTrial() = default;

VolumeTrial::State& VolumeTrial::state() {
  if (state_ == nullptr) {
    state_ = std::make_unique<State>();
    state_->tried.is_alone = is_alone_;
  }
  return *state_;
}

namespace {

bool has_late(const VolumeNeeds& needs) {
  return std::any_of(needs.claims.begin(), needs.claims.end(),
                     [](const VolumeNeed& need) { return !need.is_bound; });
}

}  // namespace

std::int32_t VolumeTrial::most(const VolumeNeeds& needs, const std::string& node,
                               const NodeLabels& labels, std::int32_t count) {
  if (needs.claims.empty() || count <= 0) return count;
  const TriedVolumes& tried = state().tried;
  for (const VolumeNeed& need : needs.claims) {
    if (!need.is_for_one_pod) continue;
    if (tried.in_use.contains(need.claim)) return 0;
    count = 1;
  }
  const std::int64_t attachable = table_.impl_->attachable(needs, node, &tried).pods;
  count = static_cast<std::int32_t>(std::min<std::int64_t>(count, attachable));
  if (!has_late(needs)) return count;
  const std::size_t before = mark();
  std::int32_t most = 0;
  while (most < count && put_late(needs, node, labels) == Reason::none) ++most;
  take_back_to(before);
  return most;
}

void VolumeTrial::put(const VolumeNeeds& needs, const std::string& node, const NodeLabels& labels,
                      std::int32_t count) {
  if (needs.claims.empty() || count <= 0) return;
  if (has_late(needs)) {
    for (std::int32_t pod = 0; pod < count; ++pod) put_late(needs, node, labels);
    return;
  }
  state().log.push_back({&needs, &node, count, {}, {}});
  change(needs, node, count);
}

Reason VolumeTrial::refusal(const VolumeNeeds& needs, const std::string& node,
                            const NodeLabels& labels) {
  const TriedVolumes& tried = state().tried;
  const bool is_in_use =
      std::any_of(needs.claims.begin(), needs.claims.end(), [&](const VolumeNeed& need) {
        return need.is_for_one_pod && tried.in_use.contains(need.claim);
      });
  if (is_in_use) return Reason::claim_in_use;
  if (table_.impl_->attachable(needs, node, &tried).pods == 0) return Reason::too_many_volumes;
  if (!has_late(needs)) return Reason::none;
  const std::size_t before = mark();
  const Reason refusal = put_late(needs, node, labels);
  take_back_to(before);
  return refusal;
}

// VOLUME-6, VOLUME-12. One pod, unless it finds no volumes.
Reason VolumeTrial::put_late(const VolumeNeeds& needs, const std::string& node,
                             const NodeLabels& labels) {
  const VolumeTable::Impl& table = *table_.impl_;
  TriedVolumes& tried = state().tried;
  const VolumeTable::Impl::Beside beside{!is_alone_, &tried};
  const VolumeTable::Impl::Chosen chosen = table.choose(needs, node, labels, beside);
  if (chosen.refusal != Reason::none) return chosen.refusal;
  State::Step step{&needs, &node, 1, {}, {}};
  for (std::size_t n = 0; n < needs.claims.size(); ++n) {
    const VolumeNeed& need = needs.claims[n];
    if (need.is_bound) continue;
    const ClaimId claim = need.claim.empty() ? ClaimId() : table.claims_.find(need.claim);
    if (claim.is_valid() && table.plan_of(claim, beside) != nullptr) continue;
    if (claim.is_valid()) {
      tried.plans.emplace(claim, LatePlan{chosen.volumes[n], node, zone_of(labels), 1});
      step.planned.push_back(claim);
    }
    const VolumeId volume = chosen.volumes[n];
    if (volume.is_valid() && tried.taken.insert(volume).second) step.taken.push_back(volume);
  }
  state().log.push_back(std::move(step));
  change(needs, node, 1);
  return Reason::none;
}

void VolumeTrial::change(const VolumeNeeds& needs, const std::string& node, std::int32_t pods) {
  TriedVolumes& tried = state().tried;
  const auto add = [](auto& map, const auto& key, std::int32_t more) {
    const auto at = map.try_emplace(key).first;
    at->second += more;
    if (at->second == 0) map.erase(at);
  };
  const auto& nodes = table_.impl_->nodes_;
  const auto there = nodes.find(node);
  for (const VolumeNeed& need : needs.claims) {
    if (need.is_for_one_pod) add(tried.in_use, std::string_view(need.claim), pods);
    if (there == nodes.end() || there->second.limit(need.driver) == nullptr) continue;
    const std::pair<std::string_view, std::string_view> driver{node, need.driver};
    if (need.volume == 0) {
      add(tried.attached, driver, pods);
      continue;
    }
    const std::pair<std::string_view, std::uint64_t> volume{node, need.volume};
    const bool was_there = tried.shared.contains(volume);
    add(tried.shared, volume, pods);
    const bool is_new = is_alone_ || !there->second.is_used(need.volume);
    if (is_new && was_there != tried.shared.contains(volume)) {
      add(tried.attached, driver, pods > 0 ? 1 : -1);
    }
  }
}

std::size_t VolumeTrial::mark() const { return state_ == nullptr ? 0 : state_->log.size(); }

void VolumeTrial::take_back_to(std::size_t mark) {
  if (state_ == nullptr) return;
  for (; state_->log.size() > mark; state_->log.pop_back()) {
    const State::Step& step = state_->log.back();
    change(*step.needs, *step.node, -step.pods);
    for (const VolumeId volume : step.taken) state_->tried.taken.erase(volume);
    for (const ClaimId claim : step.planned) state_->tried.plans.erase(claim);
  }
}

}  // namespace berth
