#pragma once

#include <optional>

#include "berth/model/cluster.h"
#include "ports/object_writer.h"

// The desired record of targets, locks and claims, which outlives berthd: labels, annotations and
// taints of nodes, annotations of jobs. Pure functions.

namespace berth::reconcile {

// The object that a job is: its PodGroup, or its pod.
ports::ObjectRef ref_of(const Job& job);
ports::ObjectRef ref_of(const Node& node);
ports::ObjectRef ref_of(const Task& task);
ports::ObjectRef ref_of(const OwnerReference& owner, const std::string& name_space);

ports::NodeLock desired_lock(const Cluster& cluster, const Node& node, bool has_taint);

struct DesiredMarks {
  TargetMarks marks;
  // From then on the time of first sight, or claims, are to be written, if the job still waits.
  std::optional<TimePoint> due;
};

// `before` is what the API says. `keeps_waiting`: the configuration uses waiting times, so that
// they have to survive a restart.
DesiredMarks desired_marks(const Cluster& cluster, const Job& job, const TargetMarks& before,
                           bool keeps_waiting, TimePoint now);

}  // namespace berth::reconcile
