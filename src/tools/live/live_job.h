#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/model/owner.h"
#include "berth/model/time_limit.h"
#include "berth/model/written_status.h"

// A job of a live cluster, as its objects show it to somebody with rights in one namespace.

namespace berth::tools {

struct PodCounts {
  std::int32_t all = 0;
  std::int32_t bound = 0;  // with a node, and not at their end
  std::int32_t running = 0;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  // Those without a place.
  std::int32_t waiting() const { return all - bound - succeeded - failed; }
};

// status.waiting of a PodGroup. Absent fields are empty.
struct Line {
  std::string text;                           // the position in words
  std::optional<std::int64_t> position;       // in its queue; 1 is first
  std::optional<std::int64_t> queue_waiting;  // jobs in that order
  std::optional<std::int64_t> ahead;          // jobs of all queues before it
  std::optional<std::int64_t> ahead_here;     // of these, in its namespace
  std::vector<std::string> names_here;        // the first of these
};

// For how long its pods may run, as they and its PodGroup say. Default and maximum of its queue are
// not for everybody to read.
struct LiveLimits {
  std::optional<TimeLimit> of_pods;  // of the pod that may run longest; none: for ever
  bool has_endless_pod = false;
  std::optional<TimeLimit> of_group;  // for pods that say nothing
  std::optional<JobDeadline> of_job;  // of the Job that controls its pods; only if it was asked for
  // That of all pods, without the Job's.
  const std::optional<TimeLimit>& limit() const {
    return of_pods || has_endless_pod ? of_pods : of_group;
  }
};

struct LiveEvent {
  TimePoint time;      // the last
  std::string object;  // "pod train-0", "podgroup train"
  std::string reason;
  std::string message;
  std::string object_uid;
  bool is_warning = false;
};

enum class JobState : std::uint8_t { waits, runs, done, foreign, without_pods };
// "waits", "runs", "done", "other scheduler", "no pods"
const char* to_string(JobState state);

struct LiveJob {
  std::string name_space;
  std::string name;
  bool is_group = false;     // a PodGroup, else a single pod
  bool was_planned = false;  // Berth has planned a pod of it, in place
  std::string uid;
  OwnerReference owner;
  TimePoint created;
  std::string queue;  // empty: not named
  std::string phase;  // of the PodGroup, or of the pod
  std::int32_t minimum = 1;
  PodCounts pods;
  JobState state = JobState::waits;
  std::string reason;   // a code of ours, else the condition's; empty: nothing is missing
  std::string message;  // in words, with numbers
  std::optional<TimePoint> since;
  Line line;
  WrittenStart start;  // forecast
  LiveLimits limits;
  bool is_target = false;
  std::string target;                      // the message of its condition Targeted; empty: none
  std::string ignored;                     // of its condition Honoured: fields without effect
  std::string scheduler;                   // of its pods
  std::vector<OwnerReference> pod_owners;  // each once
  std::vector<std::string> pod_names;
  std::vector<std::string> pod_uids;
  std::vector<LiveEvent> events;  // newest first; only where they were asked for

  std::string full_name() const { return name_space + "/" + name; }
  std::string kind() const { return is_group ? "PodGroup" : "Pod"; }
};

}  // namespace berth::tools
