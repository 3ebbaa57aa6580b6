#include "history/lines.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "berth/base/text.h"
#include "berth/model/quantity.h"
#include "kube/constraints_json.h"

namespace berth::history {

namespace {

using Json = nlohmann::ordered_json;

// Names may have bytes that are not UTF-8. They are replaced; no exception is thrown.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json head(const char* kind, TimePoint time) {
  return {{"kind", kind}, {"time", format_time(time)}};
}

// An object's members behind those of `first`.
std::string joined(const Json& first, const std::string& rest) {
  std::string text = text_of(first);
  text.back() = ',';
  return text + rest.substr(1);
}

Json amounts_json(const NamedAmounts& amounts) {
  Json json = Json::object();
  for (const auto& [name, amount] : amounts) json[name] = format_quantity(name, amount);
  return json;
}

Json guarantee_json(const QueueObject& queue) {
  Json json = Json::object();
  if (!queue.guarantee.empty()) json["resource"] = amounts_json(queue.guarantee);
  if (queue.names_policy) json["policy"] = queue.guarantees_hard ? "Guaranteed" : "Best-Effort";
  if (!queue.guarantee_share_of.empty()) {
    json["percentage"] = {{"dimensions", queue.guarantee_share_of},
                          {"value", std::to_string(queue.guarantee_share_billionths) + "e-9"}};
  }
  return json;
}

Json times_json(const QueueObject& queue) {
  Json json = Json::object();
  const auto add = [&](const char* name, const std::optional<Duration>& time) {
    if (time) json[name] = format_duration(*time);
  };
  add("berth.dev/preempt-min-run-time", queue.preempt_min_run_time);
  add("berth.dev/reclaim-min-run-time", queue.reclaim_min_run_time);
  add("berth.dev/default-time-limit", queue.default_time_limit);
  add("berth.dev/max-time-limit", queue.max_time_limit);
  return json;
}

}  // namespace

std::string head_line(TimePoint time, TimePoint begun) {
  Json json = head("History", time);
  json["version"] = kVersion;
  json["begun"] = format_time(begun);
  return text_of(json);
}

std::string node_text(const NodeObject& node) {
  Json json = {{"metadata", {{"name", node.name}}}};
  if (!node.labels.empty()) json["metadata"]["labels"] = node.labels;
  if (node.unschedulable) json["spec"]["unschedulable"] = true;
  if (!node.taints.empty()) json["spec"]["taints"] = kube::taints_json(node.taints);
  json["status"]["allocatable"] = amounts_json(node.allocatable);
  return text_of(json);
}

std::string node_line(const std::string& text, const NamedAmounts& taken, TimePoint time) {
  Json json = head("Node", time);
  if (!taken.empty()) json["taken"] = amounts_json(taken);
  return joined(json, text);
}

std::string queue_text(const QueueObject& queue) {
  Json json = {{"metadata", {{"name", queue.name}}}};
  if (Json times = times_json(queue); !times.empty()) {
    json["metadata"]["annotations"] = std::move(times);
  }
  Json& spec = json["spec"];
  spec = {{"weight", queue.weight}, {"reclaimable", queue.reclaimable}};
  if (queue.priority != 0) spec["priority"] = queue.priority;
  if (!queue.parent.empty()) spec["parent"] = queue.parent;
  if (!queue.capability.empty()) spec["capability"] = amounts_json(queue.capability);
  if (!queue.deserved.empty()) spec["deserved"] = amounts_json(queue.deserved);
  if (Json guarantee = guarantee_json(queue); !guarantee.empty()) {
    spec["guarantee"] = std::move(guarantee);
  }
  if (queue.is_fifo) spec["dequeueStrategy"] = "fifo";
  if (queue.state != QueueState::open) json["status"]["state"] = to_string(queue.state);
  return text_of(json);
}

std::string queue_line(const std::string& text, TimePoint time) {
  return joined(head("Queue", time), text);
}

std::string gone_line(Kind kind, const std::string& name, TimePoint time) {
  Json json = head(kind == Kind::node_gone ? "NodeGone" : "QueueGone", time);
  json["name"] = name;
  return text_of(json);
}

std::string pods_text(const std::vector<RecordedPods>& pods) {
  Json list = Json::array();
  for (const RecordedPods& each : pods) {
    Json json = {{"count", each.count}, {"requests", amounts_json(each.request)}};
    Json spec = Json::object();
    const Constraints& constraints = each.constraints;
    if (!constraints.node_selector.empty()) spec["nodeSelector"] = constraints.node_selector;
    if (Json affinity = kube::node_affinity_json(constraints); !affinity.empty()) {
      spec["affinity"]["nodeAffinity"] = std::move(affinity);
    }
    if (!constraints.tolerations.empty()) {
      spec["tolerations"] = kube::tolerations_json(constraints.tolerations);
    }
    if (!spec.empty()) json["spec"] = std::move(spec);
    list.push_back(std::move(json));
  }
  return text_of({{"pods", std::move(list)}});
}

std::string job_line(const JobFacts& facts, const std::string& pods, TimePoint time) {
  Json json = head("Job", time);
  json["name"] = facts.name;
  json["uid"] = facts.uid;
  json["queue"] = facts.queue;
  json["priority"] = facts.priority;
  json["minimum"] = facts.minimum;
  json["submitted"] = format_time(facts.submitted);
  if (facts.started) json["started"] = format_time(*facts.started);
  if (facts.ended) json["ended"] = format_time(*facts.ended);
  if (facts.limit) json["limit"] = format_duration(*facts.limit);
  if (facts.lost_runs > 0) json["lostRuns"] = facts.lost_runs;
  if (facts.was_evicted) json["evicted"] = true;
  if (facts.was_deleted) json["deleted"] = true;
  return joined(json, pods);
}

std::string end_line(TimePoint time) { return text_of(head("End", time)); }

}  // namespace berth::history
