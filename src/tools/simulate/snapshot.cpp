#include "tools/simulate/snapshot.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "history/of_cluster.h"
#include "simulation/cluster_copy.h"
#include "simulation/names.h"
#include "simulation/trial.h"

namespace berth::tools {

namespace {

using history::RecordedJob;
using history::Recording;

bool is_on_node(const Task& task) {
  return (task.status == TaskStatus::bound || task.status == TaskStatus::running) &&
         task.node.is_valid();
}

class Snapshot {
 public:
  Snapshot(const simulation::ClusterCopy& copy, TimePoint now)
      : copy_(copy), cluster_(copy.cluster()), now_(now) {}

  Recording recording() {
    Recording recording;
    recording.begin = recording.end = now_;
    for (const ClusterEvent& object : copy_.objects()) add(object, recording);
    for (std::size_t j = 0; j < cluster_.job_slots(); ++j) {
      const Job& job = cluster_.job(JobId(j));
      if (!job.exists || !job.is_ours() || history::pods_of(cluster_, job).empty()) continue;
      recording.jobs.push_back(job_of(job));
    }
    std::sort(recording.jobs.begin(), recording.jobs.end(),
              [](const RecordedJob& left, const RecordedJob& right) {
                return std::tie(left.submitted, left.name) < std::tie(right.submitted, right.name);
              });
    return recording;
  }

 private:
  void add(const ClusterEvent& object, Recording& recording) const {
    if (const auto* const found = std::get_if<NodeObject>(&object)) {
      const NodeId id = cluster_.find_node(found->name);
      NodeObject node = history::without(*found, history::taken_by_others(cluster_, id));
      node.locked_for.clear();
      node.locked_since.reset();
      node.locked_for_queue.clear();
      node.locked_for_queue_since.reset();
      recording.nodes.push_back(std::move(node));
    } else if (const auto* const queue = std::get_if<QueueObject>(&object)) {
      recording.queues.push_back(*queue);
      recording.queues.back().namespaces = {};
      recording.queues.back().scheduler.clear();
    }
  }

  RecordedJob job_of(const Job& job) const {
    RecordedJob recorded{history::facts_of(job), history::pods_of(cluster_, job), {}, {}};
    recorded.limit = history::limit_of(cluster_, job);
    std::vector<TaskId> placed;
    for (const TaskId id : job.tasks) {
      if (is_on_node(cluster_.task(id))) placed.push_back(id);
    }
    const bool runs = static_cast<std::int32_t>(placed.size()) >= recorded.minimum;
    recorded.run_time = run_time_of(runs ? placed : job.tasks);
    if (runs) put(placed, recorded);
    if (!runs && job.election) recorded.target = target_of(job);
    return recorded;
  }

  history::RecordedTarget target_of(const Job& job) const {
    history::RecordedTarget target{
        job.election->since, job.election->why, job.election->is_named, {}};
    for (const NodeId id : cluster_.locks().nodes_of(job.id)) {
      const Node& node = cluster_.node(id);
      target.nodes.emplace_back(node.name, node.lock.since);
    }
    return target;
  }

  // Of the pods, the longest; none: one has none.
  std::optional<Duration> run_time_of(const std::vector<TaskId>& tasks) const {
    std::optional<Duration> longest;
    for (const TaskId id : tasks) {
      if (!history::is_live(cluster_.task(id).status)) continue;
      const std::optional<Duration> time = copy_.pod(id).run_time;
      if (!time) return std::nullopt;
      longest = std::max(longest.value_or(Duration()), *time);
    }
    return longest;
  }

  // It runs: these of its pods, where they are.
  void put(const std::vector<TaskId>& placed, RecordedJob& job) const {
    std::vector<std::pair<ShapeId, std::vector<std::string>>> places;
    TimePoint start = TimePoint::min();
    TimePoint gone;
    for (const TaskId id : placed) {
      const Task& task = cluster_.task(id);
      auto at = std::find_if(places.begin(), places.end(),
                             [&](const auto& each) { return each.first == task.shape; });
      if (at == places.end()) at = places.insert(at, {task.shape, {}});
      at->second.push_back(cluster_.node(task.node).name);
      start = std::max({start, task.started, task.scheduled_at});
      gone = std::max(gone, gone_by(cluster_, task, now_));
    }
    job.started = start == TimePoint::min() ? now_ : std::min(start, now_);
    if (job.run_time) gone = std::max(now_, *job.started + *job.run_time);
    if (gone != TimePoint::max()) job.ended = std::max(gone, now_ + Duration(1));
    job.pods.clear();
    for (const auto& [shape, nodes] : places) {
      job.pods.push_back(history::pods_of_shape(cluster_, shape, nodes.size()));
      job.places.insert(job.places.end(), nodes.begin(), nodes.end());
    }
  }

  const simulation::ClusterCopy& copy_;
  const Cluster& cluster_;
  const TimePoint now_;
};

}  // namespace

Result<Recording> snapshot_of(std::vector<ClusterEvent> objects, const conf::Config& config,
                              TimePoint now) {
  if (const Status distinct = simulation::require_distinct_uids(objects); !distinct) {
    return distinct.error();
  }
  simulation::ClusterCopy copy(std::move(objects), simulation::mirror_options(config), now);
  copy.begin_cycle(now);
  return Snapshot(copy, now).recording();
}

}  // namespace berth::tools
