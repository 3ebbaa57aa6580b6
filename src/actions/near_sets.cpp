#include "actions/near_sets.h"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/memory.h"

namespace berth::actions {

using namespace engine;

namespace {

// A rule whose level is known.
struct Resolved {
  TopologyName topology;
  std::optional<std::size_t> required;
  std::string level;
};

std::optional<FoundLevel> level_of(const TopologyTable& topologies, const LevelName& name) {
  if (name.is_none()) return std::nullopt;
  const Result<FoundLevel> found = topologies.find_level(name);
  return found ? std::optional(*found) : std::nullopt;
}

// None: it asks for nothing.
std::optional<Resolved> resolve(const NearRule& rule, const TopologyTable& topologies) {
  if (const auto required = level_of(topologies, rule.required); required && required->level) {
    return Resolved{required->topology, required->level, rule.required.text()};
  }
  if (const auto preferred = level_of(topologies, rule.preferred)) {
    return Resolved{preferred->topology, std::nullopt, rule.preferred.text()};
  }
  const auto trees = topologies.trees();
  if (!rule.is_as_near_as_can || trees.empty()) return std::nullopt;
  const auto& of_volcano = trees.back();  // the only ones who write that
  return Resolved{of_volcano.first, std::nullopt, {}};
}

// Which part of the rule each pod is of. By its place among those of the job, where that is known.
using PartKey = std::pair<std::vector<std::string>, std::int64_t>;

std::map<PartKey, std::vector<TaskId>> parts_of(const Cluster& cluster, const NearRule& rule,
                                                const std::vector<TaskId>& tasks) {
  std::map<PartKey, std::vector<TaskId>> parts;
  std::map<std::vector<std::string>, std::vector<TaskId>> by_labels;
  for (const TaskId id : tasks) {
    std::vector<std::string> values;
    for (const std::string& key : rule.pods.parted_by) {
      values.push_back(*cluster.relations().labels().find(cluster.task(id).labels, key));
    }
    by_labels[std::move(values)].push_back(id);
  }
  for (auto& [values, members] : by_labels) {
    bool are_numbered = true;  // each by another number
    for (std::size_t i = 0; i < members.size(); ++i) {
      const std::int64_t before = i == 0 ? -1 : cluster.task(members[i - 1]).index;
      are_numbered = are_numbered && cluster.task(members[i]).index > before;
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
      const std::int64_t number =
          are_numbered ? cluster.task(members[i]).index : static_cast<std::int64_t>(i);
      const std::int64_t part = rule.part_size > 0 ? number / rule.part_size : 0;
      parts[{values, part}].push_back(members[i]);
    }
  }
  return parts;
}

// Of two rules about the same pods in one topology, the nearer level counts.
void add(std::vector<NearSet>& sets, NearSet set) {
  const auto same = std::find_if(sets.begin(), sets.end(), [&](const NearSet& each) {
    return each.nodes == set.nodes && each.waiting == set.waiting && each.there == set.there;
  });
  if (same == sets.end()) return sets.push_back(std::move(set));
  if (!set.required || (same->required && *same->required >= *set.required)) return;
  same->required = set.required;
  same->level = std::move(set.level);
}

// Those that have ended, or leave, are near nobody.
bool counts(const Task& task) {
  return task.status != TaskStatus::releasing && task.status != TaskStatus::succeeded &&
         task.status != TaskStatus::failed;
}

bool is_one_of(const std::vector<TaskId>& sorted, TaskId id) {
  return std::binary_search(sorted.begin(), sorted.end(), id);
}

}  // namespace

// TOPO-16
std::vector<NearSet> near_sets(Session& session, const Job& job, const std::vector<TaskId>& tasks) {
  const Cluster& cluster = session.cluster();
  std::vector<TaskId> sorted = tasks;
  std::sort(sorted.begin(), sorted.end());
  std::vector<NearSet> sets;
  for (std::size_t r = 0; r < job.topology.rules.size(); ++r) {
    const NearRule& rule = job.topology.rules[r];
    const std::optional<Resolved> resolved = resolve(rule, cluster.topologies());
    if (!resolved) continue;
    const TreeNodes& nodes = session.memory().trees.of(cluster, resolved->topology);
    std::vector<TaskId> about;
    for (const TaskId id : job.tasks) {
      const Task& task = cluster.task(id);
      if ((task.near_rules >> r & 1) != 0 && counts(task)) about.push_back(id);
    }
    for (const auto& [key, members] : parts_of(cluster, rule, about)) {
      NearSet set{&nodes, resolved->required, resolved->level, {}, {}};
      for (const TaskId id : members) {
        if (cluster.task(id).node.is_valid()) set.there.push_back(cluster.task(id).node);
        if (is_one_of(sorted, id)) set.waiting.push_back(id);
      }
      if (!set.waiting.empty() && members.size() > 1) add(sets, std::move(set));
    }
  }
  std::stable_sort(sets.begin(), sets.end(), [](const NearSet& left, const NearSet& right) {
    if (left.waiting.size() != right.waiting.size())
      return left.waiting.size() > right.waiting.size();
    return left.required.has_value() && !right.required;
  });
  return sets;
}

bool are_in_one_domain(const NearSet& set, const std::vector<NodeId>& nodes) {
  const TreeDomainId domain = set.nodes->around(nodes);
  return domain.is_valid() && set.nodes->tree().domain(domain).level >= *set.required;
}

bool are_apart(Session& session, const Job& job) {
  if (job.topology.rules.empty()) return false;
  const std::vector<NearSet> sets = near_sets(session, job, job.tasks);
  return std::any_of(sets.begin(), sets.end(), [](const NearSet& each) {
    return each.required && !each.there.empty() && !are_in_one_domain(each, each.there);
  });
}

}  // namespace berth::actions
