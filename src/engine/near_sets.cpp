#include "engine/near_sets.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "berth/engine/need.h"
#include "engine/memory.h"

namespace berth::engine {

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
  same->starts_whole |= set.starts_whole;
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

// The tasks that the rule of this number is about.
std::vector<TaskId> tasks_of_rule(const Cluster& cluster, const Job& job, std::size_t rule) {
  std::vector<TaskId> about;
  for (const TaskId id : job.tasks) {
    const Task& task = cluster.task(id);
    if ((task.near_rules >> rule & 1) != 0 && counts(task)) about.push_back(id);
  }
  return about;
}

bool makes_whole_parts(const NearRule& rule, const std::optional<Resolved>& resolved) {
  return rule.part_size > 0 && resolved && resolved->required;
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
    const bool starts_whole = makes_whole_parts(rule, resolved);
    for (const auto& [key, members] : parts_of(cluster, rule, tasks_of_rule(cluster, job, r))) {
      NearSet set{&nodes, resolved->required, resolved->level, starts_whole, {}, {}};
      for (const TaskId id : members) {
        if (cluster.task(id).node.is_valid()) set.there.push_back(cluster.task(id).node);
        if (is_one_of(sorted, id)) set.waiting.push_back(id);
      }
      if (!set.waiting.empty() && members.size() > 1) add(sets, std::move(set));
    }
  }
  const auto size_of = [&](const NearSet& set) {
    std::int64_t size = 0;
    for (const TaskId id : set.waiting) size += part_of_cluster(cluster, cluster.shape_of(id));
    return std::tuple(size, set.waiting.size(), set.required.has_value());
  };
  std::vector<std::pair<decltype(size_of(sets.front())), NearSet>> by_size;
  for (NearSet& each : sets) by_size.emplace_back(size_of(each), std::move(each));
  std::stable_sort(by_size.begin(), by_size.end(),
                   [](const auto& left, const auto& right) { return left.first > right.first; });
  std::transform(by_size.begin(), by_size.end(), sets.begin(),
                 [](auto& each) { return std::move(each.second); });
  return sets;
}

std::map<ShapeId, std::int64_t> waiting_kinds(const Cluster& cluster, const NearSet& set) {
  std::map<ShapeId, std::int64_t> kinds;
  for (const TaskId id : set.waiting) ++kinds[cluster.task(id).shape];
  return kinds;
}

std::size_t whole_parts_first(const Cluster& cluster, const Job& job, std::span<TaskId> tasks,
                              std::size_t count) {
  count = std::min(count, tasks.size());
  if (count == 0 || count == tasks.size()) return count;
  std::set<TaskId> first(tasks.begin(), tasks.begin() + static_cast<std::ptrdiff_t>(count));
  for (std::size_t before = 0; std::exchange(before, first.size()) < first.size();) {
    for (std::size_t r = 0; r < job.topology.rules.size(); ++r) {
      const NearRule& rule = job.topology.rules[r];
      if (!makes_whole_parts(rule, resolve(rule, cluster.topologies()))) continue;
      for (const auto& [key, members] : parts_of(cluster, rule, tasks_of_rule(cluster, job, r))) {
        const bool is_among = std::any_of(members.begin(), members.end(),
                                          [&](TaskId id) { return first.contains(id); });
        if (is_among) first.insert(members.begin(), members.end());
      }
    }
  }
  const auto end = std::stable_partition(tasks.begin(), tasks.end(),
                                         [&](TaskId id) { return first.contains(id); });
  return static_cast<std::size_t>(end - tasks.begin());
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

}  // namespace berth::engine
