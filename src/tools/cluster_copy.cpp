#include "tools/cluster_copy.h"

#include <algorithm>
#include <variant>

namespace berth::tools {

namespace {

bool is_over(const PodObject& pod) {
  return pod.phase == PodPhase::succeeded || pod.phase == PodPhase::failed;
}

}  // namespace

ClusterCopy::ClusterCopy(std::vector<ClusterEvent> objects, mirror::Options options,
                         TimePoint start_time)
    : mirror_(std::move(options)) {
  for (ClusterEvent& object : objects) {
    if (auto* const pod = std::get_if<PodObject>(&object)) {
      std::string uid = pod->uid;
      pods_.emplace(std::move(uid), std::move(*pod));
    } else {
      mirror_.apply(object);
      others_.push_back(std::move(object));
    }
  }
  // Pods last: their groups, classes and queues are known then, and nothing is decided twice.
  for (auto& [uid, pod] : pods_) {
    if (pod.terminating) {
      leaving_.push_back(uid);
    } else if (!pod.node_name.empty() && !is_over(pod)) {
      start(pod, start_time);
    }
    mirror_.apply(pod);
  }
}

void ClusterCopy::start(PodObject& pod, TimePoint now) {
  if (pod.phase == PodPhase::pending) pod.phase = PodPhase::running;
  if (!pod.started) pod.started = now;
  if (pod.run_time) ends_.emplace(*pod.started + *pod.run_time, pod.uid);
}

void ClusterCopy::begin_cycle(TimePoint now) {
  if (has_begun_) {
    for (const std::string& uid : leaving_) {
      mirror_.apply(PodDeleted{uid});
      pods_.erase(uid);
    }
    leaving_.clear();
  }
  has_begun_ = true;
  while (!ends_.empty() && ends_.begin()->first <= now) {
    const auto ended = pods_.find(ends_.extract(ends_.begin()).mapped());
    if (ended == pods_.end() || ended->second.terminating) continue;
    ended->second.phase = PodPhase::succeeded;
    mirror_.apply(ended->second);
  }
  mirror_.settle(now);
}

void ClusterCopy::carry_out(const Plan& plan, TimePoint now) {
  Plan admissions;
  admissions.admitted = plan.admitted;
  admissions.returned = plan.returned;
  mirror_.assume(admissions, now);
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

JobId ClusterCopy::find_job(const std::string& full_name) const {
  for (std::size_t j = 0; j < cluster().job_slots(); ++j) {
    const Job& job = cluster().job(JobId(j));
    if (job.exists && job.name == full_name) return JobId(j);
  }
  return {};
}

std::vector<ClusterEvent> ClusterCopy::objects() const {
  std::vector<ClusterEvent> all = others_;
  for (ClusterEvent& object : all) {
    if (auto* const group = std::get_if<PodGroupObject>(&object)) {
      group->phase = cluster().job(mirror_.find_group(group->full_name())).phase;
    }
  }
  for (const auto& [uid, pod] : pods_) all.push_back(pod);
  return all;
}

}  // namespace berth::tools
