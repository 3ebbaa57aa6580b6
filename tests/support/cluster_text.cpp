#include "support/cluster_text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "berth/base/text.h"
#include "support/pod_text.h"
#include "support/relation_text.h"
#include "support/topology_text.h"
#include "support/volume_text.h"

namespace berth::support {

namespace {

using Changes = std::vector<Change>;

Error error_at(const SceneLine& line, const std::string& message) {
  return Error{message, line.where()};
}

Change event(std::string key, ClusterEvent what) {
  return {std::move(key), [what = std::move(what)](World& world) { world.apply(what); }};
}

TimePoint created_of(SceneLine& line, TimePoint now) {
  const std::string text = line.text_of("created");
  if (text.empty()) return now;
  const bool earlier = text.front() == '-';
  const auto by = parse_duration(text.substr(earlier || text.front() == '+' ? 1 : 0));
  if (!by) line.accuse("created: " + by.error().message);
  if (!by) return now;
  return earlier ? now - *by : now + *by;
}

std::optional<Duration> duration_of(SceneLine& line, const std::string& key) {
  if (!line.has(key)) return std::nullopt;
  const auto duration = parse_duration(line.text_of(key));
  if (!duration) line.accuse(key + ": " + duration.error().message);
  return duration ? std::optional(*duration) : std::nullopt;
}

Changes read_queue(SceneLine& line, TimePoint now) {
  QueueObject queue = mirror::bare_queue(line.word(1));
  queue.created = created_of(line, now);
  queue.weight = static_cast<std::int32_t>(line.number_of("weight", 1));
  const std::string state = line.text_of("state", "open");
  if (state == "closed") queue.state = QueueState::closed;
  if (state == "closing") queue.state = QueueState::closing;
  queue.priority = static_cast<std::int32_t>(line.number_of("priority", 0));
  queue.parent = line.text_of("parent");
  queue.fault = line.text_of("fault");
  queue.guarantee = line.amounts_of("guarantee");
  queue.guarantee_share_of = line.list_of("share-of");
  constexpr std::int64_t kThousandth = 1'000'000;  // in billionths
  queue.guarantee_share_billionths =
      static_cast<std::int32_t>(kThousandth * line.number_of("share", 0));
  queue.guarantees_hard = line.flag("hard");
  queue.names_policy = line.flag("policy") || queue.guarantees_hard;
  queue.capability = line.amounts_of("capability");
  queue.deserved = line.amounts_of("deserved");
  queue.is_fifo = line.flag("fifo");
  queue.reclaimable = !line.flag("not-reclaimable");
  queue.scheduler = line.text_of("scheduler");
  queue.preempt_min_run_time = duration_of(line, "preempt-min-run-time");
  queue.reclaim_min_run_time = duration_of(line, "reclaim-min-run-time");
  queue.default_time_limit = duration_of(line, "default-limit");
  queue.max_time_limit = duration_of(line, "max-limit");
  for (const auto& [key, value] : read_labels(line.list_of("for"))) {
    queue.namespaces.requirements.push_back({key, Operator::in, {value}});
  }
  return {event("queue " + queue.name, queue)};
}

Changes read_node(SceneLine& line, TimePoint now) {
  NodeObject node;
  node.name = line.word(1);
  node.uid = "node:" + node.name;
  node.created = now;
  node.unschedulable = line.flag("unschedulable");
  node.labels = read_labels(line.list_of("labels"));
  node.labels["kubernetes.io/hostname"] = node.name;
  node.taints = read_taints(line);
  node.allocatable = line.amounts();
  node.allocatable.try_emplace("pods", 110);
  for (const std::string& item : line.list_of("images")) {  // NAME=MiB
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos) line.accuse("expected NAME=MiB, not \"" + item + "\"");
    node.images.emplace_back(item.substr(0, equals),
                             std::int64_t{std::atoi(item.c_str() + equals + 1)} << 20);
  }
  node.locked_for = line.text_of("locked-for");
  node.locked_for_queue = line.text_of("locked-for-queue");
  return {event("node " + node.name, node)};
}

Changes read_priority_class(SceneLine& line, TimePoint) {
  PriorityClassObject object;
  object.name = line.word(1);
  object.value = static_cast<std::int32_t>(line.number_of("value", 0));
  object.global_default = line.flag("default");
  object.never_preempts = line.flag("never-preempts");
  return {event("class " + object.name, object)};
}

Changes read_device_class(SceneLine& line, TimePoint) {
  const DeviceClassObject object{line.word(1), line.text_of("offers")};
  return {event("device class " + object.name, object)};
}

Changes read_namespace(SceneLine& line, TimePoint) {
  NamespaceObject object;
  object.name = line.word(1);
  object.queue = line.text_of("queue");
  object.labels = read_labels(line.list_of("labels"));
  return {event("namespace " + object.name, object)};
}

Changes read_job(SceneLine& line, TimePoint now) {
  PodGroupObject group;
  const std::string name = full_name(line.word(1));
  group.name_space = name.substr(0, name.find('/'));
  group.name = name.substr(name.find('/') + 1);
  group.uid = "group:" + name;
  group.created = created_of(line, now);
  group.queue = line.text_of("queue");
  group.priority_class = line.text_of("priority");
  group.min_member = static_cast<std::int32_t>(line.number_of("min", 1));
  for (const auto& [role, minimum] : read_labels(line.list_of("roles"))) {
    group.min_task_member[role] = std::atoi(minimum.c_str());
  }
  group.time_limit = duration_of(line, "limit");
  const auto limit = parse_duration(line.text_of("sla", "0"));
  if (!limit) line.accuse("sla: " + limit.error().message);
  if (limit && line.has("sla")) group.waiting_limit = *limit;
  const std::string phase = line.text_of("phase");
  if (phase == "inqueue") group.phase = GroupPhase::inqueue;
  if (phase == "running") group.phase = GroupPhase::running;
  if (phase == "completed") group.phase = GroupPhase::completed;
  // Most groups of scenarios exist before their pods, and are ours.
  group.scheduler = line.text_of("scheduler", "berth");
  if (line.flag("unclaimed")) group.scheduler.clear();
  group.marks = read_marks(line, now);
  group.owner_uid = line.text_of("owner");
  group.eviction = read_eviction_terms(line);
  group.fault = line.text_of("fault");
  group.waits_for = line.text_of("waits-for");
  group.leaves_whole = line.flag("leaves-whole");
  group.never_preempts = line.flag("never-preempts");
  group.topology = read_wish(line, false);
  if (line.flag("needs")) group.min_resources = line.amounts();
  return {event("group " + name, group)};
}

// Controllers of pods or groups: "owner j names", "owner j kind=Job pods=8 gang=all".
Changes read_owner(SceneLine& line, TimePoint now) {
  OwnerObject owner;
  owner.uid = line.word(1);
  owner.names_target = line.flag("names");
  owner.declines_target = line.flag("declines");
  owner.name_space = "default";
  owner.self = owner_reference(line.text_of("kind"), owner.uid);
  if (line.has("of"))
    owner.controller = owner_reference(line.text_of("of-kind"), line.text_of("of"));
  if (line.has("gang")) owner.gang = {kGangAnnotation, line.text_of("gang")};
  owner.queue.queue = line.text_of("queue");
  owner.queue.local_queue = line.text_of("local-queue");
  const auto count_of = [&](const char* key) {
    return static_cast<std::int32_t>(line.number_of(key, 0));
  };
  if (line.has("pods")) owner.at_once = count_of("pods");
  if (line.has("first")) owner.at_first = count_of("first");
  if (line.has("first")) owner.in_turn = "in turn";
  if (const auto length = read_duration(line, "deadline")) {
    owner.deadline = JobDeadline{*length, {}};
    if (const auto ago = read_duration(line, "started")) owner.deadline->since = now - *ago;
  }
  return {event("owner " + owner.uid, owner)};
}

// "selects=app:web,tier", "selects=*", or nothing.
Changes read_budget(SceneLine& line, TimePoint) {
  BudgetObject budget;
  const std::string name = full_name(line.word(1));
  budget.name_space = name.substr(0, name.find('/'));
  budget.name = name.substr(name.find('/') + 1);
  budget.uid = "budget:" + name;
  budget.allowed = static_cast<std::int32_t>(line.number_of("allowed", 0));
  budget.disrupted = line.list_of("disrupted");
  std::sort(budget.disrupted.begin(), budget.disrupted.end());
  if (line.has("selects")) budget.selector.emplace();
  for (const auto& [key, value] : read_labels(line.list_of("selects"))) {
    if (key != "*") budget.selector->push_back({key, Operator::in, {value}});
  }
  return {event("budget " + name, budget)};
}

Changes read_task(SceneLine& line, TimePoint now) {
  const auto range = parse_range(line.word(1));
  if (!range || range->last < range->first) {
    line.accuse("expected a range of tasks, such as \"j1/0..2\"");
    return {};
  }
  PodObject like = read_pod_options(line);
  read_end_of_grace(line, now, like);
  if (line.flag("unmanaged")) like.scheduler_name = "volcano";
  like.created = created_of(line, now);
  if (!like.node_name.empty()) like.started = now;
  like.marks = read_marks(line, now);
  const std::string group = full_name(range->name);
  like.name_space = group.substr(0, group.find('/'));
  like.constraints.relations = read_relations(line, like.name_space);
  like.topology = read_wish(line, true);
  const VolumeWishes wishes = read_volume_wishes(line);
  const std::string stem = group.substr(group.find('/') + 1);
  if (!line.flag("ungrouped")) like.group = stem;
  Changes changes;
  for (std::int64_t index = range->first; index <= range->last; ++index) {
    PodObject pod = like;
    pod.name = stem + "-" + std::to_string(index);
    pod.index = index;
    pod.uid = pod.full_name();
    pod.volumes = wishes_of(wishes, pod.name, index);
    changes.push_back(event("pod " + pod.uid, pod));
  }
  return changes;
}

Changes read_pod(SceneLine& line, TimePoint now) {
  const bool is_foreign = line.flag("unmanaged");
  PodObject pod = read_pod_options(line);
  read_end_of_grace(line, now, pod);
  pod.created = created_of(line, now);
  if (!pod.node_name.empty()) pod.started = now;
  if (is_foreign) pod.scheduler_name = "default-scheduler";
  pod.marks = read_marks(line, now);
  const std::string name = full_name(line.word(1));
  pod.name_space = name.substr(0, name.find('/'));
  pod.name = name.substr(name.find('/') + 1);
  pod.constraints.relations = read_relations(line, pod.name_space);
  pod.volumes = wishes_of(read_volume_wishes(line), pod.name, 0);
  pod.queue = line.text_of("queue");
  pod.uid = name;
  return {event("pod " + pod.uid, pod)};
}

// From the first such line on, volumes are known.
Changes read_of_storage(SceneLine& line, TimePoint) {
  const StorageObject object = read_storage(line);
  return {event("volumes", StorageKnown{}),
          event(std::string(to_string(object.kind())) + " " + object.full_name(), object)};
}

Changes read_topology_line(SceneLine& line, TimePoint) {
  return {event("topology " + line.word(1), read_topology(line))};
}

Changes read_fate(SceneLine& line, TimePoint) {
  const std::string verb = line.word(0);
  const auto names = pod_names(line.word(1));
  if (!names) {
    line.accuse(names.error().message);
    return {};
  }
  Changes changes;
  for (const std::string& name : *names) {
    changes.push_back({"pod " + name, [verb, name](World& world) {
                         if (verb == "finish") world.finish(name, true);
                         if (verb == "fail") world.finish(name, false);
                         if (verb == "terminate") world.terminate(name);
                         if (verb == "drop") world.drop(name);
                         if (verb == "refuse-eviction") world.refuse_eviction(name);
                         if (verb == "veto") world.veto(name);
                       }});
  }
  return changes;
}

Changes read_delete(SceneLine& line, TimePoint) {
  const std::string kind = line.word(1);
  const std::string name = line.word(2);
  if (kind == "node") return {event("node " + name, NodeDeleted{name})};
  if (kind == "queue") return {event("queue " + name, QueueDeleted{name})};
  if (kind == "priorityclass") return {event("class " + name, PriorityClassDeleted{name})};
  if (kind == "namespace") return {event("namespace " + name, NamespaceDeleted{name})};
  if (kind == "deviceclass") return {event("device class " + name, DeviceClassDeleted{name})};
  if (kind == "budget") return {event("budget " + full_name(name), BudgetDeleted{full_name(name)})};
  if (kind == "claim") {
    return {event("PersistentVolumeClaim " + full_name(name),
                  StorageDeleted{StorageKind::claim, full_name(name)})};
  }
  if (kind == "volume") {
    return {event("PersistentVolume " + name, StorageDeleted{StorageKind::volume, name})};
  }
  if (kind == "job") {
    return {event("group " + full_name(name), PodGroupDeleted{full_name(name)})};
  }
  const auto names = pod_names(name);
  if ((kind != "task" && kind != "pod") || !names) {
    line.accuse(
        "expected delete node|queue|priorityclass|namespace|budget|claim|volume|job|task|pod "
        "NAME");
    return {};
  }
  Changes changes;
  for (const std::string& each : *names) {
    changes.push_back({"pod " + each, [each](World& world) { world.remove(each); }});
  }
  return changes;
}

using Reader = Changes (*)(SceneLine&, TimePoint);

const std::map<std::string, Reader>& readers() {
  static const std::map<std::string, Reader> all{{"queue", read_queue},
                                                 {"node", read_node},
                                                 {"priorityclass", read_priority_class},
                                                 {"deviceclass", read_device_class},
                                                 {"job", read_job},
                                                 {"task", read_task},
                                                 {"namespace", read_namespace},
                                                 {"pod", read_pod},
                                                 {"fail", read_fate},
                                                 {"delete", read_delete},
                                                 {"terminate", read_fate},
                                                 {"drop", read_fate},
                                                 {"finish", read_fate},
                                                 {"veto", read_fate},
                                                 {"owner", read_owner},
                                                 {"refuse-eviction", read_fate},
                                                 {"budget", read_budget},
                                                 {"topology", read_topology_line}};
  return all;
}

}  // namespace

