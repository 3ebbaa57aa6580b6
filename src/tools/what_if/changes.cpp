#include "tools/what_if/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "berth/base/text.h"
#include "simulation/cluster_copy.h"
#include "simulation/names.h"
#include "simulation/trial.h"
#include "tools/simulate/variants.h"

namespace berth::tools {

namespace {

using simulation::NodeTime;

NodeObject* find_node(std::vector<ClusterEvent>& objects, const std::string& name) {
  for (ClusterEvent& object : objects) {
    auto* const node = std::get_if<NodeObject>(&object);
    if (node != nullptr && node->name == name) return node;
  }
  return nullptr;
}

std::set<std::string> names_of_nodes(const std::vector<ClusterEvent>& objects) {
  std::set<std::string> names;
  for (const ClusterEvent& object : objects) {
    if (const auto* const node = std::get_if<NodeObject>(&object)) names.insert(node->name);
  }
  return names;
}

Error no_such_node(const std::string& name, const char* flag) {
  return Error{fmt::format("\"{}\" is no node of the input", name), flag};
}

// They come with each node that is like it.
std::vector<PodObject> daemons_on(const std::string& node,
                                  const std::vector<ClusterEvent>& objects) {
  std::vector<PodObject> daemons;
  for (const ClusterEvent& object : objects) {
    const auto* const pod = std::get_if<PodObject>(&object);
    if (pod != nullptr && pod->is_daemon && pod->node_name == node) daemons.push_back(*pod);
  }
  return daemons;
}

Status add_nodes(const NewNodes& wanted, std::vector<ClusterEvent>& objects,
                 std::vector<NodeTime>& later) {
  const std::string& like = wanted.like.name;
  const NodeObject* const model = find_node(objects, like);
  if (model == nullptr) return no_such_node(like, kAddNodes);
  NodeObject node = *model;
  node.unschedulable = false;
  node.locked_for.clear();
  node.locked_since.reset();
  node.locked_for_queue.clear();
  node.locked_for_queue_since.reset();
  node.has_lock_taint = node.has_queue_lock_taint = false;
  const std::vector<PodObject> daemons = daemons_on(like, objects);
  std::set<std::string> names = names_of_nodes(objects);
  for (std::int32_t number = 1, left = wanted.count; left > 0; ++number) {
    node.name = node.uid = fmt::format("{}-new-{}", like, number);
    if (!names.insert(node.name).second) continue;
    const auto host = node.labels.find("kubernetes.io/hostname");
    if (host != node.labels.end()) host->second = node.name;
    objects.emplace_back(node);
    if (wanted.like.at) later.push_back({node.name, *wanted.like.at, true});
    for (PodObject pod : daemons) {
      pod.node_name = node.name;
      pod.name += "-" + node.name;
      pod.uid += "-" + node.name;
      objects.emplace_back(std::move(pod));
    }
    --left;
  }
  return Done{};
}

Status remove_node(const std::string& name, const std::vector<std::string>& ours, const char* flag,
                   std::vector<ClusterEvent>& objects) {
  if (find_node(objects, name) == nullptr) return no_such_node(name, flag);
  const auto goes = [&](ClusterEvent& object) {
    if (const auto* const node = std::get_if<NodeObject>(&object)) return node->name == name;
    auto* const pod = std::get_if<PodObject>(&object);
    if (pod == nullptr || pod->node_name != name) return false;
    std::optional<PodObject> waiting = simulation::without_its_node(*pod, ours);
    if (waiting) *pod = *std::move(waiting);
    return !waiting;
  };
  std::erase_if(objects, goes);
  return Done{};
}

Error no_such_job(const std::string& name, const char* flag) {
  return Error{fmt::format("\"{}\" is no job that waits or runs, expected namespace/name", name),
               flag};
}

// It ends by it, also if it runs.
void give_limit(Duration limit, TimePoint now, history::RecordedJob& job) {
  job.limit = limit;
  if (job.run_time) job.run_time = std::min(*job.run_time, limit);
  if (!job.started) return;
  const TimePoint end = std::max(now + Duration(1), *job.started + limit);
  if (!job.ended || end < *job.ended) job.ended = end;
}

// It ran there: it waits from the beginning on.
void wait_again(history::RecordedJob& job, TimePoint end) {
  if (job.started) job.run_time = job.ended.value_or(end) - *job.started;
  job.started.reset();
  job.ended.reset();
  job.places.clear();
}

}  // namespace

Result<std::vector<NodeTime>> change_nodes(const WhatIf& flags,
                                           const std::vector<std::string>& our_schedulers,
                                           TimePoint now, std::vector<ClusterEvent>& objects) {
  std::vector<NodeTime> later;
  for (const std::string& text : flags.add_nodes) {
    const Result<NewNodes> wanted = read_new_nodes(text, now);
    if (!wanted) return wanted.error();
    if (const Status added = add_nodes(*wanted, objects, later); !added) return added.error();
  }
  for (const std::string& name : flags.cordons) {
    NodeObject* const node = find_node(objects, name);
    if (node == nullptr) return no_such_node(name, kCordon);
    node->unschedulable = true;
  }
  for (const std::string& name : flags.remove_nodes) {
    const Status removed = remove_node(name, our_schedulers, kRemoveNode, objects);
    if (!removed) return removed.error();
  }
  for (const std::string& text : flags.drains) {
    const Result<TimedNode> node = read_timed_node(text, now, kDrain);
    if (!node) return node.error();
    if (find_node(objects, node->name) == nullptr) return no_such_node(node->name, kDrain);
    if (node->at) {
      later.push_back({node->name, *node->at, false});
    } else if (const Status removed = remove_node(node->name, our_schedulers, kDrain, objects);
               !removed) {
      return removed.error();
    }
  }
  return later;
}

Result<std::vector<NodeTime>> change_nodes(const WhatIf& flags, history::Recording& recording) {
  std::vector<ClusterEvent> objects(recording.nodes.begin(), recording.nodes.end());
  Result<std::vector<NodeTime>> later = change_nodes(flags, {}, recording.begin, objects);
  if (!later) return later;
  const std::set<std::string> names = names_of_nodes(objects);
  recording.nodes.clear();
  for (ClusterEvent& object : objects) {
    recording.nodes.push_back(std::get<NodeObject>(std::move(object)));
  }
  for (history::RecordedJob& job : recording.jobs) {
    const bool is_there = std::all_of(job.places.begin(), job.places.end(),
                                      [&](const auto& node) { return names.contains(node); });
    if (!is_there) wait_again(job, recording.end);
  }
  return later;
}

std::vector<simulation::NodeChange> node_changes_of(const std::vector<NodeTime>& later,
                                                    const std::vector<NodeObject>& nodes,
                                                    TimePoint begin) {
  std::vector<simulation::NodeChange> changes;
  for (const NodeTime& each : later) {
    const auto at = std::find_if(nodes.begin(), nodes.end(),
                                 [&](const NodeObject& node) { return node.name == each.name; });
    if (at == nodes.end()) continue;
    changes.push_back({each.at - begin, static_cast<std::size_t>(at - nodes.begin()), each.comes});
  }
  return changes;
}

std::vector<Error> change_jobs(const WhatIf& flags, history::Recording& recording) {
  std::vector<Error> faults;
  for (const std::string& name : flags.without_jobs) {
    const auto left_out =
        std::erase_if(recording.jobs, [&](const auto& job) { return job.name == name; });
    if (left_out == 0) faults.push_back(no_such_job(name, kWithoutJob));
  }
  for (const std::string& text : flags.time_limits) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const auto limit = parse_duration(text.substr(std::min(equals + 1, text.size())));
    if (!limit || *limit <= Duration() || *limit > kLongestTime) {
      faults.push_back(
          {fmt::format("\"{}\" is not understood, expected NAMESPACE/NAME=TIME, such as ml/a=2h, "
                       "at most ten years",
                       text),
           kTimeLimit});
      continue;
    }
    const std::string name = text.substr(0, equals);
    bool is_found = false;
    for (history::RecordedJob& job : recording.jobs) {
      if (job.name != name) continue;
      give_limit(*limit, recording.begin, job);
      is_found = true;
    }
    if (!is_found) faults.push_back(no_such_job(name, kTimeLimit));
  }
  return faults;
}

