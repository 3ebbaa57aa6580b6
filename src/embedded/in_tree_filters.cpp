#include "embedded/in_tree_filters.h"

#include <algorithm>
#include <optional>

#include "berth/base/number.h"
#include "berth/model/queue_nodes.h"

namespace berth::embedded {
namespace {

bool tolerates(const Toleration& toleration, const Taint& taint) {
  if (toleration.effect != TaintEffect::any && toleration.effect != taint.effect) return false;
  if (toleration.key.empty()) return toleration.exists;
  if (toleration.key != taint.key) return false;
  return toleration.exists || toleration.value == taint.value;
}

bool is_tolerated(const Taint& taint, const PodObject& pod) {
  const auto& tolerations = pod.constraints.tolerations;
  return std::any_of(tolerations.begin(), tolerations.end(),
                     [&](const Toleration& toleration) { return tolerates(toleration, taint); });
}

// The codec reads locks apart from other taints (NodeObject).
bool is_kept_off_by_lock(const PodObject& pod, const NodeObject& node) {
  const LockTolerations& tolerated = pod.lock_tolerations;
  return (node.has_lock_taint && !tolerated.cover(node.locked_for)) ||
         (node.has_queue_lock_taint &&
          !tolerated.cover(std::string(kLockedForQueue) + node.locked_for_queue));
}

bool keeps_pods_off(const Taint& taint) { return taint.effect != TaintEffect::prefer_no_schedule; }

bool compares(const Expression& expression, const std::string& actual) {
  if (expression.values.size() != 1) return false;
  const auto left = parse_number<std::int64_t>(actual);
  const auto right = parse_number<std::int64_t>(expression.values.front());
  if (!left || !right) return false;
  return expression.op == Operator::greater ? *left > *right : *left < *right;
}

bool holds(const Expression& expression, const std::string* actual) {
  const auto is_listed = [&] {
    const auto& values = expression.values;
    return std::find(values.begin(), values.end(), *actual) != values.end();
  };
  switch (expression.op) {
    case Operator::in:
      return actual != nullptr && is_listed();
    case Operator::not_in:
      return actual == nullptr || !is_listed();
    case Operator::exists:
      return actual != nullptr;
    case Operator::does_not_exist:
      return actual == nullptr;
    default:
      return actual != nullptr && compares(expression, *actual);
  }
}

bool matches(const SelectorTerm& term, const NodeObject& node) {
  if (term.labels.empty() && term.fields.empty()) return false;
  const bool labels_hold =
      std::all_of(term.labels.begin(), term.labels.end(), [&](const Expression& expression) {
        const auto label = node.labels.find(expression.key);
        return holds(expression, label == node.labels.end() ? nullptr : &label->second);
      });
  return labels_hold &&
         std::all_of(term.fields.begin(), term.fields.end(), [&](const Expression& expression) {
           return expression.key == "metadata.name" && holds(expression, &node.name);
         });
}

bool affinity_holds(const NodeObject& node, const Constraints& constraints) {
  for (const auto& [key, value] : constraints.node_selector) {
    const auto label = node.labels.find(key);
    if (label == node.labels.end() || label->second != value) return false;
  }
  const auto& terms = constraints.required_terms;
  return !constraints.has_required_terms ||
         std::any_of(terms.begin(), terms.end(),
                     [&](const SelectorTerm& term) { return matches(term, node); });
}

bool is_wildcard(const std::string& ip) { return ip.empty() || ip == "0.0.0.0"; }

}  // namespace

bool node_admits(const NodeObject& node, const PodObject& pod) {
  if (node.unschedulable) {
    const Taint cordon{"node.kubernetes.io/unschedulable", "", TaintEffect::no_schedule};
    if (!is_tolerated(cordon, pod)) return false;
  }
  const bool taints_allow = std::all_of(
      node.taints.begin(), node.taints.end(),
      [&](const Taint& taint) { return !keeps_pods_off(taint) || is_tolerated(taint, pod); });
  if (is_kept_off_by_lock(pod, node)) return false;
  return taints_allow && affinity_holds(node, pod.constraints);
}

bool ports_clash(const std::vector<HostPort>& wanted, const std::vector<HostPort>& taken) {
  for (const HostPort& mine : wanted) {
    for (const HostPort& theirs : taken) {
      if (mine.port != theirs.port || mine.protocol != theirs.protocol) continue;
      if (mine.ip == theirs.ip || is_wildcard(mine.ip) || is_wildcard(theirs.ip)) return true;
    }
  }
  return false;
}

}  // namespace berth::embedded
