#include "support/near_law.h"

#include <algorithm>
#include <map>
#include <set>

namespace berth::support {

namespace {

using Domains = std::map<std::int64_t, std::set<std::string>>;  // by part

// The values of the labels from the outermost level to this one. Empty: one is missing.
std::string domain_of(const TopologyTree& tree, std::size_t level, const Node& node) {
  std::string path;
  for (std::size_t l = 0; l <= level; ++l) {
    const auto label = node.labels.find(tree.levels()[l].label);
    if (label == node.labels.end() || label->second.empty()) return {};
    path += "/" + label->second;
  }
  return path;
}

bool are_apart(const std::set<std::string>& domains) {
  return domains.size() > 1 || domains.contains("");
}

}  // namespace

bool must_be_near(const Job& job) {
  return std::any_of(job.topology.rules.begin(), job.topology.rules.end(),
                     [](const NearRule& each) { return !each.required.is_none(); });
}

std::vector<std::string> broken_near_laws(const Cluster& before, const Plan& plan) {
  std::map<TaskId, NodeId> binds;
  for (const Placement& each : plan.binds) binds[each.task] = each.node;
  std::vector<std::string> faults;
  for (std::size_t j = 0; j < before.job_slots(); ++j) {
    const Job& job = before.job(JobId(j));
    for (std::size_t r = 0; job.exists && r < job.topology.rules.size(); ++r) {
      const NearRule& rule = job.topology.rules[r];
      if (rule.required.is_none() || !rule.pods.parted_by.empty()) continue;
      const Result<FoundLevel> level = before.topologies().find_level(rule.required);
      if (!level || !level->level) continue;
      const TopologyTree& tree = *before.topologies().find(level->topology);
      if (tree.levels()[*level->level].label.empty()) continue;  // of a HyperNode
      Domains then;
      Domains now;
      std::int64_t members = 0;
      for (const TaskId id : job.tasks) {
        const Task& task = before.task(id);
        if ((task.near_rules >> r & 1) == 0) continue;
        ++members;
        const std::int64_t part = rule.part_size > 0 ? task.index / rule.part_size : 0;
        const bool is_there = task.node.is_valid() && task.status != TaskStatus::releasing;
        const auto bind = binds.find(id);
        if (!is_there && bind == binds.end()) continue;
        const NodeId node = bind != binds.end() ? bind->second : task.node;
        const std::string domain = domain_of(tree, *level->level, before.node(node));
        now[part].insert(domain);
        if (is_there) then[part].insert(domain);
      }
      for (const auto& [part, domains] : now) {
        if (members > 1 && are_apart(domains) && !are_apart(then[part])) {
          faults.push_back("job " + job.name + " is apart: " + rule.nearness_text());
        }
      }
    }
  }
  return faults;
}

}  // namespace berth::support