Status leave_out_jobs(const WhatIf& flags, const conf::Config& config, TimePoint now,
                      std::vector<ClusterEvent>& objects) {
  if (flags.without_jobs.empty()) return Done{};
  if (const Status distinct = simulation::require_distinct_uids(objects); !distinct) {
    return distinct;
  }
  simulation::ClusterCopy copy(objects, simulation::mirror_options(config), now);
  copy.begin_cycle(now);
  std::set<std::string> pods;  // uids
  for (const std::string& name : flags.without_jobs) {
    const JobId id = copy.find_job(name);
    if (!id.is_valid()) return no_such_job(name, kWithoutJob);
    for (const TaskId task : copy.cluster().job(id).tasks) {
      pods.insert(copy.cluster().task(task).uid);
    }
  }
  std::erase_if(objects, [&](const ClusterEvent& object) {
    if (const auto* const pod = std::get_if<PodObject>(&object)) return pods.contains(pod->uid);
    const auto* const group = std::get_if<PodGroupObject>(&object);
    return group != nullptr && std::find(flags.without_jobs.begin(), flags.without_jobs.end(),
                                         group->full_name()) != flags.without_jobs.end();
  });
  return Done{};
}

Result<conf::Config> changed_config(const conf::Config& config, const WhatIf& flags) {
  VariantFlags variants;
  variants.set = flags.set;
  Result<std::vector<Variant>> made = varied({{"", config}}, variants);
  if (!made) return made.error();
  return std::move(made->front().config);
}

}  // namespace berth::tools
