#include "reconcile/pod_events.h"

#include <algorithm>

#include "reconcile/reservation_marks.h"

namespace berth::reconcile {

namespace {

constexpr Duration kLeastInterval = std::chrono::minutes(1);
// EVENT-7. API servers forget events after an hour.
constexpr Duration kRepeated = std::chrono::minutes(45);

// Also of jobs whose group is missing.
std::string name_of(const Job& job) { return job.name + " " + job.uid; }

}  // namespace

void PodEvents::note(JobId id, const Job& job, const std::string& reason, bool is_reported,
                     TimePoint now) {
  auto noted = jobs_.find(id);
  const bool is_known = noted != jobs_.end() && noted->second.job == name_of(job);
  if (is_known && noted->second.reason == reason) return;
  if (noted != jobs_.end() && (!is_known || reason.empty())) {
    due_.erase({noted->second.due, id});
    jobs_.erase(noted);
  }
  if (reason.empty()) return;
  Noted& entry = jobs_[id];
  entry.job = name_of(job);
  entry.reason = reason;
  const TimePoint allowed = is_known ? entry.published_at + kLeastInterval : TimePoint();
  set_due(id, entry, is_reported ? now + kRepeated : std::max(now + kReasonHolds, allowed));
}

void PodEvents::set_due(JobId id, Noted& noted, TimePoint due) {
  due_.erase({noted.due, id});
  noted.due = due;
  due_.emplace(due, id);
}

void PodEvents::publish(const Cluster& cluster, const WaitingJobs& waiting, TimePoint now) {
  if (now - second_began_ >= std::chrono::seconds(1)) {
    second_began_ = now;
    left_ = std::min(kEventsASecond, left_ + kEventsASecond);
  }
  while (left_ > 0 && !due_.empty() && due_.begin()->first <= now) {
    const JobId id = due_.begin()->second;
    Noted& noted = jobs_.at(id);
    const Job& job = cluster.job(id);
    const Waiting why = waiting.of(id);
    if (!job.exists || name_of(job) != noted.job || why.code.empty()) {
      due_.erase(due_.begin());
      jobs_.erase(id);
      continue;
    }
    left_ -= publish_on_pods(job, message_of(job, why), cluster, now);
    noted.published_at = now;
    set_due(id, noted, now + kRepeated);
  }
}

// EVENT-6
std::int32_t PodEvents::publish_on_pods(const Job& job, const std::string& message,
                                        const Cluster& cluster, TimePoint now) {
  std::int32_t published = 0;
  for (const TaskId id : job.tasks) {
    const Task& task = cluster.task(id);
    if (task.status != TaskStatus::pending) continue;
    if (published == kPodsOfAJob) break;
    const std::string text = job.is_single ? message : "its job " + job.name + " waits: " + message;
    events_.publish(ref_of(task), {true, "Unschedulable", text}, now);
    ++published;
  }
  return published;
}

void PodEvents::stop_leading() {
  jobs_.clear();
  due_.clear();
}

}  // namespace berth::reconcile
