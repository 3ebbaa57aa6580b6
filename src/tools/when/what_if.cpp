#include "tools/when/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>
#include <variant>

namespace berth::tools {

namespace {

constexpr const char* kAddNodes = "--add-nodes";
constexpr const char* kRemoveNode = "--remove-node";
constexpr const char* kCordon = "--cordon";
constexpr const char* kWithoutJob = "--without-job";
constexpr std::int32_t kNodesMost = 10'000;

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

struct NewNodes {
  std::int32_t count = 0;
  std::string like;
};

Result<NewNodes> read_new_nodes(const std::string& text) {
  NewNodes nodes;
  const char* const end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, nodes.count);
  constexpr std::string_view kLike = ":like=";
  const std::string_view after(rest, static_cast<std::size_t>(end - rest));
  const bool is_number = fault == std::errc{} && nodes.count >= 1 && nodes.count <= kNodesMost;
  if (!is_number || !after.starts_with(kLike) || after.size() == kLike.size()) {
    return Error{
        fmt::format("\"{}\" is not understood, expected NUMBER:like=NODE, at most {} nodes", text,
                    kNodesMost),
        kAddNodes};
  }
  nodes.like = after.substr(kLike.size());
  return nodes;
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

Status add_nodes(const std::string& text, std::vector<ClusterEvent>& objects) {
  const Result<NewNodes> wanted = read_new_nodes(text);
  if (!wanted) return wanted.error();
  const NodeObject* const model = find_node(objects, wanted->like);
  if (model == nullptr) return no_such_node(wanted->like, kAddNodes);
  NodeObject node = *model;
  node.unschedulable = false;
  node.locked_for.clear();
  node.locked_since.reset();
  node.locked_for_queue.clear();
  node.locked_for_queue_since.reset();
  node.has_lock_taint = node.has_queue_lock_taint = false;
  const std::vector<PodObject> daemons = daemons_on(wanted->like, objects);
  std::set<std::string> names = names_of_nodes(objects);
  for (std::int32_t number = 1, left = wanted->count; left > 0; ++number) {
    node.name = node.uid = fmt::format("{}-new-{}", wanted->like, number);
    if (!names.insert(node.name).second) continue;
    const auto host = node.labels.find("kubernetes.io/hostname");
    if (host != node.labels.end()) host->second = node.name;
    objects.emplace_back(node);
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

void wait_again(PodObject& pod) {
  pod.node_name.clear();
  pod.nominated_node.clear();
  pod.planned_node.clear();
  pod.phase = PodPhase::pending;
  pod.started.reset();
  pod.scheduled.reset();
}

Status remove_node(const std::string& name, const std::vector<std::string>& ours,
                   std::vector<ClusterEvent>& objects) {
  if (find_node(objects, name) == nullptr) return no_such_node(name, kRemoveNode);
  const auto goes = [&](ClusterEvent& object) {
    if (const auto* const node = std::get_if<NodeObject>(&object)) return node->name == name;
    auto* const pod = std::get_if<PodObject>(&object);
    if (pod == nullptr || pod->node_name != name) return false;
    const bool is_over = pod->phase == PodPhase::succeeded || pod->phase == PodPhase::failed;
    const bool is_ours = std::find(ours.begin(), ours.end(), pod->scheduler_name) != ours.end();
    if (!is_ours || is_over || pod->terminating || pod->is_daemon) return true;
    wait_again(*pod);
    return false;
  };
  std::erase_if(objects, goes);
  return Done{};
}

}  // namespace

bool WhatIf::is_empty() const { return texts().empty(); }

std::vector<std::string> WhatIf::texts() const {
  std::vector<std::string> texts;
  const auto add = [&](const char* flag, const std::vector<std::string>& values) {
    for (const std::string& value : values) texts.push_back(fmt::format("{} {}", flag, value));
  };
  add(kAddNodes, add_nodes);
  add(kRemoveNode, remove_nodes);
  add(kCordon, cordons);
  add(kWithoutJob, without_jobs);
  add("--set", set);
  return texts;
}

void declare_what_if(CLI::App& command, WhatIf& flags) {
  command
      .add_option(kAddNodes, flags.add_nodes,
                  "What if there were so many nodes more, like one of them? May be repeated")
      ->type_name("N:like=NODE");
  command
      .add_option(kRemoveNode, flags.remove_nodes,
                  "What if this node were gone? Its pods wait again. May be repeated")
      ->type_name("NODE");
  command
      .add_option(kCordon, flags.cordons,
                  "What if nothing more started on this node? May be repeated")
      ->type_name("NODE");
  command
      .add_option(kWithoutJob, flags.without_jobs,
                  "What if this job were not there, waiting or running? May be repeated")
      ->type_name("NS/NAME");
  command
      .add_option("--set", flags.set,
                  "What if an argument of a plugin or an action were so? May be repeated")
      ->type_name("plugins.NAME.ARGUMENT=VALUE");
}

Status change_nodes(const WhatIf& flags, const std::vector<std::string>& our_schedulers,
                    std::vector<ClusterEvent>& objects) {
  for (const std::string& text : flags.add_nodes) {
    if (const Status added = add_nodes(text, objects); !added) return added;
  }
  for (const std::string& name : flags.cordons) {
    NodeObject* const node = find_node(objects, name);
    if (node == nullptr) return no_such_node(name, kCordon);
    node->unschedulable = true;
  }
  for (const std::string& name : flags.remove_nodes) {
    if (const Status removed = remove_node(name, our_schedulers, objects); !removed) return removed;
  }
  return Done{};
}

Status leave_out_jobs(const WhatIf& flags, history::Recording& recording) {
  for (const std::string& name : flags.without_jobs) {
    const auto left_out =
        std::erase_if(recording.jobs, [&](const auto& job) { return job.name == name; });
    if (left_out > 0) continue;
    return Error{fmt::format("\"{}\" is no job that waits or runs, expected namespace/name", name),
                 kWithoutJob};
  }
  return Done{};
}

}  // namespace berth::tools
