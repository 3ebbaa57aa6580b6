#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "berth/base/text.h"
#include "berth/model/quantity.h"
#include "berth/model/queue_nodes.h"
#include "daemon/snapshot.h"
#include "daemon/snapshot_objects.h"
#include "embedded/pod_json.h"
#include "history/lines.h"

namespace berth::daemon {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kCore = "v1";
constexpr const char* kVolcano = "scheduling.volcano.sh/v1beta1";
constexpr const char* kGate = "berth.dev/snapshot";  // of a pod that has gates of others

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// An object's text with its type before it.
std::string typed(const char* version, const char* kind, const std::string& object) {
  return fmt::format(R"({{"apiVersion":"{}","kind":"{}",)", version, kind) + object.substr(1);
}

std::string node_item(const NodeObject& node) {
  const std::string text = history::node_text(node);
  if (node.locked_for.empty() && node.locked_for_queue.empty()) return typed(kCore, "Node", text);
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return typed(kCore, "Node", text);
  Json& metadata = json["metadata"];
  const auto add = [&](const char* label, const char* annotation, const std::string& holder,
                       const std::optional<TimePoint>& since) {
    if (holder.empty()) return;
    metadata["labels"][label] = holder;
    if (since) metadata["annotations"][annotation] = format_time(*since);
  };
  add(kLockedForLabel, kLockedSinceAnnotation, node.locked_for, node.locked_since);
  add(kLockedForQueueLabel, kLockedForQueueSinceAnnotation, node.locked_for_queue,
      node.locked_for_queue_since);
  return typed(kCore, "Node", text_of(json));
}

std::string group_item(const PodGroupObject& group) {
  Json annotations = annotations_of(group.topology);
  for (const auto& [key, value] : embedded::annotations_of(group.marks)) annotations[key] = value;
  if (group.time_limit) annotations["berth.dev/time-limit"] = format_duration(*group.time_limit);
  if (group.waiting_limit) {
    annotations["volcano.sh/sla-waiting-time"] = format_duration(*group.waiting_limit);
  }
  Json metadata{{"namespace", group.name_space},
                {"name", group.name},
                {"uid", group.uid},
                {"creationTimestamp", format_time(group.created)}};
  if (!annotations.empty()) metadata["annotations"] = std::move(annotations);
  Json spec{{"minMember", group.min_member}};
  if (!group.queue.empty()) spec["queue"] = group.queue;
  for (const auto& [role, minimum] : group.min_task_member) spec["minTaskMember"][role] = minimum;
  if (group.min_resources) {
    spec["minResources"] = Json::object();
    for (const auto& [name, amount] : *group.min_resources) {
      spec["minResources"][name] = format_quantity(name, amount);
    }
  }
  const Json json{{"metadata", std::move(metadata)},
                  {"spec", std::move(spec)},
                  {"status", {{"phase", to_string(group.phase)}}}};
  return typed(kVolcano, "PodGroup", text_of(json));
}

PodPhase phase_of(const Task& task) {
  switch (task.status) {
    case TaskStatus::running:
      return PodPhase::running;
    case TaskStatus::releasing:
      return task.started == TimePoint::min() ? PodPhase::pending : PodPhase::running;
    case TaskStatus::succeeded:
      return PodPhase::succeeded;
    case TaskStatus::failed:
      return PodPhase::failed;
    default:
      return PodPhase::pending;
  }
}

// The end by the deadline of its controller counts as one of its own.
void add_deadline(const Task& task, PodObject& pod) {
  if (!task.job_deadline) return;
  const JobDeadline& of_job = *task.job_deadline;
  Duration left = of_job.length;
  if (of_job.since && pod.started) left = *of_job.since + of_job.length - *pod.started;
  left = std::max<Duration>(std::chrono::seconds(1), left);
  pod.times.deadline = std::min(left, pod.times.deadline.value_or(left));
}

void add_job(const Task& task, const Snapshot& snapshot, PodObject& pod) {
  pod.scheduler_name = "default-scheduler";
  if (!task.job.is_valid()) return;
  const Snapshot::JobPart& job = snapshot.jobs[task.job.index()];
  if (!job.is_ours) return;
  pod.scheduler_name = snapshot.scheduler;
  pod.group = job.group;
  if (job.group.empty()) pod.queue = job.queue;
  pod.marks = job.marks;
  if (task.role < job.roles.size()) pod.role = job.roles[task.role];
}

std::string pod_item(const Task& task, const Snapshot& snapshot) {
  PodObject pod;
  const std::size_t slash = task.name.find('/');
  pod.name_space = task.name.substr(0, slash);
  pod.name = task.name.substr(slash + 1);
  pod.uid = task.uid;
  pod.created = task.created;
  add_job(task, snapshot, pod);
  pod.index = task.index;
  pod.priority = task.priority;
  pod.phase = phase_of(task);
  pod.terminating = task.status == TaskStatus::releasing;
  if (!task.is_preemptable) pod.eviction.preemptable = false;
  pod.never_preempts = task.never_preempts;
  if (task.is_gated) pod.gates = {kGate};
  const bool has_node = task.status == TaskStatus::bound || task.status == TaskStatus::running ||
                        task.status == TaskStatus::releasing;
  if (has_node && task.node.is_valid()) pod.node_name = snapshot.nodes[task.node.index()].name;
  const Snapshot::ShapePart& shape = snapshot.shapes[task.shape.index()];
  pod.request = shape.request;
  pod.constraints = shape.constraints;
  if (task.labels.is_valid()) pod.labels = snapshot.labels[task.labels.index()];
  pod.times = task.times;
  if (pod.terminating && !pod.times.grace_ends) pod.times.grace_ends = snapshot.now;
  if (task.started != TimePoint::min()) pod.started = task.started;
  if (task.scheduled_at != TimePoint::min()) pod.scheduled = task.scheduled_at;
  add_deadline(task, pod);
  pod.runs_forever = task.runs_forever;
  pod.is_daemon = task.is_of_node;
  if (pod.is_daemon) {
    pod.owner.kind = "DaemonSet";
    pod.owner.name = pod.owner.uid = "daemons";
  }
  return typed(kCore, "Pod", embedded::pod_json(pod));
}

}  // namespace

std::string snapshot_json(const Snapshot& snapshot) {
  std::string text = R"({"apiVersion":"v1","kind":"List","items":[)";
  const char* separator = "\n";
  const auto add = [&](const std::string& item) {
    text.append(separator).append(item);
    separator = ",\n";
  };
  for (const NodeObject& node : snapshot.nodes) add(node_item(node));
  for (const QueueObject& queue : snapshot.objects.queues) {
    add(typed(kVolcano, "Queue", history::queue_text(queue)));
  }
  for (const TopologyObject& topology : snapshot.objects.topologies) {
    if (const std::string item = topology_item(topology); !item.empty()) add(item);
  }
  for (const BudgetObject& budget : snapshot.budgets) add(budget_item(budget));
  for (const PodGroupObject& group : snapshot.groups) add(group_item(group));
  for (const Task& task : snapshot.tasks) add(pod_item(task, snapshot));
  return text + "\n]}\n";
}

}  // namespace berth::daemon
