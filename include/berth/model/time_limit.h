#pragma once

#include <optional>

#include "berth/base/clock.h"
#include "berth/base/strong_id.h"

// When a pod ends at the latest, as far as somebody says so. Rules TIME-1 to TIME-6 of
// docs/design/backfill.md.

namespace berth {

class Cluster;
struct Task;

// As a pod, or its PodGroup for all its pods, has them.
struct TimeTerms {
  std::optional<Duration> deadline;  // spec.activeDeadlineSeconds of the pod: the kubelet ends it
  std::optional<Duration> stated;    // annotation berth.dev/time-limit, else Kueue's label
  Duration grace{};                  // spec.terminationGracePeriodSeconds of the pod
  bool operator==(const TimeTerms&) const = default;
};

struct TimeLimit {
  Duration length{};  // from the start of the pod
  bool is_enforced = false;
  bool operator==(const TimeLimit&) const = default;
};

// Of one pod, by the source that can be trusted most. None: it may run for ever.
std::optional<TimeLimit> time_limit_of(const Cluster& cluster, const Task& task);

// For how long a pod that starts now may have its room, its grace period included. max: for ever.
Duration longest_stay(const Cluster& cluster, const Task& task);

// When a pod that has a node is gone from it. Later than now: one that is overdue is expected to
// end after as long again as it is overdue, but a minute at least. max: nobody knows.
TimePoint gone_by(const Cluster& cluster, const Task& task, TimePoint now);

}  // namespace berth
