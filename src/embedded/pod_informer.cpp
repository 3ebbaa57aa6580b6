#include "embedded/pod_informer.h"

#include <utility>

namespace berth::embedded {

std::string ListingInformer::query() const {
  if (version_.empty()) return "limit=500&resourceVersion=0";
  return "watch=true&allowWatchBookmarks=true&timeoutSeconds=400&resourceVersion=" + version_;
}

void ListingInformer::take_list(std::string_view body) {
  const auto list = read_shown_list(body);
  if (!list) return;  // it lists again
  std::map<std::string, std::string> before = std::exchange(known_, {});
  for (const ShownPod& pod : list->pods) known_[pod.full_name()] = pod.uid;
  for (const auto& [name, uid] : before) {
    const auto now = known_.find(name);
    if (now == known_.end() || now->second != uid) handlers_.gone(uid);
  }
  version_ = list->version;
  for (const ShownPod& pod : list->pods) handlers_.put(pod);
}

bool ListingInformer::take_event(std::string_view frame) {
  const auto event = read_shown_event(frame);
  if (!event || event->type == "ERROR") {
    version_.clear();
    return false;
  }
  version_ = event->pod.version;
  if (event->type == "BOOKMARK") return true;
  const ShownPod& pod = event->pod;
  std::string& uid = known_[pod.full_name()];
  if (!uid.empty() && uid != pod.uid) handlers_.gone(uid);
  uid = pod.uid;
  if (event->type != "DELETED") {
    handlers_.put(pod);
    return true;
  }
  known_.erase(pod.full_name());
  handlers_.gone(pod.uid);
  return true;
}

void ListingInformer::take_status(int status) {
  if (status != 429) version_.clear();
}

}  // namespace berth::embedded
