#include "simulation/remedy.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <variant>

#include "berth/model/amount_text.h"
#include "berth/model/cluster.h"
#include "berth/model/dimensions.h"
#include "berth/model/reader.h"
#include "simulation/ending.h"
#include "simulation/trial.h"

// Finds remedies for a waiting job. Some reasons imply one ("queue q is not open"). A lack of room
// needs trials: of other jobs and pods, one is taken away at a time; and copies of a node are
// added, twice as many each time, until a session places the job, or evicts for it. Then the
// smallest sufficient number is found by bisection.

namespace berth::simulation {

namespace {

constexpr std::size_t kNodeKindsMax = 3;
constexpr std::size_t kNodesMax = 512;
constexpr std::size_t kEndingsMax = 3;

std::string plural(std::int64_t count, const std::string& noun) {
  return std::to_string(count) + " more " + noun + (count == 1 ? "" : "s");
}

bool is_for_room(Reason reason) {
  return reason == Reason::gang_incomplete || reason == Reason::role_incomplete ||
         reason == Reason::surplus_waits || reason == Reason::cluster_overcommitted ||
         reason == Reason::queue_capability || reason == Reason::queue_share_used ||
         reason == Reason::guarantees_kept || reason == Reason::larger_than_cluster ||
         reason == Reason::not_packable || reason == Reason::no_nodes;
}

// The next pods that the job needs. If its minimum is placed, all waiting pods.
std::vector<TaskId> needed_tasks(const Job& job, const Refusal& refusal, const Cluster& cluster) {
  std::vector<TaskId> tasks;
  for (const TaskId id : job.tasks) {
    const Task& task = cluster.task(id);
    if (task.status == TaskStatus::pending && !task.is_gated) tasks.push_back(id);
  }
  const std::int32_t short_by = std::max(0, job.min_available - job.placed_count());
  if (refusal.reason != Reason::surplus_waits && short_by > 0) {
    tasks.resize(std::min(tasks.size(), static_cast<std::size_t>(short_by)));
  }
  return tasks;
}

// Nodes that differ only in identity (name, uid and the like).
struct NodeKind {
  const NodeObject* example = nullptr;
  std::size_t count = 0;
};

std::vector<NodeKind> node_kinds(const std::vector<ClusterEvent>& objects) {
  using Key = std::tuple<NamedAmounts, std::vector<Taint>, std::map<std::string, std::string>>;
  std::map<Key, NodeKind> kinds;
  for (const ClusterEvent& object : objects) {
    const auto* const node = std::get_if<NodeObject>(&object);
    if (node == nullptr || node->unschedulable) continue;
    Key key{node->allocatable, node->taints, node->labels};
    std::get<2>(key).erase(kHostname);
    NodeKind& kind = kinds[key];
    if (kind.example == nullptr || node->name < kind.example->name) kind.example = node;
    ++kind.count;
  }
  std::vector<NodeKind> list;
  for (const auto& [key, kind] : kinds) list.push_back(kind);
  std::stable_sort(list.begin(), list.end(), [](const NodeKind& left, const NodeKind& right) {
    if (left.count != right.count) return left.count > right.count;
    return left.example->name < right.example->name;
  });
  if (list.size() > kNodeKindsMax) list.resize(kNodeKindsMax);
  return list;
}

// The objects as if the target had never existed.
std::vector<ClusterEvent> without_target(const std::vector<ClusterEvent>& objects,
                                         const Job& target) {
  const std::string mark = lock_text(target.uid);
  std::vector<ClusterEvent> others;
  for (const ClusterEvent& object : objects) {
    const auto* const group = std::get_if<PodGroupObject>(&object);
    const auto* const pod = std::get_if<PodObject>(&object);
    if (group != nullptr && group->uid == target.uid) continue;
    if (pod != nullptr && pod->uid == target.uid) continue;
    if (pod != nullptr && !pod->group.empty() &&
        pod->name_space + "/" + pod->group == target.name) {
      continue;
    }
    others.push_back(object);
    if (auto* const node = std::get_if<NodeObject>(&others.back());
        node != nullptr && node->locked_for == mark) {
      node->locked_for.clear();
    }
  }
  return others;
}

// The objects as if the queue were guaranteed nothing, and had never had nodes of its own.
std::vector<ClusterEvent> without_nodes_of(const std::vector<ClusterEvent>& objects,
                                           const Queue& queue) {
  const std::string mark = queue_lock_value(queue.name, queue.uid);
  std::vector<ClusterEvent> changed = objects;
  for (ClusterEvent& object : changed) {
    if (auto* const node = std::get_if<NodeObject>(&object);
        node != nullptr && node->locked_for_queue == mark) {
      node->locked_for_queue.clear();
    }
    if (auto* const own = std::get_if<QueueObject>(&object);
        own != nullptr && own->name == queue.name) {
      own->guarantee.clear();
      own->guarantee_share_billionths = 0;
    }
  }
  return changed;
}

// Tests whether a session would place everything that the job still needs.
class Trials {
 public:
  Trials(const std::string& job, const CycleRecord& record, const TrialSetting& setting,
         std::size_t needed)
      : job_(job), setting_(setting), trial_(setting, record.before), needed_(needed) {
    // The cluster after the session, which counts the pods that this cycle placed.
    const Cluster& cluster = record.after.cluster();
    total_ = needed +
             static_cast<std::size_t>(std::count_if(
                 record.plan.binds.begin(), record.plan.binds.end(), [&](const Placement& each) {
                   return cluster.job(cluster.task(each.task).job).name == job;
                 }));
  }

