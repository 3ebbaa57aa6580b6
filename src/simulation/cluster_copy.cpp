#include "simulation/cluster_copy.h"

#include <algorithm>
#include <variant>

namespace berth::simulation {

namespace {

bool is_over(const PodObject& pod) {
  return pod.phase == PodPhase::succeeded || pod.phase == PodPhase::failed;
}

TimePoint creation_of(const ClusterEvent& event) {
  return std::visit(
      [](const auto& object) {
        if constexpr (requires { object.created; }) return object.created;
        return TimePoint();
      },
      event);
}

bool is_of_job(const ClusterEvent& event, const std::string& job) {
  if (const auto* const group = std::get_if<PodGroupObject>(&event)) {
    return group->full_name() == job;
  }
  const auto* const pod = std::get_if<PodObject>(&event);
  if (pod == nullptr) return false;
  return pod->name_space + "/" + (pod->group.empty() ? pod->name : pod->group) == job;
}

}  // namespace

ClusterCopy::ClusterCopy(std::vector<ClusterEvent> objects, mirror::Options options,
                         TimePoint start_time)
    : mirror_(std::move(options)) {
  std::vector<ClusterEvent> there;
  for (ClusterEvent& object : objects) {
    if (const TimePoint created = creation_of(object); created > start_time) {
      to_come_.emplace(created, std::move(object));
    } else {
      there.push_back(std::move(object));
    }
  }
  take_in(std::move(there), start_time);
}

void ClusterCopy::take_in(std::vector<ClusterEvent> objects, TimePoint now) {
  std::map<std::string, PodObject> pods;
  for (ClusterEvent& object : objects) {
    if (auto* const pod = std::get_if<PodObject>(&object)) {
      std::string uid = pod->uid;
      pods.emplace(std::move(uid), std::move(*pod));
    } else {
      mirror_.apply(object);
      others_.push_back(std::move(object));
    }
  }
  // Pods last: their groups, classes and queues are known then, and nothing is decided twice.
  for (auto& [uid, pod] : pods) {
    if (pod.terminating) {
      leaving_.push_back(uid);
    } else if (!pod.node_name.empty() && !is_over(pod)) {
      start(pod, now);
    }
    mirror_.apply(pod);
  }
  pods_.merge(pods);
}

void ClusterCopy::start(PodObject& pod, TimePoint now) {
  if (pod.phase == PodPhase::pending) pod.phase = PodPhase::running;
  if (!pod.started) pod.started = now;
  if (pod.run_time) ends_.emplace(*pod.started + *pod.run_time, pod.uid);
}

void ClusterCopy::begin_cycle(TimePoint now) {
  if (!has_begun_) {
    mirror_.settle(now);
    mirror_.restore_claims(now);
  } else {
    for (const std::string& uid : leaving_) {
      mirror_.apply(PodDeleted{uid});
      pods_.erase(uid);
    }
    leaving_.clear();
  }
  has_begun_ = true;
  std::vector<ClusterEvent> due;
  const auto later = to_come_.upper_bound(now);
  for (auto each = to_come_.begin(); each != later; ++each) due.push_back(std::move(each->second));
  to_come_.erase(to_come_.begin(), later);
  take_in(std::move(due), now);
  while (!ends_.empty() && ends_.begin()->first <= now) {
    const auto ended = pods_.find(ends_.extract(ends_.begin()).mapped());
    if (ended == pods_.end() || ended->second.terminating) continue;
    ended->second.phase = PodPhase::succeeded;
    mirror_.apply(ended->second);
  }
  mirror_.settle(now);
}

void ClusterCopy::carry_out(const Plan& plan, TimePoint now) {
  Plan assumed;
  assumed.admitted = plan.admitted;
  assumed.returned = plan.returned;
  assumed.pipelined = plan.pipelined;
  assumed.ended_claims = plan.ended_claims;
  mirror_.assume(assumed, now);
  mirror_.assume_reservations(plan, now);
  for (const auto& [task, node] : plan.binds) {
    PodObject& pod = pods_.at(cluster().task(task).uid);
    pod.node_name = cluster().node(node).name;
    pod.gates.clear();
    start(pod, now);
    mirror_.apply(pod);
  }
  for (const PlannedEviction& eviction : plan.evictions) {
    PodObject& pod = pods_.at(cluster().task(eviction.task).uid);
    pod.terminating = true;
    leaving_.push_back(pod.uid);
    mirror_.apply(pod);
  }
  mirror_.settle(now);
}

void ClusterCopy::add_nodes(const std::vector<NodeObject>& nodes, TimePoint now) {
  for (const NodeObject& node : nodes) mirror_.apply(node);
  mirror_.settle(now);
}

void ClusterCopy::remove_nodes(const std::vector<NodeObject>& nodes, TimePoint now) {
  for (const NodeObject& node : nodes) mirror_.apply(NodeDeleted{node.name});
  mirror_.settle(now);
}

JobId ClusterCopy::find_job(const std::string& full_name) const {
  for (std::size_t j = 0; j < cluster().job_slots(); ++j) {
    const Job& job = cluster().job(JobId(j));
    if (job.exists && job.name == full_name) return JobId(j);
  }
  return {};
}

std::optional<TimePoint> ClusterCopy::comes_at(const std::string& full_name) const {
  for (const auto& [created, object] : to_come_) {
    if (is_of_job(object, full_name)) return created;
  }
  return std::nullopt;
}

// Whose word it was that names the job, its own or its owner's, stays as it was.
void ClusterCopy::mark(TargetMarks& marks, JobId job) const {
  if (!cluster().job(job).is_ours()) return;
  const TargetMarks written = std::exchange(marks, marks_of(cluster(), cluster().job(job)));
  keep_users_word(marks, written);
}

void ClusterCopy::lock(NodeObject& node) const {
  const Lock& lock = cluster().node(cluster().find_node(node.name)).lock;
  if (lock.is_foreign) return;
  node.locked_for.clear();
  node.locked_since.reset();
  if (!lock.job.is_valid()) return;
  node.locked_for = std::string(kLockedForJob) + cluster().job(lock.job).uid;
  node.locked_since = lock.since;
}

std::vector<ClusterEvent> ClusterCopy::objects() const {
  std::vector<ClusterEvent> all = others_;
  for (ClusterEvent& object : all) {
    if (auto* const group = std::get_if<PodGroupObject>(&object)) {
      const JobId job = mirror_.find_group(group->full_name());
      group->phase = cluster().job(job).phase;
      mark(group->marks, job);
    } else if (auto* const node = std::get_if<NodeObject>(&object)) {
      lock(*node);
    }
  }
  for (const auto& [uid, pod] : pods_) {
    PodObject copy = pod;
    const TaskId task = mirror_.find_task(uid);
    const JobId job = task.is_valid() ? cluster().task(task).job : JobId();
    if (job.is_valid() && cluster().job(job).is_single) mark(copy.marks, job);
    all.emplace_back(std::move(copy));
  }
  return all;
}

}  // namespace berth::simulation
