#include "embedded/preemption.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace berth::embedded {
namespace {

std::int32_t priority_of(const PodObject& pod) { return pod.priority.value_or(0); }

TimePoint start_of(const PodObject& pod) { return pod.started.value_or(TimePoint::max()); }

bool is_more_important(const PodObject& left, const PodObject& right) {
  return std::pair(-std::int64_t{priority_of(left)}, start_of(left)) <
         std::pair(-std::int64_t{priority_of(right)}, start_of(right));
}

bool protects(const BudgetObject& budget, const PodObject& pod) {
  const auto value_of = [&](const std::string& key) -> const std::string* {
    const auto found = std::find_if(pod.labels.begin(), pod.labels.end(),
                                    [&](const auto& label) { return label.first == key; });
    return found == pod.labels.end() ? nullptr : &found->second;
  };
  return budget.name_space == pod.name_space && !pod.labels.empty() && budget.selector &&
         !budget.selector->empty() && budget.selects(value_of) && !budget.counts(pod.name);
}

// Those of the victims for which a budget has nothing left, if all of them leave.
std::set<std::string> violating(const std::vector<PodObject>& victims,
                                const ApiServer::Objects<BudgetObject>& budgets) {
  std::set<std::string> uids;
  std::map<std::string, std::int32_t> taken;
  for (const PodObject& pod : victims) {
    const bool violates = std::any_of(budgets.begin(), budgets.end(), [&](const auto& entry) {
      const BudgetObject& budget = entry.second.object;
      return protects(budget, pod) && ++taken[entry.first] > budget.allowed;
    });
    if (violates) uids.insert(pod.uid);
  }
  return uids;
}

}  // namespace

std::optional<Victims> victims_on(const SchedulerCache::Node& node, const PodObject& pod,
                                  SchedulerCache& cache, const std::vector<PodObject>& there,
                                  const ApiServer::Objects<BudgetObject>& budgets) {
  std::vector<PodObject> lower;
  SchedulerCache::Trial trial(cache, pod, node);
  for (const PodObject& each : there) {
    if (priority_of(each) >= priority_of(pod)) continue;
    trial.remove(each.uid);
    lower.push_back(each);
  }
  if (lower.empty() || !trial.takes()) return std::nullopt;
  std::stable_sort(lower.begin(), lower.end(), is_more_important);
  const std::set<std::string> violates = violating(lower, budgets);
  Victims victims{node.object.name, {}, 0};
  for (const bool is_violating : {true, false}) {
    for (const PodObject& each : lower) {
      if (violates.contains(each.uid) != is_violating) continue;
      trial.add_again(each.uid);
      if (trial.takes()) continue;
      trial.remove(each.uid);
      victims.pods.push_back(each);
      victims.violations += is_violating;
    }
  }
  if (victims.pods.empty()) return std::nullopt;
  std::stable_sort(victims.pods.begin(), victims.pods.end(), is_more_important);
  return victims;
}

const Victims& least_harm(const std::vector<Victims>& candidates) {
  const auto harm = [](const Victims& victims) {
    constexpr std::int64_t kNoneNegative = std::int64_t{1} << 31;
    const std::int64_t highest = priority_of(victims.pods.front());
    std::int64_t sum = 0;
    TimePoint start = start_of(victims.pods.front());
    for (const PodObject& pod : victims.pods) {
      sum += priority_of(pod) + kNoneNegative;
      if (priority_of(pod) == highest) start = std::min(start, start_of(pod));
    }
    return std::tuple(victims.violations, highest, sum, victims.pods.size(),
                      -start.time_since_epoch().count());
  };
  return *std::min_element(
      candidates.begin(), candidates.end(),
      [&](const Victims& left, const Victims& right) { return harm(left) < harm(right); });
}

}  // namespace berth::embedded
