#include "apiview/kube_scheduler.h"

#include <gtest/gtest.h>

#include <utility>

#include "podview/client.pb.h"

namespace berth::apiview::testing {

namespace {

namespace client = podview::client;

constexpr int kGone = 410, kGatewayTimeout = 504;

Pod pod_in(const client::Pod& object) {
  const client::ObjectMeta& metadata = object.metadata();
  const client::PodSpec& spec = object.spec();
  Pod pod{metadata.name(),  metadata.uid(),        metadata.resource_version(),
          spec.node_name(), spec.scheduler_name(), ""};
  const client::NodeSelector& required = spec.affinity().node_affinity().required();
  if (required.terms_size() > 0) pod.affinity = required.terms(0).fields(0).values(0);
  return pod;
}

// The message within the envelope.
template <class Message>
Message message_in(std::string_view object) {
  client::Unknown unknown;
  Message message;
  EXPECT_TRUE(object.starts_with("k8s") && unknown.ParseFromString(std::string(object.substr(4))));
  EXPECT_TRUE(message.ParseFromString(unknown.raw()));
  return message;
}

}  // namespace

std::map<std::string, std::string> KubeScheduler::bound() const {
  std::map<std::string, std::string> nodes;
  for (const auto& [uid, cached] : cache_) {
    if (!cached.is_assumed) nodes[uid] = cached.node;
  }
  return nodes;
}

std::string KubeScheduler::query() const {
  std::string watch = "watch=true&allowWatchBookmarks=true&timeoutSeconds=400";
  if (!must_list_) return watch + "&resourceVersion=" + version_;
  const bool is_named = !version_.empty() && !is_version_unavailable_;
  const std::string named = is_named ? "&resourceVersion=" + version_ : "";
  if (is_streaming()) {
    return watch + "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan" + named;
  }
  if (is_version_unavailable_) return "limit=500";
  return is_named ? "resourceVersion=" + version_ : "limit=500&resourceVersion=0";
}

void KubeScheduler::take_list(std::string_view body) {
  const auto list = message_in<client::PodList>(body);
  std::map<std::string, Pod> pods;
  for (const client::Pod& item : list.items()) {
    Pod pod = pod_in(item);
    pods[pod.name] = pod;
  }
  replace(pods, list.metadata().resource_version());
}

bool KubeScheduler::take_event(std::string_view frame) {
  client::WatchEvent event;
  EXPECT_TRUE(event.ParseFromString(std::string(frame.substr(4))));
  const std::string& type = event.type();
  if (type == "ERROR") {
    take_status(message_in<client::Status>(event.object().raw()).code());
    return false;
  }
  const auto object = message_in<client::Pod>(event.object().raw());
  const Pod pod = pod_in(object);
  if (must_list_) {  // a streaming list: a store aside
    if (type == "ADDED" || type == "MODIFIED") initial_[pod.name] = pod;
    if (type == "DELETED") initial_.erase(pod.name);
    const bool is_end = object.metadata().annotations().count("k8s.io/initial-events-end") > 0;
    if (is_end) replace(std::exchange(initial_, {}), pod.version);
    return true;
  }
  check_version(type, pod);
  if (type == "ADDED" || type == "MODIFIED") put(pod);
  if (type == "DELETED") remove(pod);
  version_ = pod.version;
  return true;
}

// Versions never go back, and a pod does not change twice to the same.
void KubeScheduler::check_version(const std::string& type, const Pod& pod) {
  const auto number = [](const std::string& version) { return std::stoull(version); };
  if (number(pod.version) < number(version_)) {
    complaints_.push_back(type + " " + pod.name + " has gone back to version " + pod.version);
  }
  const auto old = store_.find(pod.name);
  if (type != "MODIFIED" || old == store_.end()) return;
  if (number(pod.version) <= number(old->second.version)) {
    complaints_.push_back(type + " " + pod.name + " has come again, version " + pod.version);
  }
}

void KubeScheduler::take_status(int status) {
  initial_.clear();
  if (!must_list_) {
    if (status != 429) must_list_ = true;
    return;
  }
  const bool is_unavailable = status == kGone || status == kGatewayTimeout;
  if (is_unavailable) is_version_unavailable_ = true;
  if (!is_unavailable && status != 429) falls_back_ = is_streaming();
}

void KubeScheduler::end_stream() {
  if (must_list_ && initial_.empty()) falls_back_ = true;  // a very short watch
  initial_.clear();
}

void KubeScheduler::replace(const std::map<std::string, Pod>& with, const std::string& version) {
  must_list_ = falls_back_ = is_version_unavailable_ = false;
  version_ = version;
  const std::map<std::string, Pod> before = store_;
  const auto remove_others = [&] {
    for (const auto& [name, pod] : before) {
      if (with.contains(name)) continue;
      store_.erase(name);
      on_delete(pod, true);
    }
  };
  if (release_ != Release::to_1_32) remove_others();
  for (const auto& [name, pod] : with) put(pod);
  if (release_ == Release::to_1_32) remove_others();
}

void KubeScheduler::put(const Pod& pod) {
  const auto old = store_.find(pod.name);
  if (old == store_.end()) {
    store_[pod.name] = pod;
    return on_add(pod);
  }
  const Pod before = std::exchange(old->second, pod);
  on_update(before, pod);
}

void KubeScheduler::remove(const Pod& pod) {
  const bool was_known = store_.erase(pod.name) > 0;
  if (was_known || release_ != Release::to_1_32) on_delete(pod, false);
}

void KubeScheduler::on_add(const Pod& pod) {
  if (pod.is_bound()) add_to_cache(pod);
}

void KubeScheduler::on_update(const Pod& old, const Pod& pod) {
  if (old.is_bound() && (pod.is_bound() || release_ == Release::from_1_35)) {
    update_in_cache(old, pod);
  } else if (pod.is_bound()) {
    add_to_cache(pod);
  } else if (old.is_bound()) {
    remove_from_cache(old);
  }
}

void KubeScheduler::on_delete(const Pod& pod, bool is_tombstone) {
  if (pod.is_bound() || is_tombstone) remove_from_cache(pod);
  if (!pod.is_bound() && release_ == Release::from_1_35 && has_assumed(pod.uid)) {
    cache_.erase(pod.uid);
  }
}

void KubeScheduler::add_to_cache(const Pod& pod) {
  const auto found = cache_.find(pod.uid);
  if (found != cache_.end() && !found->second.is_assumed) {
    complaints_.push_back("pod " + pod.uid + " was already in added state");
    return;
  }
  cache_[pod.uid] = {pod.node, false};
}

void KubeScheduler::update_in_cache(const Pod& old, const Pod& pod) {
  const auto found = cache_.find(old.uid);
  if (found == cache_.end() || found->second.is_assumed) {
    complaints_.push_back("pod " + old.uid + " cannot be updated");
    return;
  }
  if (found->second.node != pod.node) {
    end_ = "Pod " + old.uid + " updated on a different node than previously added to: from \"" +
           found->second.node + "\" to \"" + pod.node + "\" of " + pod.uid;
    return;
  }
  cache_.erase(found);
  cache_[pod.uid] = {pod.node, false};
}

void KubeScheduler::remove_from_cache(const Pod& pod) {
  const auto found = cache_.find(pod.uid);
  if (found == cache_.end()) return;
  if (found->second.node != pod.node && pod.is_bound()) {
    end_ = "Pod " + pod.uid + " was added to a different node than it was assumed";
    return;
  }
  cache_.erase(found);
}

void KubeScheduler::assume(const Pod& pod) { cache_[pod.uid] = {pod.affinity, true}; }

void KubeScheduler::forget(const std::string& uid) {
  if (has_assumed(uid)) cache_.erase(uid);
}

bool KubeScheduler::has_assumed(const std::string& uid) const {
  const auto found = cache_.find(uid);
  return found != cache_.end() && found->second.is_assumed;
}

}  // namespace berth::apiview::testing
