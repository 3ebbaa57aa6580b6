#include <algorithm>

#include "berth/model/bounds.h"
#include "kube/codecs.h"
#include "kube/fields.h"
#include "kube/group_api.h"
#include "kube/topology_wish.h"

namespace berth::kube {

namespace {

// The phases of both API groups. An unknown phase counts as not admitted.
GroupPhase phase_of(std::string_view text) {
  if (text == "Inqueue" || text == "PreScheduling" || text == "Scheduling" || text == "Scheduled") {
    return GroupPhase::inqueue;
  }
  if (text == "Running") return GroupPhase::running;
  if (text == "Unknown") return GroupPhase::unknown;
  if (text == "Completed" || text == "Finished" || text == "Failed") return GroupPhase::completed;
  return GroupPhase::pending;
}

std::int32_t read_count(const document::Cursor& count) {
  return static_cast<std::int32_t>(count.integer(0, 0, kCountMax));
}

WrittenWaiting read_waiting(const document::Cursor& waiting) {
  WrittenWaiting written;
  written.reason = waiting["reason"].text();
  written.queue = waiting["queue"].text();
  written.position_text = waiting["position"].text();
  WaitingPosition& position = written.position;
  position.in_queue = read_count(waiting["queuePosition"]);
  position.queue_waiting = read_count(waiting["queueWaiting"]);
  position.ahead = read_count(waiting["jobsAhead"]);
  position.ahead_in_namespace = read_count(waiting["jobsAheadInNamespace"]);
  for (const document::Cursor& name : waiting["aheadInNamespace"].items()) {
    position.names.push_back(name.text());
  }
  written.start = read_start(waiting);
  return written;
}

// Volcano's definition keeps the condition alone, whose message ends in the position.
void split_position(WrittenStatus& written) {
  const std::size_t at = written.message.rfind(kBeforePosition);
  if (at == std::string::npos) return;
  const std::string position = written.message.substr(at + kBeforePosition.size());
  const bool is_ordinal = !position.empty() && position[0] >= '1' && position[0] <= '9';
  if (!is_ordinal || position.find(" in queue ") == std::string::npos) return;
  written.message.resize(at);
  written.waiting.position_text = position;
}

WrittenStatus read_group_status(const document::Cursor& status) {
  WrittenStatus written;
  written.running = read_count(status["running"]);
  written.succeeded = read_count(status["succeeded"]);
  written.failed = read_count(status["failed"]);
  for (const document::Cursor& condition : status["conditions"].items()) {
    const std::string type = condition["type"].text();
    const bool holds = condition["status"].text() == "True";
    const TimePoint since = condition["lastTransitionTime"].time();
    if (type == "Scheduled") {
      written.is_scheduled = holds;
      written.scheduled_since = since;
    }
    if (type == "Honoured") {
      written.honoured = {holds, condition["reason"].text(), condition["message"].text(), since};
    }
    if (type == "Targeted") {
      written.targeted = {holds, condition["reason"].text(), condition["message"].text(), since};
    }
    if (type != "Unschedulable") continue;
    written.waits_since = since;
    if (!holds) continue;
    written.reason = condition["reason"].text();
    written.message = condition["message"].text();
    split_position(written);
  }
  if (status["waiting"].is_present()) written.waiting = read_waiting(status["waiting"]);
  return written;
}

// KUBEGROUP-6. v1alpha2 has the words "Pod" and "PodGroup".
bool leaves_whole(const document::Cursor& mode) {
  if (!mode.is_present()) return false;
  const bool is_word = mode.value()->kind == document::Kind::string;
  return is_word ? mode.text() == "PodGroup" : mode["all"].is_present();
}

// KUBEGROUP-1, KUBEGROUP-2. Without a gang policy, each pod starts by itself.
void read_policy(const document::Cursor& spec, PodGroupObject& group) {
  const document::Cursor gang = spec["schedulingPolicy"]["gang"];
  group.min_member = static_cast<std::int32_t>(gang["minCount"].integer(1, 1, kCountMax));
  group.parent = read_name(spec["parentCompositePodGroupName"]);
  group.leaves_whole = leaves_whole(spec["disruptionMode"]);
  group.never_preempts = spec["preemptionPolicy"].text() == "Never";  // KUBEGROUP-7
  if (!spec["resourceClaims"].items().empty()) {
    group.not_honoured.emplace_back("spec.resourceClaims");
  }
}

// KUBEGROUP-5. Its status knows only whether it is scheduled.
void read_kube_status(const document::Cursor& status, PodGroupObject& group) {
  group.written = {};
  for (const document::Cursor& condition : status["conditions"].items()) {
    const std::string type = condition["type"].text();
    // Items of lists do not say their version.
    const bool is_of_136 = type == scheduled_condition(GroupApi::kubernetes_alpha);
    if (type != scheduled_condition(group.api) && !is_of_136) continue;
    const TimePoint since = condition["lastTransitionTime"].time();
    group.written.is_scheduled = condition["status"].text() == "True";
    if (group.written.is_scheduled) {
      group.written.scheduled_since = since;
      group.phase = GroupPhase::running;
    } else {
      group.written.waits_since = since;
      group.written.reason = condition["reason"].text();
      group.written.message = condition["message"].text();
    }
  }
}

// The status of scheduling.x-k8s.io: phases instead of Volcano's conditions.
void read_foreign_status(const document::Cursor& status, PodGroupObject& group) {
  const std::string phase = status["phase"].text();
  group.written.is_scheduled = phase == "Scheduled" || phase == "Running" || phase == "Finished";
  if (status["scheduleStartTime"].is_present()) group.started = status["scheduleStartTime"].time();
}

// TOPO-24. Parts are whole: as many pods as those that start together have.
void count_parts(PodGroupObject& group) {
  std::int64_t needed = 0;
  for (const NearRule& rule : group.topology.rules) {
    needed += std::int64_t{rule.min_parts} * rule.part_size;
  }
  needed = std::min<std::int64_t>(needed, kCountMax);
  group.min_member = std::max(group.min_member, static_cast<std::int32_t>(needed));
}

// BOUND-2
void read_roles(const document::Cursor& minimums, PodGroupObject& group) {
  const auto entries = minimums.entries();
  if (entries.size() > bounds::kRolesOfGroup) {
    minimums.complain(std::to_string(entries.size()) + " roles, expected at most " +
                      std::to_string(bounds::kRolesOfGroup));
    return;
  }
  for (const auto& [role, minimum] : entries) {
    if (role.size() > bounds::kNameLength) {
      minimums.complain("the name of a role has " + std::to_string(role.size()) +
                        " bytes, expected at most " + std::to_string(bounds::kNameLength));
      continue;
    }
    group.min_task_member.emplace(role,
                                  static_cast<std::int32_t>(minimum.integer(0, 0, kCountMax)));
  }
}

Result<PodGroupObject> decode_group(GroupApi api, const document::Value& value,
                                    std::string_view file, Complaint* complaint) {
  document::Reading reading(value, file, strictness(complaint));
  const document::Cursor root = reading.root();
  const char* const kind = api == GroupApi::composite ? "CompositePodGroup" : "PodGroup";
  Metadata metadata = read_metadata(root, kind, Scope::namespaced);
  if (reading.failed()) return reading.error();
  const document::Cursor spec = root["spec"];
  PodGroupObject group;
  group.name_space = std::move(metadata.name_space);
  group.name = std::move(metadata.name);
  group.uid = std::move(metadata.uid);
  group.created = metadata.created;
  group.queue = read_name(spec["queue"]);
  if (group.queue.empty()) {
    group.queue = read_name(root["metadata"]["annotations"]["scheduling.volcano.sh/queue-name"]);
  }
  group.priority_class = read_name(spec["priorityClassName"]);
  const std::int64_t min_member = spec["minMember"].integer(1, 0, kCountMax);
  group.min_member = static_cast<std::int32_t>(std::max<std::int64_t>(1, min_member));
  read_roles(spec["minTaskMember"], group);
  if (spec["minResources"].is_present()) group.min_resources = read_amounts(spec["minResources"]);
  group.waiting_limit = read_waiting_limit(root);
  group.time_limit = read_stated_limit(root);
  group.eviction = read_eviction_terms(root);
  group.marks = read_marks(root, group.created);
  group.owner_uid = read_controller(root).uid;
  group.is_made_by_berth = root["metadata"]["annotations"][kMadeForAnnotation].is_present();
  group.scheduler = read_name(root["metadata"]["annotations"][kSchedulerAnnotation]);
  document::Reading of_status(value, file);
  const document::Cursor status = of_status.root()["status"];
  group.phase = phase_of(status["phase"].text());
  group.api = api;
  group.topology = read_group_wish(root, api);
  count_parts(group);
  if (is_of_kubernetes(api)) read_policy(spec, group);
  group.written = read_group_status(status);
  if (group.api == GroupApi::sig) read_foreign_status(status, group);
  if (is_of_kubernetes(api)) read_kube_status(status, group);
  if (is_refused(reading, complaint)) return reading.error();
  if (reading.failed()) group.fault = reading.error().message;  // API-25
  if (!of_status.failed()) return group;
  if (complaint == nullptr) return of_status.error();
  // An unreadable status is no fault of the group: we write it anew.
  group.written = {};
  if (!*complaint) *complaint = of_status.error();
  return group;
}

}  // namespace

Result<PodGroupObject> decode_pod_group(const document::Value& value, std::string_view file,
                                        Complaint* complaint) {
  const document::Value* const version = value.find("apiVersion");
  return decode_group(group_api(version == nullptr ? "" : version->text), value, file, complaint);
}

Result<PodGroupObject> decode_kube_pod_group(const document::Value& value, std::string_view file,
                                             Complaint* complaint) {
  return decode_group(GroupApi::kubernetes, value, file, complaint);
}

Result<CompositeGroupObject> decode_composite_group(const document::Value& value,
                                                    std::string_view file, Complaint* complaint) {
  Result<PodGroupObject> group = decode_group(GroupApi::composite, value, file, complaint);
  if (!group) return group.error();
  CompositeGroupObject composite{std::move(group).value(), 0};
  document::Reading reading(value, file, strictness(complaint));
  const document::Cursor gang = reading.root()["spec"]["schedulingPolicy"]["gang"];
  if (gang.is_present()) {
    composite.min_groups =
        static_cast<std::int32_t>(gang["minGroupCount"].integer(1, 1, kCountMax));
  }
  if (is_refused(reading, complaint)) return reading.error();
  if (reading.failed()) composite.group.fault = reading.error().message;  // API-25
  return composite;
}

}  // namespace berth::kube
