#include "plugins/fragmentation/usual_kinds.h"

#include <algorithm>
#include <bit>

#include "berth/base/hash.h"
#include "berth/model/dimensions.h"

namespace berth::plugins {

namespace {

constexpr std::int64_t kWeights = 32;

// The three highest bits: a mean that moves a little changes no score.
std::int64_t coarse(std::int64_t amount) {
  const auto width = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(amount)));
  const int lost = std::max(0, width - 3);
  return (amount >> lost) << lost;
}

// By base: shapes that only differ in relations are one.
std::vector<std::int64_t> pods_by_base(const Cluster& cluster) {
  std::vector<std::int64_t> pods(cluster.shape_count(), 0);
  for (std::size_t s = 0; s < cluster.shape_count(); ++s) {
    const Shape& shape = cluster.shape(ShapeId(s));
    if (shape.uses == 0) continue;
    pods[shape.base.index()] += shape.uses;
    if (shape.base != shape.id) --pods[shape.base.index()];  // the base is used by it
  }
  return pods;
}

}  // namespace

std::vector<UsualKind> UsualKinds::of(const Cluster& cluster) {
  refresh(cluster);
  count(cluster);
  std::vector<const Tally*> most;
  for (const auto& [key, number] : number_of_) {
    if (tallies_[number].pods > 0) most.push_back(&tallies_[number]);
  }
  std::stable_sort(most.begin(), most.end(),
                   [](const Tally* left, const Tally* right) { return left->pods > right->pods; });
  if (most.size() > kMost) most.resize(kMost);
  std::int64_t pods = 0;
  for (const Tally* each : most) pods += each->pods;
  std::vector<UsualKind> kinds;
  for (const Tally* each : most) {
    UsualKind kind = make(cluster, *each, pods);
    if (kind.weight > 0) kinds.push_back(std::move(kind));
  }
  return kinds;
}

// The nodes decide of which resource a pod asks for the largest part.
void UsualKinds::refresh(const Cluster& cluster) {
  const std::size_t dimensions = cluster.dimensions().size();
  const bool is_as_before =
      spec_version_ == cluster.spec_version() && is_extended_.size() == dimensions;
  if (is_as_before && number_of_.size() <= kKnownMost) return;
  spec_version_ = cluster.spec_version();
  is_extended_.clear();
  for (std::size_t d = 0; d < dimensions; ++d) {
    is_extended_.push_back(is_extended(cluster.dimensions().name(Dimension(d))) ? 1 : 0);
  }
  number_of_.clear();
  known_.clear();
  tallies_.clear();
}

void UsualKinds::count(const Cluster& cluster) {
  for (Tally& tally : tallies_) {
    tally.pods = 0;
    tally.waits = false;
    std::fill(tally.sums.begin(), tally.sums.end(), 0);
    tally.example = ShapeId();
  }
  const std::vector<std::int64_t> pods = pods_by_base(cluster);
  known_.resize(pods.size());
  for (std::size_t s = 0; s < pods.size(); ++s) {
    if (pods[s] <= 0) continue;
    const Shape& shape = cluster.shape(ShapeId(s));
    const std::uint32_t kind = kind_of(cluster, shape);
    if (kind == kNone) continue;
    Tally& tally = tallies_[kind];
    tally.pods += pods[s];
    for (const auto& [d, amount] : shape.requested) {
      tally.sums[d.index()] += static_cast<__int128>(amount) * pods[s];
    }
    const bool is_first =
        !tally.example.is_valid() || shape.lasting_key < cluster.shape(tally.example).lasting_key;
    if (is_first) tally.example = shape.id;
  }
  note_those_that_wait(cluster);
}

// By the first pod that waits of each job.
void UsualKinds::note_those_that_wait(const Cluster& cluster) {
  for (const JobId id : cluster.open_jobs()) {
    const Job& job = cluster.job(id);
    if (job.unplaced_count() + job.gated <= 0) continue;
    const auto first = std::find_if(job.tasks.begin(), job.tasks.end(), [&](TaskId each) {
      return cluster.task(each).status == TaskStatus::pending;
    });
    if (first == job.tasks.end()) continue;
    const std::uint32_t kind = kind_of(cluster, cluster.shape(cluster.shape_of(*first).base));
    if (kind != kNone) tallies_[kind].waits = true;
  }
}

std::uint32_t UsualKinds::kind_of(const Cluster& cluster, const Shape& shape) {
  KnownShape& known = known_[shape.id.index()];
  if (known.serial == shape.serial) return known.kind;
  known = {shape.serial, kNone};
  const bool counts =
      std::any_of(shape.requested.begin(), shape.requested.end(),
                  [&](const auto& each) { return is_extended_[each.first.index()] != 0; });
  if (!counts) return kNone;
  const auto next = static_cast<std::uint32_t>(tallies_.size());
  const auto [entry, is_new] = number_of_.try_emplace(key_of(cluster, shape), next);
  if (is_new) {
    Tally& tally = tallies_.emplace_back();
    tally.key = &entry->first;
    tally.hash = hash_of(entry->first);
    tally.sums.resize(is_extended_.size());
  }
  return known.kind = entry->second;
}

std::uint64_t UsualKinds::hash_of(const Key& key) {
  NamedAmounts amounts;
  for (const auto& [name, amount] : key.amounts) amounts[name] = amount;
  Constraints constraints;
  constraints.node_selector = key.rules.node_selector;
  constraints.has_required_terms = key.rules.has_required_terms;
  constraints.required_terms = key.rules.required_terms;
  constraints.tolerations = key.rules.tolerations;
  return fnv1a(shape_key(amounts, constraints));
}

UsualKinds::Key UsualKinds::key_of(const Cluster& cluster, const Shape& shape) const {
  Key key{{}, {}, NodeRules(shape.constraints)};
  Dimension largest{0};
  const auto total = [&](Dimension d) {
    return static_cast<__int128>(std::max<std::int64_t>(1, cluster.total_allocatable()[d]));
  };
  for (const auto& [d, amount] : shape.requested) {
    if (is_extended_[d.index()] == 0) continue;
    const std::string& name = cluster.dimensions().name(d);
    key.amounts.emplace_back(name, amount);
    const __int128 part = amount * total(largest);
    const __int128 most = shape.request[largest] * total(d);
    const bool is_larger = part > most || (part == most && name < key.extended);
    if (!key.extended.empty() && !is_larger) continue;
    largest = d;
    key.extended = name;
  }
  std::sort(key.amounts.begin(), key.amounts.end());
  return key;
}

UsualKind UsualKinds::make(const Cluster& cluster, const Tally& tally, std::int64_t pods) const {
  UsualKind kind;
  kind.extended = cluster.dimensions().find(tally.key->extended);
  kind.example = tally.example;
  kind.serial = cluster.shape(tally.example).serial;
  kind.key = tally.hash;
  kind.weight = static_cast<std::int32_t>((2 * kWeights * tally.pods + pods) / (2 * pods));
  if (tally.waits) kind.weight = std::max(kind.weight, 1);
  for (std::size_t d = 0; d < tally.sums.size(); ++d) {
    const auto mean = static_cast<std::int64_t>(tally.sums[d] / tally.pods);
    if (mean <= 0 || Dimension(d) == kPods) continue;
    kind.request.emplace_back(Dimension(d), is_extended_[d] != 0 ? mean : coarse(mean));
  }
  return kind;
}

}  // namespace berth::plugins
