#pragma once

#include <cstdint>
#include <optional>

#include "berth/base/clock.h"
#include "berth/base/strong_id.h"

// When a pod ends at the latest, as far as somebody says so. Rules TIME-1 to TIME-8 of
// docs/design/backfill.md.

namespace berth {

class Cluster;
struct Queue;
struct Task;

// As a pod, or its PodGroup for all its pods, has them.
struct TimeTerms {
  std::optional<Duration> deadline;  // spec.activeDeadlineSeconds of the pod: the kubelet ends it
  std::optional<Duration> stated;    // annotation berth.dev/time-limit, else Kueue's label
  Duration grace{};                  // spec.terminationGracePeriodSeconds of the pod
  std::optional<TimePoint> grace_ends = {};  // metadata.deletionTimestamp, if it is terminating
  bool operator==(const TimeTerms&) const = default;
};

// activeDeadlineSeconds of a Job or a Kubeflow job: its controller ends all its pods.
struct JobDeadline {
  Duration length{};
  std::optional<TimePoint> since = {};  // status.startTime; none: it has not started
  bool operator==(const JobDeadline&) const = default;
};

enum class LimitSource : std::uint8_t {
  pod_deadline,
  job_deadline,
  pod,            // what it states
  group,          // what its PodGroup states
  queue_default,  // of its queue, or of one above it
  queue_maximum,  // it states more than its queue lets it
};
// Kept by the kubelet, or by the job's controller, whatever the pod does.
constexpr bool is_enforced(LimitSource source) {
  return source == LimitSource::pod_deadline || source == LimitSource::job_deadline;
}

// In documents: "pod-deadline", "job-deadline", "pod", "group", "queue-default", "queue-maximum".
const char* to_string(LimitSource source);
// In words: "activeDeadlineSeconds of its pods, which the kubelet enforces".
const char* words_of(LimitSource source);

// TIME-8. Which limits count.
enum class LimitTrust : std::uint8_t { enforced, stated };

struct TimeLimit {
  Duration length{};  // from the start of the pod; of a job's deadline, from that of the job
  LimitSource source = LimitSource::pod;
  bool operator==(const TimeLimit&) const = default;
};

// RUNTIME-2, TIME-3. Of a queue, or of the nearest above it that has one.
std::optional<Duration> nearest_setting(const Cluster& cluster, QueueId queue,
                                        std::optional<Duration> Queue::*what);

// Of one pod by itself, by the source that can be trusted most. None: it may run for ever, or until
// Task::job_deadline.
std::optional<TimeLimit> time_limit_of(const Cluster& cluster, const Task& task,
                                       LimitTrust trust = LimitTrust::stated);

// When a pod that starts then has ended by that limit, its grace period included.
TimePoint end_by(const TimeLimit& limit, const Task& task, TimePoint start);

// The limit that ends a pod first if it starts then. None: it may run for ever.
std::optional<TimeLimit> first_limit_of(const Cluster& cluster, const Task& task, TimePoint start,
                                        LimitTrust trust = LimitTrust::stated);

// For how long a pod that starts now may have its room, its grace period included. max: for ever.
Duration longest_stay(const Cluster& cluster, const Task& task, TimePoint now,
                      LimitTrust trust = LimitTrust::stated);

// When a pod that has a node is gone from it. Later than now: one that is overdue is expected to
// end after as long again as it is overdue, but a minute at least. max: nobody knows.
TimePoint gone_by(const Cluster& cluster, const Task& task, TimePoint now,
                  LimitTrust trust = LimitTrust::stated);

}  // namespace berth
