#include "forecast/promises.h"

#include <algorithm>

#include "berth/base/text.h"
#include "forecast/state.h"

namespace berth::forecast {

namespace {

// A session decides within a second, and statuses have whole ones.
constexpr Duration kAsBefore = std::chrono::minutes(1);
constexpr int kPlansWithout = 3;  // a session may withdraw a promise, and the next one renew it

std::vector<std::string> nodes_of(const Cluster& cluster, JobId target) {
  std::vector<std::string> names;
  for (const NodeId id : cluster.locks().nodes_of(target)) names.push_back(cluster.node(id).name);
  return names;
}

bool may_be_promised(const Job& job) { return job.election || job.promised_start; }

// A plan has places for its minimum, and kube-scheduler is to bind them.
bool has_places(const Job& job) { return job.placed_count() >= job.min_available; }

// The pod that should have ended first.
std::string overdue_pod(const Cluster& cluster, JobId target, TimePoint now, LimitTrust trust) {
  const Task* first = nullptr;
  TimePoint since = now;
  for (const NodeId id : cluster.locks().nodes_of(target)) {
    for (const TaskId task_id : cluster.node(id).tasks) {
      const Task& task = cluster.task(task_id);
      const TimePoint started = std::max(task.started, task.scheduled_at);
      if (!occupies_node(task.status) || task.job == target || started == TimePoint::min())
        continue;
      const TimePoint end = later(started, longest_stay(cluster, task, started, trust));
      if (end >= since) continue;
      first = &task;
      since = end;
    }
  }
  if (first == nullptr) return {};
  return "a pod on its nodes has run beyond its time limit since " +
         format_time(std::chrono::floor<std::chrono::seconds>(since));
}

std::string lost_node(const Cluster& cluster, JobId target,
                      const std::vector<std::string>& before) {
  const std::vector<std::string> names = nodes_of(cluster, target);
  for (const std::string& name : before) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const bool is_there = cluster.find_node(name).is_valid();
    return "node " + name + (is_there ? " is not kept for it any more" : " is gone");
  }
  return {};
}

std::string no_target_any_more(const Job& job) {
  const std::string text = "no nodes are kept for it now";
  if (job.declines_target) return text + ": its user wants it so (berth.dev/target: \"false\")";
  if (!job.target_refused.empty()) return text + ": " + job.target_refused;
  if (!job.given_up_at) return text;
  return text + ": it was given up as a target at " +
         format_time(std::chrono::floor<std::chrono::seconds>(*job.given_up_at));
}

}  // namespace

std::vector<Promises::Broken> Promises::take(const std::vector<Latest>& latest,
                                             const Cluster& cluster, TimePoint now,
                                             LimitTrust trust) {
  std::vector<Broken> broken;
  for (const Latest& each : latest) {
    const Job& job = cluster.job(each.job);
    const bool is_there = job.exists && job.uid == each.uid && !has_places(job);
    if (is_there && may_be_promised(job)) take(each, job, cluster, now, trust, broken);
  }
  for (auto at = promises_.begin(); at != promises_.end();) {
    const Job& job = cluster.job(at->second.job);
    const bool is_there = job.exists && job.uid == at->first;
    if (is_there && (may_be_promised(job) || has_places(job))) {
      at->second.plans_without = 0;
      ++at;
    } else if (is_there && ++at->second.plans_without < kPlansWithout) {
      ++at;
    } else {
      if (is_there) broken.push_back({job.id, at->second.start, {}, no_target_any_more(job)});
      at = promises_.erase(at);
    }
  }
  broken_ += static_cast<std::int64_t>(broken.size());
  return broken;
}

void Promises::take(const Latest& latest, const Job& job, const Cluster& cluster, TimePoint now,
                    LimitTrust trust, std::vector<Broken>& broken) {
  const auto before = promises_.find(job.uid);
  // Its nodes hold it already, and it waits for something else.
  const bool could_start = latest.start <= now;
  const bool is_known = latest.start != TimePoint::max() && !could_start;
  if (before == promises_.end()) {
    if (!is_known) return;
    ++made_;
    promises_[job.uid] = {job.id, latest.start, nodes_of(cluster, job.id)};
    return;
  }
  Promise& promise = before->second;
  if (latest.start <= promise.start + kAsBefore && now <= promise.start + kAsBefore) {
    promise.start = std::min(promise.start, std::max(now, latest.start));
    promise.nodes = nodes_of(cluster, job.id);
    return;
  }
  std::string by = lost_node(cluster, job.id, promise.nodes);
  if (by.empty() && could_start) by = "its nodes have the room, and it waits for something else";
  if (by.empty()) by = overdue_pod(cluster, job.id, now, trust);
  if (by.empty()) {
    by =
        "pods have run beyond their time limits, or limits, nodes or jobs ahead of it have changed";
  }
  const auto start = is_known ? std::optional(latest.start) : std::nullopt;
  broken.push_back({job.id, promise.start, start, std::move(by)});
  if (is_known) {
    promise = {job.id, latest.start, nodes_of(cluster, job.id)};
  } else {
    promises_.erase(before);
  }
}

std::optional<Promises::Broken> Promises::started(const Job& job, TimePoint at) {
  const auto found = promises_.find(job.uid);
  if (found == promises_.end()) return std::nullopt;
  const TimePoint start = found->second.start;
  promises_.erase(found);
  if (at <= start + kAsBefore) return std::nullopt;
  ++broken_;
  return Broken{job.id, start, at, "it has started"};
}

void Promises::restore(const Job& job, TimePoint start, const Cluster& cluster) {
  promises_[job.uid] = {job.id, start, nodes_of(cluster, job.id)};
}

std::optional<TimePoint> Promises::of(const std::string& uid) const {
  const auto promise = promises_.find(uid);
  if (promise == promises_.end()) return std::nullopt;
  return promise->second.start;
}

}  // namespace berth::forecast
