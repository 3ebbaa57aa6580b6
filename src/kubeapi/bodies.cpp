#include "kubeapi/bodies.h"

#include <nlohmann/json.hpp>

#include "berth/base/text.h"
#include "berth/model/quantity.h"
#include "berth/model/queue_nodes.h"

namespace berth::kubeapi {

namespace {

using Json = nlohmann::ordered_json;
using Kind = ports::PodWrite::Kind;

// User's texts may hold anything.
std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// metav1.Time knows no fractions. A time that is not known is left out.
Json condition(const char* type, bool holds, TimePoint since) {
  Json condition{{"type", type}, {"status", holds ? "True" : "False"}};
  if (since != TimePoint()) {
    condition["lastTransitionTime"] = format_time(std::chrono::floor<std::chrono::seconds>(since));
  }
  return condition;
}

Json condition(const char* type, const WrittenCondition& written) {
  Json json = condition(type, written.holds, written.since);
  json["reason"] = written.reason;
  json["message"] = written.message;
  return json;
}

// The phases of scheduling.x-k8s.io. None of them says that a group waits, or why.
const char* foreign_phase(const ports::GroupStatus& status) {
  switch (status.phase) {
    case GroupPhase::pending:
      return "Pending";
    case GroupPhase::inqueue:
      if (status.is_scheduled) return "Scheduled";
      return status.scheduled > 0 ? "Scheduling" : "PreScheduling";
    case GroupPhase::running:
      return "Running";
    case GroupPhase::unknown:
      return "Unknown";
    case GroupPhase::completed:
      return status.succeeded < status.min_member ? "Failed" : "Finished";
  }
  return "Unknown";
}

// Left alone: occupiedBy, which says whose the pods are.
std::string foreign_status_patch(const ports::ObjectRef& group, const ports::GroupStatus& status) {
  Json patch;
  patch["metadata"]["uid"] = group.uid;
  patch["status"] = {{"phase", foreign_phase(status)},
                     {"scheduled", status.scheduled},
                     {"running", status.running},
                     {"succeeded", status.succeeded},
                     {"failed", status.failed}};
  if (status.started) {
    patch["status"]["scheduleStartTime"] =
        format_time(std::chrono::floor<std::chrono::seconds>(*status.started));
  }
  return dump(patch);
}

Json commit_spec(const ports::PodWrite& write) {
  Json spec;
  spec["schedulingGates"] = {{{"$patch", "delete"}, {"name", kPlanGate}}};
  if (!write.only_hostname.empty()) {
    spec["nodeSelector"]["kubernetes.io/hostname"] = write.only_hostname;
  }
  if (write.only_nodes.empty()) return spec;
  Json terms = Json::array();
  for (const std::string& node : write.only_nodes) {
    const Json field{{"key", "metadata.name"}, {"operator", "In"}, {"values", Json::array({node})}};
    terms.push_back({{"matchFields", Json::array({field})}});
  }
  spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
      ["nodeSelectorTerms"] = std::move(terms);
  return spec;
}

}  // namespace

std::string binding_body(const ports::Binding& binding) {
  return dump({{"apiVersion", "v1"},
               {"kind", "Binding"},
               {"metadata",
                {{"name", binding.name}, {"namespace", binding.name_space}, {"uid", binding.uid}}},
               {"target", {{"apiVersion", "v1"}, {"kind", "Node"}, {"name", binding.node}}}});
}

std::string eviction_body(const ports::ObjectRef& pod) {
  return dump({{"apiVersion", "policy/v1"},
               {"kind", "Eviction"},
               {"metadata", {{"name", pod.name}, {"namespace", pod.name_space}}},
               {"deleteOptions", {{"preconditions", {{"uid", pod.uid}}}}}});
}

std::string pod_patch(const ports::Write& write, const ports::PodWrite& pod) {
  Json patch;
  patch["metadata"]["uid"] = write.object.uid;
  switch (pod.kind) {
    case Kind::nominate:
      patch["status"]["nominatedNodeName"] = pod.node.empty() ? Json() : Json(pod.node);
      break;
    case Kind::commit:
      patch["metadata"]["annotations"][kPlanGate] =
          dump({{"node", pod.node}, {"epoch", write.epoch}, {"plan", write.number}});
      patch["spec"] = commit_spec(pod);
      break;
    case Kind::touch:
      patch["metadata"]["annotations"]["berth.dev/touched"] =
          std::to_string(write.epoch) + "." + std::to_string(write.number);
      break;
    case Kind::tolerate:
      break;  // the list of tolerations has no keys to merge by
  }
  return dump(patch);
}

std::string condition_patch(const ports::ObjectRef& pod, const ports::PodCondition& written) {
  Json patch;
  patch["metadata"]["uid"] = pod.uid;
  patch["status"]["conditions"] = Json::array({condition("PodScheduled", written.scheduled)});
  return dump(patch);
}

std::string toleration_patch(const ports::ObjectRef& pod, const ports::PodWrite& write) {
  const bool is_for_queue = write.locked_for.starts_with(kLockedForQueue);
  const std::string value = write.locked_for.substr(is_for_queue ? kLockedForQueue.size() : 0);
  const Json toleration{{"key", is_for_queue ? kLockedForQueueLabel : kLockedForLabel},
                        {"operator", "Equal"},
                        {"value", value},
                        {"effect", "NoSchedule"}};
  Json patch = Json::array({{{"op", "test"}, {"path", "/metadata/uid"}, {"value", pod.uid}}});
  if (write.is_first_toleration) {
    patch.push_back({{"op", "test"}, {"path", "/spec/tolerations"}, {"value", nullptr}});
    patch.push_back(
        {{"op", "add"}, {"path", "/spec/tolerations"}, {"value", Json::array({toleration})}});
  } else {
    patch.push_back({{"op", "add"}, {"path", "/spec/tolerations/-"}, {"value", toleration}});
  }
  return dump(patch);
}

std::string group_status_patch(const ports::ObjectRef& group, const ports::GroupStatus& status) {
  if (group.kind == ports::ObjectKind::sig_pod_group) return foreign_status_patch(group, status);
  const bool waits = !status.reason.empty();
  Json scheduled = condition("Scheduled", status.is_scheduled, status.scheduled_since);
  scheduled["reason"] =
      status.is_scheduled ? "tasks in gang are ready to be scheduled" : "pod group is not ready";
  Json unschedulable = condition("Unschedulable", waits, status.waits_since);
  unschedulable["reason"] = waits ? status.reason : "Scheduling";
  unschedulable["message"] = status.message;
  Json conditions = Json::array({unschedulable, scheduled});
  if (!status.targeted.reason.empty()) {
    conditions.push_back(condition("Targeted", status.targeted));
  }
  if (!status.honoured.reason.empty()) {
    conditions.push_back(condition("Honoured", status.honoured));
  }
  Json patch;
  patch["metadata"]["uid"] = group.uid;
  patch["status"] = {{"phase", to_string(status.phase)},
                     {"running", status.running},
                     {"succeeded", status.succeeded},
                     {"failed", status.failed},
                     {"conditions", std::move(conditions)}};
  return dump(patch);
}

std::string queue_status_patch(const ports::ObjectRef& queue, const ports::QueueStatus& status) {
  const WrittenQueueStatus& written = status.written;
  // A merge patch takes away only what it names.
  const auto amounts = [&](const NamedAmounts& named) {
    Json json = Json::object();
    for (const std::string& resource : status.resources) json[resource] = nullptr;
    for (const auto& [resource, amount] : named) {
      json[resource] = format_quantity(resource, amount);
    }
    return json;
  };
  Json conditions = Json::array(
      {condition("Ready", written.ready), condition("GuaranteeScaled", written.scaled)});
  if (!written.honoured.reason.empty()) {
    conditions.push_back(condition("Honoured", written.honoured));
  }
  Json reservation;
  if (!written.reserved.reason.empty()) {
    conditions.push_back(condition("NodesReserved", written.reserved));
    reservation = {{"nodes", written.reserved_nodes}, {"resource", amounts(written.reserved_idle)}};
  }
  Json patch;
  if (!queue.uid.empty()) patch["metadata"]["uid"] = queue.uid;
  patch["status"] = {{"pending", written.pending},
                     {"inqueue", written.inqueue},
                     {"running", written.running},
                     {"unknown", written.unknown},
                     {"completed", written.completed},
                     {"allocated", amounts(written.allocated)},
                     {"deserved", amounts(written.deserved)},
                     {"guarantee", amounts(written.guarantee)},
                     {"realCapability", amounts(written.real_capability)},
                     {"conditions", std::move(conditions)},
                     {"reservation", std::move(reservation)}};
  if (status.state) patch["status"]["state"] = to_string(*status.state);
  return dump(patch);
}

std::string record_patch(const ports::Write& write) {
  Json patch;
  patch["metadata"]["uid"] = write.object.uid;
  patch["metadata"]["annotations"]["berth.dev/record"] =
      dump({{"state", "Committing"}, {"epoch", write.epoch}});
  return dump(patch);
}

std::string event_namespace(const ports::ObjectRef& about) {
  return about.name_space.empty() ? "default" : about.name_space;
}

std::string event_body(const ports::ObjectRef& about, const ports::Event& event, TimePoint now,
                       const std::string& instance) {
  const bool is_pod = about.kind == ports::ObjectKind::pod;
  const char* group_kind = about.kind == ports::ObjectKind::queue ? "Queue" : "PodGroup";
  const char* group_version = about.kind == ports::ObjectKind::sig_pod_group
                                  ? "scheduling.x-k8s.io/v1alpha1"
                                  : "scheduling.volcano.sh/v1beta1";
  const std::string at = format_time(now);
  return dump(
      {{"apiVersion", "v1"},
       {"kind", "Event"},
       {"metadata", {{"generateName", about.name + "."}, {"namespace", event_namespace(about)}}},
       {"involvedObject",
        {{"apiVersion", is_pod ? "v1" : group_version},
         {"kind", is_pod ? "Pod" : group_kind},
         {"namespace", about.name_space},
         {"name", about.name},
         {"uid", about.uid}}},
       {"reason", event.reason},
       {"message", event.message},
       {"type", event.is_warning ? "Warning" : "Normal"},
       {"count", 1},
       {"firstTimestamp", at},
       {"lastTimestamp", at},
       {"source", {{"component", "berthd"}}},
       {"reportingComponent", "berth.dev/berthd"},
       {"reportingInstance", instance}});
}

}  // namespace berth::kubeapi
