#include "actions/eviction/min_run_time.h"

#include <algorithm>
#include <vector>

#include "actions/eviction/candidates.h"
#include "actions/eviction/parties.h"
#include "berth/model/time_limit.h"

namespace berth::actions {

using namespace engine;

namespace {

constexpr Duration kMost = std::chrono::hours(8760);

// The time at which there were so many, or all if they are fewer.
TimePoint time_of_last(std::vector<TimePoint> starts, std::int32_t needed) {
  if (starts.empty() || needed <= 0) return TimePoint::min();
  const auto last =
      starts.begin() + std::min(static_cast<std::ptrdiff_t>(needed), std::ssize(starts)) - 1;
  std::nth_element(starts.begin(), last, starts.end());
  return *last;
}

}  // namespace

// RUNTIME-3
TimePoint runs_since(const Cluster& cluster, const Job& job) {
  std::vector<TimePoint> starts;
  std::vector<std::vector<TimePoint>> of_role(job.roles_bind() ? job.roles.size() : 0);
  for (const TaskId id : job.tasks) {
    const Task& task = cluster.task(id);
    if (!runs(task)) continue;
    starts.push_back(task.scheduled_at);
    if (task.role < of_role.size()) of_role[task.role].push_back(task.scheduled_at);
  }
  if (starts.empty()) return TimePoint::max();
  // One is needed, whatever the minimum.
  const std::int32_t needed = job.min_available - job.count(TaskStatus::succeeded);
  TimePoint since = time_of_last(std::move(starts), std::max(1, needed));
  for (std::size_t r = 0; r < of_role.size(); ++r) {
    const std::int32_t of_this =
        job.roles[r].minimum - count_of(job.roles[r].counts, TaskStatus::succeeded);
    since = std::max(since, time_of_last(std::move(of_role[r]), of_this));
  }
  return since;
}

MinRunTime::MinRunTime(Arguments& arguments, OfQueue of_queue)
    : of_all_(arguments.duration("min-run-time", Duration(0), Duration(0), kMost)),
      of_queue_(of_queue) {}

// RUNTIME-2
Duration MinRunTime::time_of(const Cluster& cluster, QueueId queue) const {
  return std::max(of_all_, nearest_setting(cluster, queue, of_queue_).value_or(of_all_));
}

// RUNTIME-1, RUNTIME-5
Verdict MinRunTime::may_leave_whole(Session& session, const Job& job) const {
  const Duration time = time_of(session.cluster(), job.queue);
  if (time <= Duration(0)) return pass();
  const TimePoint since = runs_since(session.cluster(), job);
  const bool is_known = since != TimePoint::min() && since != TimePoint::max();
  if (!is_known || session.now() - since >= time) return pass();
  if (time < TimePoint::max() - since) session.answers_may_change_at(since + time);
  return reject(Reason::started_lately);
}

// RUNTIME-4
void MinRunTime::protect(Session& session, Parties& parties) const {
  std::erase_if(parties.parts, [&](const JobPart& part) {
    if (part.kind != JobPart::Kind::whole) return false;
    const Verdict verdict = may_leave_whole(session, session.cluster().job(part.job));
    if (verdict) return false;
    add_spared(parties.spared, verdict.reason, pods_of(session, part));
    return true;
  });
}

}  // namespace berth::actions
