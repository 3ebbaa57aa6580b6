#include "engine/fit/volume_bound.h"

#include <algorithm>

namespace berth::engine {

VolumeBound::VolumeBound(const Cluster& cluster, const Shape& shape) : cluster_(cluster) {
  for (const VolumeNeed& need : shape.constraints.volumes.claims) {
    if (need.is_bound) continue;
    const auto known = std::find_if(needs_.begin(), needs_.end(),
                                    [&](const OfNeed& each) { return *each.need == need; });
    if (known != needs_.end()) {
      ++known->each;
    } else {
      needs_.push_back({&need, 1, 0, {}, {}, 0});
    }
  }
}

void VolumeBound::add(NodeId id, std::int64_t pods) {
  all_ += pods;
  const VolumeTable& table = cluster_.relations().volumes();
  for (OfNeed& each : needs_) {
    const auto volumes = table.free_volumes(*each.need, cluster_.node(id).labels);
    if (!volumes) {
      each.elsewhere += pods;
      continue;
    }
    const auto [group, is_new] = each.nodes.try_emplace(*volumes, 0);
    if (is_new) each.volumes.insert(volumes->begin(), volumes->end());
    const std::int64_t most = static_cast<std::int64_t>(volumes->size()) / each.each;
    each.beside_room -= std::min(group->second, most);
    group->second += pods;
    each.beside_room += std::min(group->second, most);
  }
}

std::int64_t VolumeBound::OfNeed::pods() const {
  return elsewhere + std::min(beside_room, static_cast<std::int64_t>(volumes.size()) / each);
}

const VolumeBound::OfNeed* VolumeBound::least() const {
  const auto found = std::min_element(
      needs_.begin(), needs_.end(),
      [](const OfNeed& left, const OfNeed& right) { return left.pods() < right.pods(); });
  return found == needs_.end() ? nullptr : &*found;
}

std::int64_t VolumeBound::pods() const {
  const OfNeed* const need = least();
  return need == nullptr ? all_ : std::min(all_, need->pods());
}

std::string VolumeBound::why() const {
  const OfNeed* const least = this->least();
  if (least == nullptr) return {};
  const std::string& of_class = least->need->class_name;
  const auto free = static_cast<std::int64_t>(least->volumes.size());
  std::string text = sentence(Reason::no_volume_to_bind, 0, 0, {}) + ": each needs " +
                     std::to_string(least->each) + " of " +
                     (of_class.empty() ? "no class" : "class " + of_class) + ", and " +
                     std::to_string(free) + (free == 1 ? " is free" : " are free");
  if (least->beside_room < free / least->each) {
    text += ", with room for " + std::to_string(least->beside_room) + " pods near them";
  }
  return text;
}

}  // namespace berth::engine
