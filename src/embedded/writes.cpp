#include <algorithm>
#include <utility>

#include "embedded/api_server.h"
#include "ports/applied_write.h"

// The writes of Berth, by an API server's rules.

namespace berth::embedded {
namespace {

using WriteResult = ports::WriteOutcome::Result;

void add_toleration(PodObject& pod, const std::string& locked_for) {
  std::vector<std::string>& some = pod.lock_tolerations.some;
  const auto at = std::lower_bound(some.begin(), some.end(), locked_for);
  if (at == some.end() || *at != locked_for) some.insert(at, locked_for);
}

}  // namespace

ports::WriteOutcome ApiServer::write(const ports::Write& write) {
  const PodObject* const pod = find<PodObject>(write.object.uid);
  if (std::holds_alternative<ports::Eviction>(write.content) && pod != nullptr) {
    const std::string refusal = disrupt(*pod);
    if (!refusal.empty()) return {WriteResult::refused, "evict " + refusal};
  }
  const bool is_there =
      std::visit([&](const auto& content) { return put(write.object, content); }, write.content);
  if (is_there) return {};
  return {WriteResult::gone, std::string(to_string(write.object.kind)) + " \"" +
                                 write.object.full_name() + "\" not found"};
}

// There is no controller that allows more when pods are back: users set the status of a budget.
std::string ApiServer::disrupt(const PodObject& pod) {
  if (pod.terminating || pod.phase != PodPhase::running) return {};
  const BudgetObject* its = nullptr;
  for (const auto& [name, stored] : all<BudgetObject>()) {
    const BudgetObject& budget = stored.object;
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
  change<BudgetObject>(its->full_name(), [&](BudgetObject& budget) {
    --budget.allowed;
    auto& names = budget.disrupted;
    names.insert(std::lower_bound(names.begin(), names.end(), pod.name), pod.name);
  });
  return {};
}

// A commit and a touch have a number, so each is a change.
bool ApiServer::put(const ports::ObjectRef& object, const ports::PodWrite& write) {
  using Verb = ports::PodWrite::Kind;
  const PodObject* const found = find<PodObject>(object.uid);
  if (found == nullptr) return false;
  if (!found->node_name.empty()) return true;
  PodObject pod = *found;
  if (write.kind == Verb::nominate) pod.nominated_node = write.node;
  if (write.kind == Verb::tolerate) add_toleration(pod, write.locked_for);
  if (write.kind == Verb::commit) {
    pod.planned_node = write.node;
    std::erase(pod.gates, kPlanGate);
  }
  if (write.kind == Verb::commit || write.kind == Verb::touch || pod != *found) {
    put(std::move(pod));
  }
  return true;
}

bool ApiServer::change_group(const ports::ObjectRef& object,
                             const std::function<void(PodGroupObject&)>& how) {
  const std::string name = object.full_name();
  if (object.kind == ports::ObjectKind::composite_pod_group) {
    const CompositeGroupObject* const found = find<CompositeGroupObject>(name);
    return found != nullptr && found->group.uid == object.uid &&
           change<CompositeGroupObject>(name, [&](auto& composite) { how(composite.group); });
  }
  const PodGroupObject* const found = find<PodGroupObject>(name);
  return found != nullptr && found->uid == object.uid && change<PodGroupObject>(name, how);
}

bool ApiServer::put(const ports::ObjectRef& object, const ports::GroupStatus& status) {
  return change_group(object, [&](PodGroupObject& group) {
    group.phase = status.phase;
    group.written = {.running = status.running,
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
  const QueueObject* const found = find<QueueObject>(object.name);
  if (found == nullptr || found->uid != object.uid) return false;
  return change<QueueObject>(object.name, [&](QueueObject& queue) {
    queue.written = status.written;
    if (status.state) queue.state = *status.state;
  });
}

bool ApiServer::put(const ports::ObjectRef& object, const ports::NodeLock& lock) {
  const NodeObject* const node = find<NodeObject>(object.name);
  if (node == nullptr || node->uid != object.uid) return false;
  return change<NodeObject>(object.name, [&](NodeObject& each) { ports::apply(lock, each); });
}

bool ApiServer::put(const ports::ObjectRef& object, const TargetMarks& wanted) {
  const auto mark = [&](auto& each) { ports::apply(wanted, each.marks); };
  if (object.kind == ports::ObjectKind::pod) return change<PodObject>(object.uid, mark);
  return change_group(object, mark);
}

bool ApiServer::put(const ports::ObjectRef& object, const ports::PodCondition& condition) {
  return change<PodObject>(object.uid, [&](PodObject& pod) {
    if (pod.node_name.empty()) ports::apply(condition, pod);
  });
}

bool ApiServer::put(const ports::ObjectRef& object, const ports::GroupSpec& spec) {
  using Verb = ports::GroupSpec::Verb;
  const std::string full_name = object.full_name();
  if (spec.verb == Verb::make) {
    if (find<PodGroupObject>(full_name) != nullptr) return true;  // another made it
    PodGroupObject group;
    group.name_space = object.name_space;
    group.name = object.name;
    group.uid = "PodGroup:" + full_name;
    group.owner_uid = spec.owner.uid;
    group.is_made_by_berth = true;
    group.min_member = spec.min_member;
    group.queue = spec.queue;
    group.created = clock_.now();
    put(std::move(group));
    return true;
  }
  const PodGroupObject* const group = find<PodGroupObject>(full_name);
  if (group == nullptr || group->uid != object.uid) return false;
  if (spec.verb == Verb::remove) {
    erase<PodGroupObject>(full_name);
    return true;
  }
  return change_group(object, [&](PodGroupObject& each) {
    each.min_member = spec.min_member;
    each.queue = spec.queue;
  });
}

bool ApiServer::put(const ports::ObjectRef& object, const ports::Eviction&) {
  if (find<PodObject>(object.uid) == nullptr) return false;
  delete_pod(object.uid);
  return true;
}

// No part of an embedded cluster reads events.
bool ApiServer::put(const ports::ObjectRef&, const ports::Event&) { return true; }

}  // namespace berth::embedded
