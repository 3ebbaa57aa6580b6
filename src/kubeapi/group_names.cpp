#include "kubeapi/group_names.h"

namespace berth::kubeapi {

void GroupNames::changed(PodGroupObject group) {
  const std::lock_guard lock(mutex_);
  const std::string name = group.full_name();
  if (group.api == GroupApi::volcano) {
    volcano_.insert(name);
    return sink_(std::move(group));
  }
  const GroupApi api = group.api;
  Groups& groups = others_[name];
  groups.insert_or_assign(api, std::move(group));
  if (!volcano_.contains(name) && groups.begin()->first == api) sink_(groups.begin()->second);
}

void GroupNames::gone(GroupApi api, const std::string& full_name) {
  const std::lock_guard lock(mutex_);
  const auto found = others_.find(full_name);
  bool has_counted = false;
  if (api == GroupApi::volcano) {
    has_counted = volcano_.erase(full_name) > 0;
  } else if (found != others_.end()) {
    has_counted = !volcano_.contains(full_name) && found->second.begin()->first == api;
    found->second.erase(api);
  }
  const bool has_next = found != others_.end() && !found->second.empty();
  if (has_counted && has_next) sink_(found->second.begin()->second);
  if (has_counted && !has_next) sink_(PodGroupDeleted{full_name});
  if (found != others_.end() && !has_next) others_.erase(found);
}

}  // namespace berth::kubeapi
