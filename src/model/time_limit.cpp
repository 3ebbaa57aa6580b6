#include "berth/model/time_limit.h"

#include <algorithm>
#include <array>

#include "berth/base/later.h"
#include "berth/model/cluster.h"

namespace berth {

namespace {

constexpr Duration kOverdueLeast = std::chrono::minutes(1);
constexpr Duration kStayLeast = std::chrono::seconds(1);  // nothing is planned to end as it starts

Duration sum_of(Duration left, Duration right) {
  return left > Duration::max() - right ? Duration::max() : left + right;
}

// TIME-5
TimePoint overdue_until(TimePoint end, TimePoint now) {
  return later(now, std::max(kOverdueLeast, now - end));
}

// TIME-7
TimePoint end_of_job(const Task& task, TimePoint start) {
  const JobDeadline& deadline = *task.job_deadline;
  return later(later(deadline.since.value_or(start), deadline.length), task.times.grace);
}

// max: it may run for ever.
TimePoint latest_end(const Cluster& cluster, const Task& task, TimePoint start, LimitTrust trust) {
  const std::optional<TimeLimit> limit = time_limit_of(cluster, task, trust);
  const TimePoint end = limit ? end_by(*limit, task, start) : TimePoint::max();
  return task.job_deadline ? std::min(end, end_of_job(task, start)) : end;
}

struct SourceText {
  const char* code;
  const char* words;
};
constexpr std::array<SourceText, 6> kSources{
    {{"pod-deadline", "activeDeadlineSeconds of its pods, which the kubelet enforces"},
     {"job-deadline", "activeDeadlineSeconds of its Job, which the Job's controller enforces"},
     {"pod", "its pods state it, and nobody enforces it"},
     {"group", "its PodGroup states it, and nobody enforces it"},
     {"queue-default", "the default of its queue, which nobody enforces"},
     {"queue-maximum", "the maximum of its queue, which nobody enforces"}}};

const SourceText& text_of(LimitSource source) {
  return kSources.at(static_cast<std::size_t>(source));
}

}  // namespace

const char* to_string(LimitSource source) { return text_of(source).code; }
const char* words_of(LimitSource source) { return text_of(source).words; }

// TIME-1, TIME-2, TIME-8
std::optional<TimeLimit> time_limit_of(const Cluster& cluster, const Task& task, LimitTrust trust) {
  if (task.times.deadline) return TimeLimit{*task.times.deadline, LimitSource::pod_deadline};
  if (trust == LimitTrust::enforced) return std::nullopt;
  std::optional<TimeLimit> limit;
  const auto take = [&](std::optional<Duration> length, LimitSource source) {
    if (!limit && length) limit = {*length, source};
  };
  take(task.times.stated, LimitSource::pod);
  if (!task.job.is_valid()) return limit;
  const Job& job = cluster.job(task.job);
  take(job.time_limit, LimitSource::group);
  if (!task.job_deadline) {
    take(nearest_setting(cluster, job.queue, &Queue::default_time_limit),
         LimitSource::queue_default);
  }
  const auto most = nearest_setting(cluster, job.queue, &Queue::max_time_limit);
  if (limit && most && *most < limit->length) limit = {*most, LimitSource::queue_maximum};
  return limit;
}

std::optional<Duration> nearest_setting(const Cluster& cluster, QueueId queue,
                                        std::optional<Duration> Queue::*what) {
  for (QueueId at = queue; at.is_valid(); at = cluster.queue(at).above) {
    if (cluster.queue(at).*what) return cluster.queue(at).*what;
  }
  return std::nullopt;
}

// TIME-4, TIME-6
TimePoint end_by(const TimeLimit& limit, const Task& task, TimePoint start) {
  return later(start, std::max(sum_of(limit.length, task.times.grace), kStayLeast));
}

// TIME-7
std::optional<TimeLimit> first_limit_of(const Cluster& cluster, const Task& task, TimePoint start,
                                        LimitTrust trust) {
  const std::optional<TimeLimit> limit = time_limit_of(cluster, task, trust);
  if (!task.job_deadline) return limit;
  if (limit && end_by(*limit, task, start) <= end_of_job(task, start)) return limit;
  return TimeLimit{task.job_deadline->length, LimitSource::job_deadline};
}

// TIME-6
Duration longest_stay(const Cluster& cluster, const Task& task, TimePoint now, LimitTrust trust) {
  const TimePoint end = latest_end(cluster, task, now, trust);
  if (end == TimePoint::max()) return Duration::max();
  return std::max((end > now ? end : overdue_until(end, now)) - now, kStayLeast);
}

// TIME-4, TIME-5
TimePoint gone_by(const Cluster& cluster, const Task& task, TimePoint now, LimitTrust trust) {
  if (task.status == TaskStatus::releasing) {
    const TimePoint end =
        task.times.grace_ends.value_or(later(now, std::max(task.times.grace, Duration(1))));
    return end > now ? end : overdue_until(end, now);
  }
  TimePoint since = is_on_its_node(task.status) ? std::max(task.started, task.scheduled_at) : now;
  if (since == TimePoint::min()) since = now;
  const TimePoint end = latest_end(cluster, task, since, trust);
  return end > now ? end : overdue_until(end, now);
}

}  // namespace berth
