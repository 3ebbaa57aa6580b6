#include "kubeapi/bodies.h"

#include <array>
#include <nlohmann/json.hpp>

#include "berth/base/text.h"
#include "berth/model/quantity.h"
#include "berth/model/queue_nodes.h"
#include "kube/attempt_label.h"
#include "kube/group_api.h"
#include "kubeapi/json_text.h"

namespace berth::kubeapi {

namespace {

using Json = nlohmann::ordered_json;
using Kind = ports::PodWrite::Kind;

// metav1.Time knows no fractions.
std::string whole_seconds(TimePoint time) {
  return format_time(std::chrono::floor<std::chrono::seconds>(time));
}

// The beginning of a patch of just this object.
Json patch_for(const ports::ObjectRef& object) {
  Json patch;
  patch["metadata"]["uid"] = object.uid;
  return patch;
}

// A time that is not known is left out.
Json condition(const char* type, bool holds, TimePoint since) {
  Json condition{{"type", type}, {"status", holds ? "True" : "False"}};
  if (since != TimePoint()) condition["lastTransitionTime"] = whole_seconds(since);
  return condition;
}

Json condition(const char* type, const WrittenCondition& written) {
  Json json = condition(type, written.holds, written.since);
  json["reason"] = written.reason;
  json["message"] = written.message;
  return json;
}

// A merge patch keeps what it does not name.
Json waiting_of(const ports::GroupStatus& status) {
  const WrittenWaiting& written = status.waiting;
  if (written.reason.empty()) return {};
  Json waiting{
      {"reason", written.reason},    {"message", status.message}, {"since", nullptr},
      {"queue", written.queue},      {"position", nullptr},       {"queuePosition", nullptr},
      {"queueWaiting", nullptr},     {"jobsAhead", nullptr},      {"jobsAheadInNamespace", nullptr},
      {"aheadInNamespace", nullptr}, {"startsBy", nullptr},       {"likelyFrom", nullptr},
      {"likelyTo", nullptr}};
  const auto put_time = [&](const char* key, const std::optional<TimePoint>& time) {
    if (time) waiting[key] = whole_seconds(*time);
  };
  put_time("startsBy", written.start.starts_by);
  put_time("likelyFrom", written.start.likely_from);
  put_time("likelyTo", written.start.likely_to);
  if (status.waits_since != TimePoint()) waiting["since"] = whole_seconds(status.waits_since);
  const WaitingPosition& position = written.position;
  if (position.in_queue == 0) return waiting;
  waiting["position"] = written.position_text;
  waiting["queuePosition"] = position.in_queue;
  waiting["queueWaiting"] = position.queue_waiting;
  waiting["jobsAhead"] = position.ahead;
  waiting["jobsAheadInNamespace"] = position.ahead_in_namespace;
  waiting["aheadInNamespace"] = position.names;
  return waiting;
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
  Json patch = patch_for(group);
  patch["status"] = {{"phase", foreign_phase(status)},
                     {"scheduled", status.scheduled},
                     {"running", status.running},
                     {"succeeded", status.succeeded},
                     {"failed", status.failed}};
  if (status.started) patch["status"]["scheduleStartTime"] = whole_seconds(*status.started);
  return json_text(patch);
}

// The condition that kube-scheduler writes, too, when it schedules groups by itself.
std::string kube_status_patch(const ports::ObjectRef& group, const ports::GroupStatus& status) {
  WrittenCondition scheduled;
  scheduled.holds = status.is_scheduled;
  scheduled.reason = status.is_scheduled ? "Scheduled" : status.reason;
  scheduled.message = status.is_scheduled ? "" : status.message;
  scheduled.since = status.is_scheduled ? status.scheduled_since : status.waits_since;
  Json patch = patch_for(group);
  const auto api = [&] {
    if (group.kind == ports::ObjectKind::composite_pod_group) return GroupApi::composite;
    const bool is_alpha = group.kind == ports::ObjectKind::kube_alpha_pod_group;
    return is_alpha ? GroupApi::kubernetes_alpha : GroupApi::kubernetes;
  }();
  patch["status"]["conditions"] =
      Json::array({condition(kube::scheduled_condition(api), scheduled)});
  return json_text(patch);
}

Json commit_spec() {
  Json spec;
  spec["schedulingGates"] = {{{"$patch", "delete"}, {"name", kPlanGate}}};
  return spec;
}

// Unlike that of any other write.
std::string stamp(const ports::Write& write) {
  return std::to_string(write.epoch) + "." + std::to_string(write.number);
}

}  // namespace

std::pair<std::string, std::string> type_of(const ports::ObjectRef& object) {
  constexpr const char* kVolcano = "scheduling.volcano.sh/v1beta1";
  constexpr std::array<std::pair<const char*, const char*>, ports::kObjectKinds> kTypes{
      {{"v1", "Pod"},
       {kVolcano, "PodGroup"},
       {"scheduling.x-k8s.io/v1alpha1", "PodGroup"},
       {kube::kGroupsOfKubernetes, "PodGroup"},
       {kube::kGroupsOfKubernetes136, "PodGroup"},
       {kube::kCompositeGroups, "CompositePodGroup"},
       {kVolcano, "Queue"},
       {"v1", "Node"},
       {"", ""}}};
  if (object.kind == ports::ObjectKind::owner) return {object.api_version, object.type};
  return kTypes[static_cast<std::size_t>(object.kind)];
}

std::string binding_body(const ports::Binding& binding) {
  return json_text(
      {{"apiVersion", "v1"},
       {"kind", "Binding"},
       {"metadata",
        {{"name", binding.name}, {"namespace", binding.name_space}, {"uid", binding.uid}}},
       {"target", {{"apiVersion", "v1"}, {"kind", "Node"}, {"name", binding.node}}}});
}

std::string eviction_body(const ports::ObjectRef& pod) {
  return json_text({{"apiVersion", "policy/v1"},
                    {"kind", "Eviction"},
                    {"metadata", {{"name", pod.name}, {"namespace", pod.name_space}}},
                    {"deleteOptions", {{"preconditions", {{"uid", pod.uid}}}}}});
}

std::string pod_patch(const ports::Write& write, const ports::PodWrite& pod) {
  Json patch = patch_for(write.object);
  switch (pod.kind) {
    case Kind::nominate:
      patch["status"]["nominatedNodeName"] = pod.node.empty() ? Json() : Json(pod.node);
      break;
    case Kind::commit:
      patch["metadata"]["annotations"][kPlanGate] =
          json_text({{"node", pod.node}, {"epoch", write.epoch}, {"plan", write.number}});
      patch["spec"] = commit_spec();
      if (pod.wakes_by_label) patch["metadata"]["labels"][kube::kAttemptLabel] = stamp(write);
      break;
    case Kind::touch:
      patch["metadata"]["annotations"]["berth.dev/touched"] = stamp(write);
      break;
    case Kind::tolerate:
      break;  // the list of tolerations has no keys to merge by
  }
  return json_text(patch);
}

std::string condition_patch(const ports::ObjectRef& pod, const ports::PodCondition& written) {
  Json patch = patch_for(pod);
  patch["status"]["conditions"] = Json::array({condition("PodScheduled", written.scheduled)});
  return json_text(patch);
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
  return json_text(patch);
}

std::string group_status_patch(const ports::ObjectRef& group, const ports::GroupStatus& status) {
  if (group.kind == ports::ObjectKind::sig_pod_group) return foreign_status_patch(group, status);
  if (is_of_kubernetes(group.kind)) return kube_status_patch(group, status);
  const bool waits = !status.reason.empty();
  Json scheduled = condition("Scheduled", status.is_scheduled, status.scheduled_since);
  scheduled["reason"] =
      status.is_scheduled ? "tasks in gang are ready to be scheduled" : "pod group is not ready";
  Json unschedulable = condition("Unschedulable", waits, status.waits_since);
  unschedulable["reason"] = waits ? status.reason : "Scheduling";
  unschedulable["message"] = with_position(status.message, status.waiting.position_text);
  Json conditions = Json::array({unschedulable, scheduled});
  if (!status.targeted.reason.empty()) {
    conditions.push_back(condition("Targeted", status.targeted));
  }
  if (!status.honoured.reason.empty()) {
    conditions.push_back(condition("Honoured", status.honoured));
  }
  Json patch = patch_for(group);
  patch["status"] = {{"phase", to_string(status.phase)},    {"running", status.running},
                     {"succeeded", status.succeeded},       {"failed", status.failed},
                     {"conditions", std::move(conditions)}, {"waiting", waiting_of(status)}};
  return json_text(patch);
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
  return json_text(patch);
}

std::string group_body(const ports::ObjectRef& group, const ports::GroupSpec& spec) {
  const OwnerReference& owner = spec.owner;
  return json_text({{"apiVersion", "scheduling.volcano.sh/v1beta1"},
                    {"kind", "PodGroup"},
                    {"metadata",
                     {{"name", group.name},
                      {"namespace", group.name_space},
                      {"labels", {{"app.kubernetes.io/managed-by", "berth"}}},
                      {"annotations", {{kMadeForAnnotation, owner.kind + " " + owner.name}}},
                      {"ownerReferences", Json::array({{{"apiVersion", owner.api_version},
                                                        {"kind", owner.kind},
                                                        {"name", owner.name},
                                                        {"uid", owner.uid},
                                                        {"controller", true},
                                                        {"blockOwnerDeletion", false}}})}}},
                    {"spec", {{"minMember", spec.min_member}, {"queue", spec.queue}}}});
}

std::string group_spec_patch(const ports::ObjectRef& group, const ports::GroupSpec& spec) {
  return json_text({{"metadata", {{"uid", group.uid}}},
                    {"spec", {{"minMember", spec.min_member}, {"queue", spec.queue}}}});
}

std::string deletion_body(const ports::ObjectRef& object) {
  return json_text(
      {{"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"preconditions", {{"uid", object.uid}}}});
}

std::string event_namespace(const ports::ObjectRef& about) {
  return about.name_space.empty() ? "default" : about.name_space;
}

std::string event_body(const ports::ObjectRef& about, const ports::Event& event, TimePoint now,
                       const std::string& instance) {
  const auto [api_version, kind] = type_of(about);
  const std::string at = format_time(now);
  return json_text(
      {{"apiVersion", "v1"},
       {"kind", "Event"},
       {"metadata", {{"generateName", about.name + "."}, {"namespace", event_namespace(about)}}},
       {"involvedObject",
        {{"apiVersion", api_version},
         {"kind", kind},
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
