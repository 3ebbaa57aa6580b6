#include <algorithm>
#include <utility>

#include "world/laws.h"

// Of nodes that are locked for targets.

namespace berth::world {

void Laws::node_changed(const ApiServer::Change& change) {
  const auto* const node = std::get_if<NodeObject>(&change.event);
  if (node == nullptr || node->locked_for.empty()) {
    locks_.erase(change.key);
    locked_since_.erase(change.key);
    return;
  }
  const auto [lock, is_new] = locks_.try_emplace(change.key, node->locked_for, agenda_.now());
  const bool is_same = !is_new && lock->second.first == node->locked_for;
  if (!is_same) lock->second = {node->locked_for, agenda_.now()};
  const TimePoint since = node->locked_since.value_or(TimePoint());
  const TimePoint before = std::exchange(locked_since_[change.key], since);
  if (is_same && since > before + kUnderWay &&
      !was_given_up(node->locked_for, lock->second.second)) {
    break_law("the lock of node " + change.key + " for " + node->locked_for + " begins anew");
  }
}

const PodGroupObject* Laws::target_of(const std::string& locked_for) const {
  for (const auto& [name, group] : server_.all<PodGroupObject>()) {
    if (locked_for == "job." + group.object.uid) return &group.object;
  }
  return nullptr;
}

// BEHIND-3. Jobs may start beside a target: its nodes hold it once those have left that leave.
bool Laws::holds_target(const std::string& locked_for) const {
  const PodGroupObject* const group = target_of(locked_for);
  const Job* const target = group != nullptr
                                ? inhabitants_.job_of_group(*group)
                                : inhabitants_.job_of(locked_for.substr(locked_for.find('.') + 1));
  if (target == nullptr) return false;
  std::int64_t slots = 0;
  for (const auto& [name, node] : server_.all<NodeObject>()) {
    const bool is_closed = node.object.unschedulable || !node.object.taints.empty();
    if (node.object.locked_for != locked_for || is_closed) continue;
    slots += std::max<std::int64_t>(0, claims_.room_on(node.object)) / target->cpu;
  }
  return slots >= (group == nullptr ? 1 : target->minimum - count_bound(*target, true));
}

// Whether the target of a lock is still there and has no place; else only the write is late.
bool Laws::waits(const std::string& locked_for) const {
  if (const PodGroupObject* const group = target_of(locked_for)) {
    const Job* const job = inhabitants_.job_of_group(*group);
    return job != nullptr && !job->is_over && count_bound(*job, true) < job->minimum;
  }
  const PodObject* const pod = server_.find<PodObject>(locked_for.substr(locked_for.find('.') + 1));
  return pod != nullptr && pod->node_name.empty();
}

// It may have been chosen again before the lock was seen to be lifted.
bool Laws::was_given_up(const std::string& locked_for, TimePoint since) const {
  const PodGroupObject* const group = target_of(locked_for);
  if (group == nullptr) return false;
  const auto at = given_up_.find(group->full_name());
  return at != given_up_.end() && at->second >= since && agenda_.now() - at->second < kUnderWay;
}

// Others may take what the plan of the target, or its claims, leave over of its nodes, even if they
// end then.
bool Laws::had_plan(const std::string& locked_for, TimePoint at) const {
  const PodGroupObject* const group = target_of(locked_for);
  if (group == nullptr) return false;
  const auto planned = planned_.find(group->full_name());
  return planned != planned_.end() && planned->second <= at && at - planned->second < kUnderWay;
}

// A pod of another profile may come while no berthd leads, as it is ignorable then.
void Laws::check_lock(const NodeObject& node, const PodObject& came) {
  if (came.scheduler_name != "berth") return;
  const auto since = locks_.find(node.name);
  if (since == locks_.end() || agenda_.now() - since->second.second < kUnderWay) return;
  const Job* const job = inhabitants_.job_of(came.uid);
  const PodGroupObject* const group = job == nullptr ? nullptr : inhabitants_.group_of(*job);
  const bool is_its_own = node.locked_for == "job." + came.uid ||
                          (group != nullptr && node.locked_for == "job." + group->uid);
  if (!is_its_own && waits(node.locked_for) && !holds_target(node.locked_for)) {
    trespasses_.push_back({node.name, node.locked_for, came.name, agenda_.now()});
  }
}

// The lock may have been lifted, and only the write be late.
void Laws::look_at_trespasses() {
  std::erase_if(trespasses_, [this](const Trespass& each) {
    const auto lock = locks_.find(each.node);
    const bool is_lifted = lock == locks_.end() || lock->second.first != each.locked_for ||
                           lock->second.second > each.at || !waits(each.locked_for) ||
                           had_plan(each.locked_for, each.at);
    if (!is_lifted && agenda_.now() - each.at < kUnderWay) return false;
    if (!is_lifted) {
      break_law("node " + each.node + " is locked for " + each.locked_for + ", and pod " +
                each.pod + " came");
    }
    return true;
  });
}

}  // namespace berth::world