  // The smallest number that is sufficient; none if even kNodesMax is not.
  std::optional<std::size_t> enough(const NodeObject& example, const NamedAmounts& asked) {
    const std::size_t most = std::min(kNodesMax, 2 * needed_);
    std::size_t too_few = 0;
    std::size_t count = std::min(most, nodes_by_sum(example, asked));
    while (!is_enough(example, count)) {
      too_few = count;
      if (count == most) return std::nullopt;
      count = std::min(most, 2 * count);
    }
    while (count - too_few > 1) {
      const std::size_t middle = too_few + (count - too_few) / 2;
      (is_enough(example, middle) ? count : too_few) = middle;
    }
    return count;
  }

  bool would_start(std::vector<ClusterEvent> objects) const {
    return Trial(setting_, std::move(objects)).placed_of(job_) >= total_;
  }

 private:
  // A first guess: this many nodes have the requested amounts together.
  static std::size_t nodes_by_sum(const NodeObject& example, const NamedAmounts& asked) {
    std::int64_t count = 1;
    for (const auto& [resource, amount] : asked) {
      const auto has = example.allocatable.find(resource);
      if (has == example.allocatable.end() || has->second <= 0) continue;
      count = std::max(count, (amount + has->second - 1) / has->second);
    }
    return static_cast<std::size_t>(count);
  }

  bool is_enough(const NodeObject& example, std::size_t count) {
    return trial_.placed_of(job_, example, count) >= total_;
  }

  const std::string& job_;
  const TrialSetting& setting_;
  Trial trial_;
  std::size_t needed_;
  std::size_t total_ = 0;
};

// By name.
std::vector<QueueId> queues_in_the_way(const Job& job, const Cluster& cluster) {
  std::map<std::string, QueueId> queues;
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    const QueueId queue = cluster.queue_in_the_way(NodeId(n), job.queue);
    if (queue.is_valid()) queues[cluster.queue(queue).name] = queue;
  }
  std::vector<QueueId> ids;
  for (const auto& [name, id] : queues) ids.push_back(id);
  return ids;
}

std::vector<std::string> tried_remedies(const Job& job, const Refusal& refusal,
                                        const CycleRecord& record, const TrialSetting& setting) {
  const std::vector<TaskId> tasks = needed_tasks(job, refusal, record.after.cluster());
  const std::size_t needed = tasks.size();
  if (needed == 0) return {};
  Resources sum;
  for (const TaskId task : tasks) sum += record.after.cluster().shape_of(task).request;
  const NamedAmounts asked = to_named(record.after.cluster().dimensions(), sum);
  std::vector<std::string> remedies;
  Trials trials(job.name, record, setting, needed);
  const Cluster& cluster = record.after.cluster();
  for (const JobId target : cluster.targets()) {
    if (cluster.job(target).name == job.name) continue;
    if (trials.would_start(without_target(record.before, cluster.job(target)))) {
      remedies.push_back("the nodes that are kept for target " + cluster.job(target).name);
    }
  }
  for (const QueueId queue : queues_in_the_way(job, cluster)) {
    if (trials.would_start(without_nodes_of(record.before, cluster.queue(queue)))) {
      remedies.push_back("the nodes of queue " + cluster.queue(queue).name +
                         ", if it were guaranteed nothing");
    }
  }
  for (const Ending& ending : endings_for(cluster, job.id, tasks, record.before, kEndingsMax)) {
    if (!trials.would_start(without(record.before, ending))) continue;
    const std::string noun = ending.is_job ? "job" : "pod";
    const bool is_named = may_read(job.name, ending.name);
    remedies.push_back((is_named ? noun + " " : "") + name_for(job.name, noun, ending.name) +
                       " ended");
    break;
  }
  for (const NodeKind& kind : node_kinds(record.before)) {
    const std::optional<std::size_t> count = trials.enough(*kind.example, asked);
    if (!count) continue;
    NamedAmounts room = kind.example->allocatable;
    room.erase("pods");
    remedies.push_back(plural(static_cast<std::int64_t>(*count), "node") + " like " +
                       kind.example->name + " (" + to_text(room) + ")");
    break;
  }
  return remedies;
}

}  // namespace

