#include "kubeapi/reservation_bodies.h"

#include <nlohmann/json.hpp>

#include "berth/base/text.h"
#include "berth/model/claim.h"
#include "berth/model/queue_nodes.h"
#include "kubeapi/json_text.h"

namespace berth::kubeapi {

namespace {

using nlohmann::json;

// A label or an annotation; its key may have slashes.
std::string metadata_text(const json& object, const char* part, const char* key) {
  const json& texts = value_at(object, part);
  if (!texts.contains(key)) return {};
  const auto* const text = texts[key].get_ptr<const std::string*>();
  return text == nullptr ? std::string() : *text;
}

json text_or_null(bool is_there, const std::string& text) { return is_there ? json(text) : json(); }

json time_or_null(const std::optional<TimePoint>& time) {
  return time ? json(format_time(*time)) : json();
}

// None if it is another object than expected.
std::optional<json> read(const std::string& seen, const std::string& uid) {
  json object = read_json(seen);
  if (!object.is_object() || text_at(object, "/metadata/uid") != uid) return std::nullopt;
  return object;
}

std::optional<std::string> finished(const json& object, json patch) {
  json patched = object;
  patched.merge_patch(patch);
  if (patched == object) return std::nullopt;
  patch["metadata"]["uid"] = text_at(object, "/metadata/uid");
  patch["metadata"]["resourceVersion"] = text_at(object, "/metadata/resourceVersion");
  return json_text(nlohmann::ordered_json(patch));
}

bool is_of_target(const json& taint) {
  return text_at(taint, "/key") == kLockedForLabel && is_for_job(text_at(taint, "/value"));
}

bool is_of_queue(const json& taint) { return text_at(taint, "/key") == kLockedForQueueLabel; }

json lock_taint(const char* key, const std::string& value) {
  return {{"key", key}, {"value", value}, {"effect", "NoSchedule"}};
}

// All taints but ours, unchanged and in order. The target's is left alone if its lock is.
json taints_with(const json& node, const ports::NodeLock& lock, bool is_for_target) {
  json taints = json::array();
  if (const json& all = value_at(node, "/spec/taints"); all.is_array()) {
    for (const json& taint : all) {
      const bool is_ours = is_of_queue(taint) || (is_for_target && is_of_target(taint));
      if (!is_ours) taints.push_back(taint);
    }
  }
  if (lock.has_taint && is_for_target) {
    taints.push_back(lock_taint(kLockedForLabel, lock.locked_for));
  }
  if (lock.has_queue_taint) taints.push_back(lock_taint(kLockedForQueueLabel, lock.queue));
  return taints.empty() ? json() : taints;
}

}  // namespace

std::optional<std::string> node_lock_patch(const std::string& uid, const ports::NodeLock& lock,
                                           const std::string& seen) {
  const std::optional<json> node = read(seen, uid);
  if (!node) return std::nullopt;
  const std::string holder = metadata_text(*node, "/metadata/labels", kLockedForLabel);
  const bool is_others = !holder.empty() && !is_for_job(holder);
  const bool is_to_be_locked = !lock.locked_for.empty();
  json patch;
  json taints = taints_with(*node, lock, !is_others || !is_to_be_locked);
  if (taints != value_at(*node, "/spec/taints")) {
    patch["spec"]["taints"] = std::move(taints);
  }
  json& labels = patch["metadata"]["labels"];
  json& annotations = patch["metadata"]["annotations"];
  if (!is_others) {
    labels[kLockedForLabel] = text_or_null(is_to_be_locked, lock.locked_for);
    annotations[kLockedSinceAnnotation] = text_or_null(is_to_be_locked, format_time(lock.since));
  }
  const bool is_of_a_queue = !lock.queue.empty();
  labels[kLockedForQueueLabel] = text_or_null(is_of_a_queue, lock.queue);
  annotations[kLockedForQueueSinceAnnotation] =
      text_or_null(is_of_a_queue, format_time(lock.queue_since));
  return finished(*node, std::move(patch));
}

std::optional<std::string> job_marks_patch(const std::string& uid, const TargetMarks& marks,
                                           const std::string& seen) {
  const std::optional<json> object = read(seen, uid);
  if (!object) return std::nullopt;
  const bool is_target = marks.elected_at.has_value();
  json patch;
  json& annotations = patch["metadata"]["annotations"];
  const std::string word = metadata_text(*object, "/metadata/annotations", kTargetAnnotation);
  if (word != "true" && word != "false") {
    annotations[kTargetAnnotation] = text_or_null(marks.is_elected, "elected");
  }
  annotations[kTargetSinceAnnotation] = time_or_null(marks.elected_at);
  annotations[kTargetWhyAnnotation] = text_or_null(is_target, marks.why);
  annotations[kGivenUpAnnotation] = time_or_null(marks.given_up_at);
  annotations[kClaimsAnnotation] = text_or_null(!marks.claims.empty(), marks.claims);
  if (marks.first_seen) annotations[kFirstSeenAnnotation] = format_time(*marks.first_seen);
  return finished(*object, std::move(patch));
}

std::optional<std::string> patch_of(const ports::Write& write, const std::string& seen) {
  if (const auto* lock = std::get_if<ports::NodeLock>(&write.content)) {
    return node_lock_patch(write.object.uid, *lock, seen);
  }
  const auto* marks = std::get_if<TargetMarks>(&write.content);
  return marks == nullptr ? std::nullopt : job_marks_patch(write.object.uid, *marks, seen);
}

}  // namespace berth::kubeapi
