#include <algorithm>
#include <utility>

#include "embedded/embedded_cluster.h"
#include "ports/applied_write.h"

// The writes of Berth, by an API server's rules.

namespace berth::embedded {

namespace {

using Kind = ports::PodWrite::Kind;
using WriteResult = ports::WriteOutcome::Result;

void commit(PodObject& pod, const ports::PodWrite& write) {
  pod.planned_node = write.node;
  std::erase(pod.gates, kPlanGate);
}

void add_toleration(PodObject& pod, const std::string& locked_for) {
  std::vector<std::string>& some = pod.lock_tolerations.some;
  const auto at = std::lower_bound(some.begin(), some.end(), locked_for);
  if (at == some.end() || *at != locked_for) some.insert(at, locked_for);
}

}  // namespace

void EmbeddedCluster::write(const ports::Write& write,
                            std::function<void(ports::WriteOutcome)> done) {
  bool is_there = false;
  std::string refusal;
  {
    const std::lock_guard lock(mutex_);
    const auto pod = pods_.find(write.object.uid);
    if (std::holds_alternative<ports::Eviction>(write.content) && pod != pods_.end()) {
      refusal = disrupt(pod->second);
    }
    is_there =
        !refusal.empty() ||
        std::visit([&](const auto& content) { return put(write.object, content); }, write.content);
  }
  changed_.notify_all();
  if (!refusal.empty()) return done({WriteResult::refused, "evict " + refusal});
  if (is_there) return done({});
  done({WriteResult::gone, std::string(to_string(write.object.kind)) + " \"" +
                               write.object.full_name() + "\" not found"});
}

// As the API server does it. There is no controller that allows more when pods are back: users set
// the status of a budget.
std::string EmbeddedCluster::disrupt(const PodObject& pod) {
  if (pod.terminating || pod.phase != PodPhase::running) return {};
  BudgetObject* its = nullptr;
  for (auto& [name, budget] : budgets_) {
    const auto value_of = [&](const std::string& key) -> const std::string* {
      const auto found = std::find_if(pod.labels.begin(), pod.labels.end(),
                                      [&](const auto& label) { return label.first == key; });
      return found == pod.labels.end() ? nullptr : &found->second;
    };
    if (budget.name_space != pod.name_space || !budget.selects(value_of)) continue;
    if (its != nullptr) {
      return pod.full_name() + ": This pod has more than one PodDisruptionBudget, which the " +
             "eviction subresource does not support.";
    }
    its = &budget;
  }
  if (its == nullptr) return {};
  if (its->allowed == 0) {
    return pod.full_name() + ": Cannot evict pod as it would violate the pod's disruption " +
           "budget. The disruption budget " + its->name + " allows 0 disruptions";
  }
  --its->allowed;
  its->disrupted.insert(std::lower_bound(its->disrupted.begin(), its->disrupted.end(), pod.name),
                        pod.name);
  notify_watchers(*its);
  return {};
}

bool EmbeddedCluster::put(const ports::ObjectRef& object, const ports::PodWrite& write) {
  const auto pod = pods_.find(object.uid);
  if (pod == pods_.end()) return false;
  if (!pod->second.node_name.empty()) return true;
  const PodObject before = pod->second;
  if (write.kind == Kind::nominate) pod->second.nominated_node = write.node;
  if (write.kind == Kind::tolerate) add_toleration(pod->second, write.locked_for);
  if (write.kind == Kind::commit) commit(pod->second, write);
  // A commit and a touch are events even if they change nothing that we model.
  if (write.kind != Kind::nominate || pod->second != before) notify_watchers(pod->second);
  return true;
}

void EmbeddedCluster::clear_nomination(const std::string& pod_uid) {
  {
    const std::lock_guard lock(mutex_);
    const auto pod = pods_.find(pod_uid);
    if (pod == pods_.end() || pod->second.nominated_node.empty()) return;
    pod->second.nominated_node.clear();
    notify_watchers(pod->second);
  }
  changed_.notify_all();
}

PodGroupObject* EmbeddedCluster::find_group(const ports::ObjectRef& object) {
  const auto group = groups_.find(object.full_name());
  return group == groups_.end() || group->second.uid != object.uid ? nullptr : &group->second;
}

bool EmbeddedCluster::put(const ports::ObjectRef& object, const ports::GroupStatus& status) {
  PodGroupObject* group = find_group(object);
  if (group == nullptr) return false;
  statuses_[object.full_name()] = status;
  group->phase = status.phase;
  WrittenStatus& written = group->written;
  written.running = status.running;
  written.succeeded = status.succeeded;
  written.failed = status.failed;
  written.is_scheduled = status.is_scheduled;
  written.scheduled_since = status.scheduled_since;
  written.waits_since = status.waits_since;
  written.reason = status.reason;
  written.message = status.message;
  written.waiting = status.waiting;
  written.targeted = status.targeted;
  notify_watchers(*group);
  return true;
}

// No part of the embedded cluster reads a status of a queue or an event.
bool EmbeddedCluster::put(const ports::ObjectRef&, const ports::QueueStatus&) { return true; }

bool EmbeddedCluster::put(const ports::ObjectRef&, const ports::Event&) { return true; }

bool EmbeddedCluster::put(const ports::ObjectRef& object, const ports::NodeLock& lock) {
  const auto found = nodes_.find(object.name);
  if (found == nodes_.end() || found->second.uid != object.uid) return false;
  ports::apply(lock, found->second);
  notify_watchers(found->second);
  return true;
}

bool EmbeddedCluster::put(const ports::ObjectRef& object, const TargetMarks& wanted) {
  if (object.kind == ports::ObjectKind::pod) {
    const auto pod = pods_.find(object.uid);
    if (pod == pods_.end()) return false;
    ports::apply(wanted, pod->second.marks);
    notify_watchers(pod->second);
    return true;
  }
  PodGroupObject* group = find_group(object);
  if (group == nullptr) return false;
  ports::apply(wanted, group->marks);
  notify_watchers(*group);
  return true;
}

bool EmbeddedCluster::put(const ports::ObjectRef& object, const ports::GangRecord&) {
  PodGroupObject* group = find_group(object);
  if (group == nullptr) return false;
  group->is_recorded = true;
  notify_watchers(*group);
  return true;
}

bool EmbeddedCluster::put(const ports::ObjectRef& object, const ports::GroupSpec& spec) {
  using Verb = ports::GroupSpec::Verb;
  const std::string full_name = object.full_name();
  if (spec.verb == Verb::make) {
    if (groups_.contains(full_name)) return true;  // another made it
    PodGroupObject group;
    group.name_space = object.name_space;
    group.name = object.name;
    group.uid = "PodGroup:" + full_name;
    group.owner_uid = spec.owner.uid;
    group.is_made_by_berth = true;
    group.min_member = spec.min_member;
    group.queue = spec.queue;
    put(std::move(group));
    return true;
  }
  PodGroupObject* group = find_group(object);
  if (group == nullptr) return false;
  if (spec.verb == Verb::remove) {
    drop(PodGroupDeleted{full_name});
    return true;
  }
  group->min_member = spec.min_member;
  group->queue = spec.queue;
  notify_watchers(*group);
  return true;
}

bool EmbeddedCluster::put(const ports::ObjectRef& object, const ports::PodCondition& condition) {
  const auto pod = pods_.find(object.uid);
  if (pod == pods_.end()) return false;
  if (!pod->second.node_name.empty()) return true;
  ports::apply(condition, pod->second);
  notify_watchers(pod->second);
  return true;
}

bool EmbeddedCluster::put(const ports::ObjectRef& object, const ports::Eviction&) {
  const auto pod = pods_.find(object.uid);
  if (pod == pods_.end()) return false;
  if (!pod->second.terminating) begin_removal(pod->second);
  return true;
}

std::optional<ports::GroupStatus> EmbeddedCluster::group_status(
    const std::string& full_name) const {
  const std::lock_guard lock(mutex_);
  const auto found = statuses_.find(full_name);
  if (found == statuses_.end()) return std::nullopt;
  return found->second;
}

std::optional<NodeObject> EmbeddedCluster::node(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = nodes_.find(name);
  if (found == nodes_.end()) return std::nullopt;
  return found->second;
}

std::optional<PodGroupObject> EmbeddedCluster::group(const std::string& full_name) const {
  const std::lock_guard lock(mutex_);
  const auto found = groups_.find(full_name);
  if (found == groups_.end()) return std::nullopt;
  return found->second;
}

}  // namespace berth::embedded