std::vector<std::string> missing_amounts(JobId id, const Refusal& refusal,
                                         const CycleRecord& record) {
  const Cluster& cluster = record.after.cluster();
  const std::vector<TaskId> tasks = needed_tasks(cluster.job(id), refusal, cluster);
  const bool is_short = is_for_room(refusal.reason) || refusal.reason == Reason::pod_too_large;
  if (!is_short || tasks.empty()) return {};
  Resources asked;
  for (const TaskId task : tasks) asked += cluster.shape_of(task).request;
  NamedAmounts asked_amounts = to_named(cluster.dimensions(), asked);
  asked_amounts.erase("pods");
  NamedAmounts idle;
  for (std::size_t d = 0; d < asked.extent(); ++d) {
    const std::string& name = cluster.dimensions().name(Dimension(d));
    if (!asked_amounts.contains(name)) continue;
    for (std::size_t n = 0; n < cluster.node_count(); ++n) {
      idle[name] += std::max<std::int64_t>(0, cluster.available().at(NodeId(n), Dimension(d)));
    }
  }
  return {(tasks.size() == 1 ? "its missing pod requests "
                             : "its " + std::to_string(tasks.size()) + " missing pods request ") +
          to_text(asked_amounts) + "; idle on all nodes together: " + to_text(idle)};
}

std::vector<std::string> remedies_for(JobId id, const Refusal& refusal, const CycleRecord& record,
                                      const TrialSetting& setting) {
  const Job& job = record.after.cluster().job(id);
  const std::string what = "\"" + refusal.what + "\"";
  switch (refusal.reason) {
    case Reason::group_missing:
      return {"a PodGroup " + what};
    case Reason::queue_missing:
      return {"a Queue " + what};
    case Reason::queue_closed:
      return {"queue " + what + " open"};
    case Reason::namespace_not_allowed:
      return {"a queue that its namespace may use; or a namespace, or a selector of queue " + what +
              ", that lets it in"};
    case Reason::too_few_tasks:
      return {plural(refusal.need - refusal.have, "pod") + " in the group"};
    case Reason::too_few_tasks_of_role:
      return {plural(refusal.need - refusal.have, "pod") + " of role " + what};
    case Reason::gated:
      return {"its pods' scheduling gates removed"};
    case Reason::holds_releasing_room:
      return {"the leaving pods gone from its nodes"};
    case Reason::holds_vetoed_room:
      return {"its nodes offered by kube-scheduler"};
    case Reason::unknown_resource:
      return {"a node that has " + refusal.what};
    case Reason::pod_too_large:
      return {"a node with " + amount_of(refusal.what, refusal.need, Rounding::up) +
              " for such a pod"};
    case Reason::queue_too_small:
      return {"a queue that can have " + amount_of(refusal.what, refusal.need, Rounding::up)};
    default:
      break;
  }
  if (!is_for_room(refusal.reason)) return {};
  return tried_remedies(job, refusal, record, setting);
}

}  // namespace berth::simulation