bool is_change(const SceneLine& line) {
  return readers().contains(line.word(0)) || is_about_storage(line.word(0));
}

Result<std::vector<Change>> read_changes(SceneLine& line, TimePoint now) {
  const Reader read = is_about_storage(line.word(0)) ? read_of_storage : readers().at(line.word(0));
  Changes changes = read(line, now);
  if (!line.fault().empty()) return error_at(line, line.fault());
  if (const auto key = line.unread(); !key.empty()) {
    return error_at(line, "\"" + key + "\" means nothing to \"" + line.word(0) + "\"");
  }
  const std::size_t words = line.word(0) == "delete" ? 3 : 2;
  if (line.words().size() != words) return error_at(line, "a word too many or too few");
  return changes;
}

std::string full_name(const std::string& text) {
  const std::size_t colon = text.find(':');
  return colon == std::string::npos ? "default/" + text
                                    : text.substr(0, colon) + "/" + text.substr(colon + 1);
}

Result<std::vector<std::string>> pod_names(const std::string& text) {
  const auto range = parse_range(text);
  if (!range) return range.error();
  const std::string base = full_name(range->name);
  std::vector<std::string> names;
  if (range->last < range->first) names.push_back(base);
  for (std::int64_t i = range->first; i <= range->last; ++i) {
    names.push_back(base + "-" + std::to_string(i));
  }
  return names;
}

}  // namespace berth::support
