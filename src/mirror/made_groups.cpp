#include "mirror/made_groups.h"

#include "berth/base/look_up.h"
#include "mirror/membership.h"

namespace berth::mirror {

namespace {

// The name without the characters that depend on the owner's uid.
std::string key_of_name(const std::string& full_name) {
  return "PodGroup " + full_name.substr(0, full_name.find_last_of("-/") + 1);
}

}  // namespace

std::string MadeGroups::put(const PodGroupObject& object) {
  const std::string name = object.full_name();
  if (!object.is_made_by_berth) return erase(name);
  PodGroupObject& known = groups_[name];
  const bool is_alike = known.owner_uid == object.owner_uid && known.queue == object.queue &&
                        known.min_member == object.min_member && !known.uid.empty();
  known = object;
  return is_alike ? std::string() : key_of_name(name);
}

std::string MadeGroups::erase(const std::string& full_name) {
  return groups_.erase(full_name) == 0 ? std::string() : key_of_name(full_name);
}

const PodGroupObject* MadeGroups::find(const std::string& full_name) const {
  return find_value(groups_, full_name);
}

const PodGroupObject* MadeGroups::find(const std::string& name_space, const OwnerReference& owner,
                                       const std::string& suffix) const {
  const auto is_of = [&](const PodGroupObject& group, const std::string& uid) {
    return group.owner_uid == uid &&
           group.name == name_of_group({owner.api_version, owner.kind, owner.name, uid}, suffix);
  };
  const std::string name = name_space + "/" + name_of_group(owner, suffix);
  if (!owner.uid.empty()) {
    const PodGroupObject* const group = find(name);
    return group != nullptr && is_of(*group, owner.uid) ? group : nullptr;
  }
  const std::string stem = name.substr(0, name.find_last_of("-/") + 1);
  const PodGroupObject* latest = nullptr;
  for (auto at = groups_.lower_bound(stem); at != groups_.end() && at->first.starts_with(stem);
       ++at) {
    const PodGroupObject& group = at->second;
    if (!is_of(group, group.owner_uid)) continue;
    if (latest == nullptr || latest->created < group.created) latest = &group;
  }
  return latest;
}

std::string MadeGroups::key_of(const std::string& name_space, const OwnerReference& owner,
                               const std::string& suffix) {
  return key_of_name(name_space + "/" + name_of_group(owner, suffix));
}

}  // namespace berth::mirror
