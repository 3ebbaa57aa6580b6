#include "embedded/pod_json.h"

#include <nlohmann/json.hpp>

#include "berth/base/text.h"
#include "berth/model/quantity.h"
#include "berth/model/queue_nodes.h"
#include "kube/constraints_json.h"

namespace berth::embedded {
namespace {

using Json = nlohmann::ordered_json;

Json whole_seconds(TimePoint time) {
  return format_time(std::chrono::floor<std::chrono::seconds>(time));
}

Json tolerations(const PodObject& pod) {
  std::vector<Toleration> list = pod.constraints.tolerations;
  for (const std::string& lock : pod.lock_tolerations.some) {
    const bool is_for_queue = lock.starts_with(kLockedForQueue);
    list.push_back({is_for_queue ? kLockedForQueueLabel : kLockedForLabel, false,
                    lock.substr(is_for_queue ? kLockedForQueue.size() : 0),
                    TaintEffect::no_schedule});
  }
  return kube::tolerations_json(list);
}

Json container(const PodObject& pod) {
  Json json = {{"name", "main"}};
  Json requests = Json::object();
  for (const auto& [name, amount] : pod.request) {
    if (name != "pods") requests[name] = format_quantity(name, amount);
  }
  json["resources"] = requests.empty() ? Json::object() : Json{{"requests", requests}};
  Json ports = Json::array();
  for (const HostPort& port : pod.constraints.host_ports) {
    Json one = {{"containerPort", port.port}, {"hostPort", port.port}};
    one["protocol"] = port.protocol;
    if (!port.ip.empty() && port.ip != "0.0.0.0") one["hostIP"] = port.ip;
    ports.push_back(std::move(one));
  }
  if (!ports.empty()) json["ports"] = std::move(ports);
  return json;
}

Json owner(const PodObject& pod) {
  const char* kind = pod.is_daemon ? "DaemonSet" : "Job";
  const char* group = pod.is_daemon ? "apps/v1" : "batch/v1";
  const OwnerReference& its = pod.owner;
  return {{"apiVersion", its.api_version.empty() ? group : its.api_version},
          {"kind", its.kind.empty() ? kind : its.kind},
          {"name", its.name},
          {"uid", its.uid},
          {"controller", true}};
}

Json metadata(const PodObject& pod) {
  Json json = {{"name", pod.name}, {"namespace", pod.name_space}, {"uid", pod.uid}};
  json["creationTimestamp"] = whole_seconds(pod.created);
  for (const auto& [key, value] : pod.labels) json["labels"][key] = value;
  Json annotations = Json::object();
  if (!pod.group.empty()) annotations["scheduling.k8s.io/group-name"] = pod.group;
  if (!pod.role.empty()) annotations["volcano.sh/task-spec"] = pod.role;
  if (!pod.queue.empty()) annotations["scheduling.volcano.sh/queue-name"] = pod.queue;
  if (pod.index >= 0) {
    annotations["batch.kubernetes.io/job-completion-index"] = std::to_string(pod.index);
  }
  if (pod.eviction.preemptable) {
    annotations["volcano.sh/preemptable"] = *pod.eviction.preemptable ? "true" : "false";
  }
  if (pod.eviction.cooldown) {
    annotations["volcano.sh/cooldown-time"] = format_duration(*pod.eviction.cooldown);
  }
  if (pod.run_time) annotations["berth.dev/run-time"] = format_duration(*pod.run_time);
  if (pod.times.stated) annotations["berth.dev/time-limit"] = format_duration(*pod.times.stated);
  for (const auto& [key, value] : annotations_of(pod.marks)) annotations[key] = value;
  if (!pod.owner.is_none() || pod.is_daemon) {
    json["ownerReferences"] = Json::array({owner(pod)});
  }
  if (!annotations.empty()) json["annotations"] = std::move(annotations);
  if (pod.terminating) {
    json["deletionTimestamp"] = whole_seconds(pod.times.grace_ends.value_or(pod.created));
  }
  return json;
}

Json spec(const PodObject& pod) {
  Json json = {{"containers", Json::array({container(pod)})}};
  json["schedulerName"] = pod.scheduler_name;
  if (pod.priority) json["priority"] = *pod.priority;
  if (!pod.priority_class.empty()) json["priorityClassName"] = pod.priority_class;
  json["preemptionPolicy"] = pod.never_preempts ? "Never" : "PreemptLowerPriority";
  if (!pod.node_name.empty()) json["nodeName"] = pod.node_name;
  const Constraints& constraints = pod.constraints;
  if (!constraints.node_selector.empty()) json["nodeSelector"] = constraints.node_selector;
  if (Json affinity = kube::affinity_json(constraints); !affinity.empty()) {
    json["affinity"] = std::move(affinity);
  }
  if (Json spread = kube::spread_json(constraints.relations); !spread.empty()) {
    json["topologySpreadConstraints"] = std::move(spread);
  }
  if (Json list = tolerations(pod); !list.empty()) json["tolerations"] = std::move(list);
  json["restartPolicy"] = pod.runs_forever ? "Always" : "Never";
  const auto seconds_of = [](Duration time) {
    return std::chrono::duration_cast<std::chrono::seconds>(time).count();
  };
  if (pod.times.deadline) json["activeDeadlineSeconds"] = seconds_of(*pod.times.deadline);
  json["terminationGracePeriodSeconds"] = seconds_of(pod.times.grace);
  Json gates = Json::array();
  for (const std::string& gate : pod.gates) gates.push_back(Json::object({{"name", gate}}));
  if (!gates.empty()) json["schedulingGates"] = std::move(gates);
  return json;
}

}  // namespace

std::map<std::string, std::string> annotations_of(const TargetMarks& marks) {
  std::map<std::string, std::string> annotations;
  const auto add_time = [&](const char* key, const std::optional<TimePoint>& time) {
    if (time) annotations[key] = format_time(*time);
  };
  add_time(kFirstSeenAnnotation, marks.first_seen);
  add_time(kTargetSinceAnnotation, marks.elected_at);
  add_time(kGivenUpAnnotation, marks.given_up_at);
  if (marks.is_named || marks.is_elected) {
    annotations[kTargetAnnotation] = marks.is_named ? "true" : "elected";
  } else if (marks.is_declined) {
    annotations[kTargetAnnotation] = "false";
  }
  if (marks.elected_at) annotations[kTargetWhyAnnotation] = marks.why;
  return annotations;
}

std::string pod_json(const PodObject& pod) {
  Json status = {{"phase", to_string(pod.phase)}};
  if (!pod.nominated_node.empty()) status["nominatedNodeName"] = pod.nominated_node;
  if (pod.started) status["startTime"] = whole_seconds(*pod.started);
  if (pod.scheduled) {
    status["conditions"] = Json::array({{{"type", "PodScheduled"},
                                         {"status", "True"},
                                         {"lastTransitionTime", whole_seconds(*pod.scheduled)}}});
  }
  const Json json = {{"metadata", metadata(pod)}, {"spec", spec(pod)}, {"status", status}};
  // Names may have bytes that are not UTF-8. They are replaced; no exception is thrown.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace berth::embedded
