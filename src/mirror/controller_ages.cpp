#include "mirror/controller_ages.h"

#include <algorithm>

#include "berth/base/look_up.h"

namespace berth::mirror {

namespace {

constexpr int kDepthMost = 8;

// Deployments, ReplicaSets, StatefulSets, DaemonSets, Jobs, CronJobs, ReplicationControllers.
// Others write objects under accounts of their own, which the policy asks about.
bool is_of_controller_manager(const OwnerReference& reference) {
  return reference.group() == "apps" || reference.group() == "batch" ||
         reference.kind == "ReplicationController";
}

}  // namespace

std::vector<JobId> ControllerAges::note(const OwnerObject& object) {
  Known now{object.name_space, object.created, object.controller};
  Known& known = known_[object.uid];
  if (known == now) return {};
  known = std::move(now);
  return asking_about(object.uid);
}

std::vector<JobId> ControllerAges::forget(const std::string& uid) {
  if (known_.erase(uid) == 0) return {};
  return asking_about(uid);
}

void ControllerAges::forget_job(JobId job) {
  const auto asked = asked_.find(job);
  if (asked == asked_.end()) return;
  for (const std::string& uid : asked->second) erase_from(asking_, uid, job);
  asked_.erase(asked);
}

std::vector<JobId> ControllerAges::asking_about(const std::string& uid) const {
  const std::set<JobId>* const jobs = find_value(asking_, uid);
  return jobs == nullptr ? std::vector<JobId>() : std::vector(jobs->begin(), jobs->end());
}

std::optional<TimePoint> ControllerAges::oldest(const std::string& name_space,
                                                const OwnerReference& controller, JobId asking) {
  TimePoint oldest = TimePoint::max();
  OwnerReference at = controller;
  for (int depth = 0; depth < kDepthMost; ++depth) {
    if (at.is_none() || !is_of_controller_manager(at)) return oldest;
    asking_[at.uid].insert(asking);
    asked_[asking].insert(at.uid);
    const auto found = known_.find(at.uid);
    if (found == known_.end() || found->second.name_space != name_space) return std::nullopt;
    oldest = std::min(oldest, found->second.created);
    at = found->second.controller;
  }
  return std::nullopt;
}

}  // namespace berth::mirror
