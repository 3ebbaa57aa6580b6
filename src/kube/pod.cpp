#include <array>
#include <limits>

#include "berth/base/dns_name.h"
#include "berth/base/number.h"
#include "berth/base/text.h"
#include "berth/model/bounds.h"
#include "kube/attempt_label.h"
#include "kube/codecs.h"
#include "kube/fields.h"
#include "kube/pod_constraints.h"
#include "kube/pod_relations.h"
#include "kube/pod_request.h"
#include "kube/pod_volumes.h"
#include "kube/topology_wish.h"

namespace berth::kube {

namespace {

const std::array<std::string, 5> kPhases{"Pending", "Running", "Succeeded", "Failed", "Unknown"};

constexpr std::array<std::string_view, 3> kIndexLabels{"batch.kubernetes.io/job-completion-index",
                                                       "apps.kubernetes.io/pod-index",
                                                       "volcano.sh/task-index"};

PodPhase read_phase(const document::Cursor& at) {
  const std::string text = at.text();
  if (text.empty()) return PodPhase::pending;
  for (std::size_t i = 0; i < kPhases.size(); ++i) {
    if (text == kPhases[i]) return static_cast<PodPhase>(i);
  }
  at.warn("\"" + text + "\" is no phase of a pod" + suggestion(text, kPhases));
  return PodPhase::unknown;
}

std::int64_t number_or_none(std::string_view digits) {
  return std::max<std::int64_t>(parse_number<std::int64_t>(digits).value_or(-1), -1);
}

std::int64_t read_index(const document::Cursor& pod, const std::string& name) {
  for (const std::string_view label : kIndexLabels) {
    const std::int64_t index = number_or_none(annotation_or_label(pod, label));
    if (index >= 0) return index;
  }
  const std::size_t last = name.find_last_not_of("0123456789");
  return number_or_none(std::string_view(name).substr(last == std::string::npos ? 0 : last + 1));
}

// KUBEGROUP-3
std::string read_kube_group(const document::Cursor& pod) {
  return read_name(pod["spec"]["schedulingGroup"]["podGroupName"]);
}

std::string read_group(const document::Cursor& pod) {
  const document::Cursor metadata = pod["metadata"];
  for (const char* key : {"scheduling.k8s.io/group-name", "scheduling.volcano.sh/group-name"}) {
    if (std::string group = read_name(metadata["annotations"][key]); !group.empty()) return group;
  }
  const document::Cursor label = metadata["labels"]["scheduling.x-k8s.io/pod-group"];
  return label.text();
}

std::string first_of(const document::Cursor& pod, std::string_view first, std::string_view second) {
  std::string text = annotation_or_label(pod, first);
  return text.empty() ? annotation_or_label(pod, second) : text;
}

// Reads {"node":"n1","epoch":3,"plan":17}, the form that we write. Node names need no escapes. A
// value of another form is not ours and counts as absent.
std::string read_planned_node(std::string_view plan) {
  constexpr std::string_view kNode = "{\"node\":\"";
  if (plan.substr(0, kNode.size()) != kNode) return {};
  plan.remove_prefix(kNode.size());
  const std::string_view node = plan.substr(0, plan.find('"'));
  return is_dns_name(node) ? std::string(node) : std::string();
}

// The condition PodScheduled. It is False after an attempt of kube-scheduler, and we write it on
// pods that wait. It is True from the Binding on.
void read_scheduled(const document::Cursor& conditions, PodObject& pod) {
  for (const document::Cursor& condition : conditions.items()) {
    if (condition["type"].text() != "PodScheduled") continue;
    const std::string status = condition["status"].text();
    const document::Cursor since = condition["lastTransitionTime"];
    if (status == "True" && since.is_present()) pod.scheduled = since.time();
    if (status != "False") return;
    pod.not_scheduled = condition["reason"].text();
    if (pod.not_scheduled == "Unschedulable") pod.unschedulable = condition["message"].text();
    return;
  }
}

void read_spec(const document::Cursor& spec, const document::Cursor& status, PodObject& pod) {
  pod.scheduler_name = spec["schedulerName"].text("default-scheduler");
  if (const document::Cursor priority = spec["priority"]; priority.is_present()) {
    pod.priority = static_cast<std::int32_t>(priority.integer(
        0, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
  }
  pod.priority_class = spec["priorityClassName"].text();
  pod.service_account = spec["serviceAccountName"].text("default");
  pod.never_preempts = spec["preemptionPolicy"].text() == "Never";
  pod.node_name = spec["nodeName"].text();
  for (const document::Cursor& gate : spec["schedulingGates"].items()) {
    pod.gates.push_back(gate.required_text("name"));
  }
  pod.request = read_pod_request(spec, status);
  pod.runs_forever = spec["restartPolicy"].text("Always") == "Always";
  pod.constraints = read_constraints(spec);
  pod.constraints.relations = read_relations(spec, pod.name_space, pod.labels);
  pod.lock_tolerations = take_lock_tolerations(pod.constraints);
}

}  // namespace

Result<PodObject> decode_pod(const document::Value& value, std::string_view file,
                             Complaint* complaint) {
  document::Reading reading(value, file, strictness(complaint));
  const document::Cursor root = reading.root();
  Metadata metadata = read_metadata(root, "Pod", Scope::namespaced);
  if (reading.failed()) return reading.error();
  PodObject pod;
  pod.name_space = std::move(metadata.name_space);
  pod.name = std::move(metadata.name);
  pod.uid = std::move(metadata.uid);
  pod.created = metadata.created;
  pod.terminating = root["metadata"]["deletionTimestamp"].is_present();
  pod.labels = read_labels(root);
  std::erase_if(pod.labels, [](const auto& label) { return label.first == kAttemptLabel; });
  pod.group = read_group(root);
  if (pod.group.empty()) {
    pod.group = read_kube_group(root);
    pod.is_in_kube_group = !pod.group.empty();
  }
  pod.role = first_of(root, "volcano.sh/task-spec", "volcano.sh/task-role");
  QueueWish wish = read_queue_wish(root);
  pod.own_queue = wish.queue;
  pod.queue = std::move(wish.queue);
  pod.local_queue = std::move(wish.local_queue);
  pod.gang = read_gang_wish(root);
  pod.topology = read_pod_wish(root);
  pod.index = read_index(root, pod.name);
  pod.eviction = read_eviction_terms(root);
  pod.run_time = read_hint(root["metadata"]["annotations"]["berth.dev/run-time"]);
  pod.waiting_limit = read_waiting_limit(root);
  pod.times = read_time_terms(root);
  pod.marks = read_marks(root, pod.created);
  pod.owner = read_controller(root);
  // A kubelet's static pod belongs to its node.
  pod.is_daemon = pod.owner.kind == "DaemonSet" || pod.owner.kind == "Node";
  const document::Cursor status = root["status"];
  read_spec(root["spec"], status, pod);
  pod.volumes = read_volume_wishes(root["spec"], pod.name);
  pod.phase = read_phase(status["phase"]);
  pod.nominated_node = status["nominatedNodeName"].text();
  pod.planned_node = read_planned_node(root["metadata"]["annotations"][kPlanGate].text());
  read_scheduled(status["conditions"], pod);
  if (status["startTime"].is_present()) pod.started = status["startTime"].time();
  bounds::keep_within(pod);
  if (const Excess& excess = pod.constraints.excess; excess.reason != Reason::none) {
    root["spec"].warn(excess.what);
  }
  if (is_refused(reading, complaint)) return reading.error();
  if (reading.failed()) pod.constraints.fault = reading.error().message;  // API-25
  return pod;
}

}  // namespace berth::kube
