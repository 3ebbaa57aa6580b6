#include "world/api_server.h"

#include <utility>

#include "ports/applied_write.h"

namespace berth::world {
namespace {

using WriteResult = ports::WriteOutcome::Result;

bool has_ended(const PodObject& pod) {
  return pod.phase == PodPhase::succeeded || pod.phase == PodPhase::failed;
}

template <class Objects>
auto* find_in(const Objects& objects, const std::string& key) {
  const auto found = objects.find(key);
  return found == objects.end() ? nullptr : &found->second.object;
}

}  // namespace

const char* to_string(Kind kind) {
  switch (kind) {
    case Kind::node:
      return "nodes";
    case Kind::pod:
      return "pods";
    case Kind::group:
      return "podgroups";
    default:
      return "queues";
  }
}

const PodObject* ApiServer::find_pod(const std::string& uid) const { return find_in(pods_, uid); }

const PodObject* ApiServer::find_pod_named(const std::string& full_name) const {
  for (const auto& [uid, pod] : pods_) {
    if (pod.object.full_name() == full_name) return &pod.object;
  }
  return nullptr;
}

void ApiServer::compact() {
  oldest_ = version_;
  changes_.clear();
}

std::vector<ApiServer::Change> ApiServer::list(Kind kind) const {
  std::vector<Change> all;
  const auto add = [&](const auto& objects) {
    for (const auto& [key, stored] : objects) {
      Change change{stored.version, kind, key, stored.object, "ADDED", "ADDED", {}};
      if constexpr (std::is_same_v<std::decay_t<decltype(stored.object)>, PodObject>) {
        describe_pod(stored.object, change);
      }
      all.push_back(std::move(change));
    }
  };
  if (kind == Kind::node) add(nodes_);
  if (kind == Kind::pod) add(pods_);
  if (kind == Kind::group) add(groups_);
  if (kind == Kind::queue) add(queues_);
  return all;
}

void ApiServer::note(Change change) {
  change.version = version_;
  changes_.push_back(std::move(change));
  const Change last = changes_.back();  // a follower may make the next change
  for (const auto& follower : followers_) follower(last);
}

// As the view's clients read it. An ended pod is deleted for a client that selects the others.
void ApiServer::describe_pod(const PodObject& pod, Change& change) {
  change.sample = {.name = pod.name,
                   .version = std::to_string(change.version),
                   .uid = pod.uid,
                   .node = pod.node_name,
                   .scheduler = pod.scheduler_name,
                   .is_terminating = pod.terminating};
  if (!has_ended(pod)) return;
  change.sample.phase = "Succeeded";
  change.selected.clear();
}

template <class Object>
void ApiServer::store(Objects<Object>& objects, Kind kind, const std::string& key, Object object) {
  const bool is_new = !objects.contains(key);
  ++version_;
  Change change{version_, kind, key, object, is_new ? "ADDED" : "MODIFIED", {}, {}};
  change.selected = change.type;
  if constexpr (std::is_same_v<Object, PodObject>) {
    const bool had_ended = !is_new && has_ended(objects.at(key).object);
    describe_pod(object, change);
    if (has_ended(object) && !had_ended) change.selected = "DELETED";
  }
  objects[key] = {version_, std::move(object)};
  note(std::move(change));
}

template <class Object>
bool ApiServer::edit(Objects<Object>& objects, Kind kind, const std::string& key,
                     const std::function<void(Object&)>& edit) {
  const auto found = objects.find(key);
  if (found == objects.end()) return false;
  Object object = found->second.object;
  edit(object);
  if (object == found->second.object) return true;
  store(objects, kind, key, std::move(object));
  return true;
}

template <class Object, class Deleted>
void ApiServer::erase(Objects<Object>& objects, Kind kind, const std::string& key,
                      Deleted deleted) {
  const auto found = objects.find(key);
  if (found == objects.end()) return;
  const Object object = std::move(found->second.object);
  objects.erase(found);
  ++version_;
  Change change{version_, kind, key, std::move(deleted), "DELETED", "DELETED", {}};
  if constexpr (std::is_same_v<Object, PodObject>) describe_pod(object, change);
  note(std::move(change));
}

void ApiServer::put(NodeObject node) {
  const std::string key = node.name;
  store(nodes_, Kind::node, key, std::move(node));
}

void ApiServer::put(PodGroupObject group) {
  const std::string key = group.full_name();
  store(groups_, Kind::group, key, std::move(group));
}

void ApiServer::put(QueueObject queue) {
  const std::string key = queue.name;
  store(queues_, Kind::queue, key, std::move(queue));
}

void ApiServer::create(PodObject pod) {
  const std::string key = pod.uid;
  store(pods_, Kind::pod, key, std::move(pod));
}

void ApiServer::change_node(const std::string& name, const std::function<void(NodeObject&)>& edit) {
  this->edit(nodes_, Kind::node, name, edit);
}

void ApiServer::change_pod(const std::string& uid, const std::function<void(PodObject&)>& edit) {
  this->edit(pods_, Kind::pod, uid, edit);
}

void ApiServer::change_group(const std::string& name,
                             const std::function<void(PodGroupObject&)>& edit) {
  this->edit(groups_, Kind::group, name, edit);
}

void ApiServer::delete_node(const std::string& name) {
  erase(nodes_, Kind::node, name, NodeDeleted{name});
  // The collector of orphaned pods.
  std::vector<std::string> orphans;
  for (const auto& [uid, pod] : pods_) {
    if (pod.object.node_name == name) orphans.push_back(uid);
  }
  for (const std::string& uid : orphans) remove_pod(uid);
}

void ApiServer::delete_group(const std::string& full_name) {
  erase(groups_, Kind::group, full_name, PodGroupDeleted{full_name});
}

void ApiServer::delete_pod(const std::string& uid) {
  const PodObject* const pod = find_pod(uid);
  if (pod == nullptr) return;
  if (pod->node_name.empty() || has_ended(*pod)) return remove_pod(uid);
  change_pod(uid, [](PodObject& each) { each.terminating = true; });
}

void ApiServer::remove_pod(const std::string& uid) {
  erase(pods_, Kind::pod, uid, PodDeleted{uid});
}

ports::BindOutcome ApiServer::bind(const ports::Binding& binding) {
  const std::string name = binding.name_space + "/" + binding.name;
  const PodObject* const pod = find_pod_named(name);
  const auto refuse = [&](const std::string& why) {
    return ports::BindOutcome{false, "pod \"" + name + "\" " + why};
  };
  if (pod == nullptr) return refuse("not found");
  if (pod->uid != binding.uid) return refuse("has another uid");
  if (pod->node_name == binding.node) return {true, ""};
  if (!pod->node_name.empty())
    return refuse("is already assigned to node \"" + pod->node_name + "\"");
  if (pod->terminating) return refuse("is being deleted");
  if (has_ended(*pod)) return refuse("has finished");
  change_pod(binding.uid, [&](PodObject& each) {
    each.node_name = binding.node;
    each.nominated_node.clear();
    each.scheduled = agenda_.now();
    each.not_scheduled.clear();
    each.unschedulable.clear();
  });
  return {true, ""};
}

// --- Berth's writes ----------------------------------------------------------------------------

ports::WriteOutcome ApiServer::write(const ports::Write& write) {
  const std::uint64_t before = version_;
  const bool is_there =
      std::visit([&](const auto& content) { return put(write.object, content); }, write.content);
  const bool is_event = std::holds_alternative<ports::Event>(write.content);
  if (is_there && version_ == before && !is_event) {
    ++idle_writes_;
    agenda_.note("a write of kind " + std::to_string(write.content.index()) + " on " +
                 write.object.full_name() + " changes nothing");
  }
  if (is_there) return {};
  return {WriteResult::gone, write.object.full_name() + " not found"};
}

bool ApiServer::put(const ports::ObjectRef& object, const ports::PodWrite& write) {
  return edit<PodObject>(pods_, Kind::pod, object.uid, [&](PodObject& pod) {
    if (!pod.node_name.empty()) return;
    if (write.kind == ports::PodWrite::Kind::nominate) pod.nominated_node = write.node;
    if (write.kind != ports::PodWrite::Kind::commit) return;
    pod.planned_node = write.node;
    std::erase(pod.gates, kPlanGate);
  });
}

bool ApiServer::put(const ports::ObjectRef& object, const ports::GroupStatus& status) {
  const PodGroupObject* const group = find_in(groups_, object.full_name());
  if (group == nullptr || group->uid != object.uid) return false;
  return edit<PodGroupObject>(groups_, Kind::group, object.full_name(), [&](PodGroupObject& each) {
    each.phase = status.phase;
    each.written = {.running = status.running,
                    .succeeded = status.succeeded,
                    .failed = status.failed,
                    .is_scheduled = status.is_scheduled,
                    .scheduled_since = status.scheduled_since,
                    .waits_since = status.waits_since,
                    .reason = status.reason,
                    .message = status.message,
                    .waiting = status.waiting,
                    .targeted = status.targeted,
                    .honoured = status.honoured};
  });
}

bool ApiServer::put(const ports::ObjectRef& object, const ports::QueueStatus& status) {
  return edit<QueueObject>(queues_, Kind::queue, object.name, [&](QueueObject& queue) {
    queue.written = status.written;
    if (status.state) queue.state = *status.state;
  });
}

bool ApiServer::put(const ports::ObjectRef& object, const ports::NodeLock& lock) {
  const NodeObject* const node = find_in(nodes_, object.name);
  if (node == nullptr || node->uid != object.uid) return false;
  return edit<NodeObject>(nodes_, Kind::node, object.name,
                          [&](NodeObject& each) { ports::apply(lock, each); });
}

bool ApiServer::put(const ports::ObjectRef& object, const TargetMarks& wanted) {
  if (object.kind == ports::ObjectKind::pod) {
    return edit<PodObject>(pods_, Kind::pod, object.uid,
                           [&](PodObject& pod) { ports::apply(wanted, pod.marks); });
  }
  return edit<PodGroupObject>(groups_, Kind::group, object.full_name(),
                              [&](PodGroupObject& group) { ports::apply(wanted, group.marks); });
}

bool ApiServer::put(const ports::ObjectRef& object, const ports::GangRecord&) {
  return edit<PodGroupObject>(groups_, Kind::group, object.full_name(),
                              [](PodGroupObject& group) { group.is_recorded = true; });
}

bool ApiServer::put(const ports::ObjectRef& object, const ports::PodCondition& condition) {
  return edit<PodObject>(pods_, Kind::pod, object.uid, [&](PodObject& pod) {
    if (pod.node_name.empty()) ports::apply(condition, pod);
  });
}

bool ApiServer::put(const ports::ObjectRef& object, const ports::GroupSpec& spec) {
  using Verb = ports::GroupSpec::Verb;
  if (spec.verb == Verb::remove) {
    delete_group(object.full_name());
    return true;
  }
  return edit<PodGroupObject>(groups_, Kind::group, object.full_name(), [&](PodGroupObject& each) {
    each.min_member = spec.min_member;
    each.queue = spec.queue;
  });
}

bool ApiServer::put(const ports::ObjectRef& object, const ports::Eviction&) {
  const PodObject* const pod = find_pod(object.uid);
  if (pod == nullptr) return false;
  if (!pod->terminating) delete_pod(object.uid);
  return true;
}

bool ApiServer::put(const ports::ObjectRef&, const ports::Event&) { return true; }

}  // namespace berth::world
