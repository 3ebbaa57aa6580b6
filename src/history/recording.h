#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/model/objects.h"
#include "traces/trace.h"

// A cluster's past, as far as a simulation needs it. The rules are in docs/design/history.md.

namespace berth::history {

// Pods that are alike.
struct RecordedPods {
  std::int32_t count = 1;
  NamedAmounts request;     // of each, "pods" aside
  Constraints constraints;  // on its node; none on other pods
  bool operator==(const RecordedPods&) const = default;
};

struct JobFacts {
  std::string name;  // namespace/name
  std::string uid;
  std::string queue;
  std::int32_t priority = 0;
  std::int32_t minimum = 1;  // pods that start together
  TimePoint submitted;
  std::optional<TimePoint> started;  // its last run, with its minimum
  std::optional<TimePoint> ended;    // that run, or a job that never ran
  std::optional<Duration> limit;     // TIME-1 to TIME-3; none: a pod may run for ever
  std::int32_t lost_runs = 0;        // before the last one
  bool was_evicted = false;          // Berth evicted a pod of it
  bool was_deleted = false;          // it is gone before its pods were done
  bool operator==(const JobFacts&) const = default;
};

// It is a target at the time of a dump.
struct RecordedTarget {
  TimePoint since;
  std::string why;
  bool is_named = false;                                 // by a user
  std::vector<std::pair<std::string, TimePoint>> nodes;  // kept for it, since then
};

struct RecordedJob : JobFacts {
  std::vector<RecordedPods> pods;             // when most of them were there
  std::optional<Duration> run_time;           // known beforehand; only of a dump
  std::vector<std::string> places = {};       // nodes of all pods, one by one; only of a dump
  std::optional<RecordedTarget> target = {};  // only of a dump
};

struct Recording {
  TimePoint begin;
  TimePoint end;
  std::vector<NodeObject> nodes;    // at the beginning, less what pods of others have; by name
  std::vector<QueueObject> queues;  // as they were last; by name
  std::vector<RecordedJob> jobs;    // by the first line of each
  std::int64_t node_changes = 0;    // nodes that came, changed or went afterwards
  std::int64_t cut = 0;             // lines that were not finished
  traces::Skipped skipped = {};
};

}  // namespace berth::history
