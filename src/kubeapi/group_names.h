#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "berth/model/event.h"

namespace berth::kubeapi {

// PodGroups of several APIs share the names of a namespace, because a pod names its group without
// the API. Of groups of one name, that of the first GroupApi counts. The others are as if they were
// not there, until it is deleted (KUBEGROUP-4). Any thread.
class GroupNames {
 public:
  using Sink = std::function<void(ClusterEvent event)>;

  // `sink` gets the changes of the groups that count, one at a time.
  explicit GroupNames(Sink sink) : sink_(std::move(sink)) {}

  void changed(PodGroupObject group);
  void gone(GroupApi api, const std::string& full_name);

 private:
  using Groups = std::map<GroupApi, PodGroupObject>;

  const Sink sink_;
  std::mutex mutex_;
  // By namespace/name. Volcano's are the most, and always count, so only their names are kept.
  std::set<std::string> volcano_;
  std::map<std::string, Groups> others_;
};

}  // namespace berth::kubeapi
