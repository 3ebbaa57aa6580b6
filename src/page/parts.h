#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/model/pod_group.h"
#include "berth/model/written_status.h"

// The state of the cluster as the page shows it (docs/design/page.md). Plain values. Amounts are in
// the units of D4, by Batch::resources.

namespace berth::page {

enum class PodState : std::uint8_t { running, bound, planned, leaving, claimed };

inline constexpr std::int64_t kNone = -1;  // no job, no domain

// Pods of one job in one state on one node.
struct PodGroupPart {
  std::int64_t job = kNone;  // kNone: not ours
  PodState state = PodState::running;
  std::int32_t pods = 0;
  std::vector<std::int64_t> amounts;
  bool operator==(const PodGroupPart&) const = default;
};

struct NodePart {
  std::string name;
  bool is_unschedulable = false;
  std::int64_t domain = kNone;  // DomainPart::id, the innermost
  std::vector<std::int64_t> allocatable = {};
  std::vector<std::int64_t> used = {};
  std::int64_t target = kNone;  // the job that it is locked for
  std::string queue = {};       // that it is locked for; empty: none
  std::vector<PodGroupPart> groups = {};
  bool operator==(const NodePart&) const = default;
};

struct DomainPart {
  std::int64_t id = kNone;
  std::string name;
  std::size_t level = 0;  // of Batch::levels
  std::int64_t parent = kNone;
  bool operator==(const DomainPart&) const = default;
};

struct JobPart {
  enum Count : std::uint8_t { pending, planned, running, leaving, succeeded, failed };

  std::int64_t id = kNone;  // of the session's cluster; ids of jobs that are gone are given again
  std::string name;         // namespace/name
  std::string queue;
  GroupPhase phase = GroupPhase::pending;
  std::int32_t priority = 0;
  std::int32_t minimum = 1;
  std::array<std::int32_t, 6> counts{};  // of pods, by Count
  TimePoint created;
  TimePoint waits_since;             // when a scheduler first saw it, or when it lost its last pod
  std::optional<TimePoint> started;  // its first pod that has a node got it then

  std::optional<TimePoint> ends;  // its pods that have nodes are gone by then, by their limits

  std::string reason;  // the code; empty: it does not wait
  std::string message;
  std::optional<WrittenStart> start;      // forecast
  std::optional<TimePoint> target_since;  // it is a target
  std::string target_why;                 // the reason of its election
  std::optional<TimePoint> promised;      // by backfill
  std::optional<Duration> limit;          // of its PodGroup
  std::int32_t gated = 0;                 // pending pods that may not be placed
  bool operator==(const JobPart&) const = default;
};

// The changes since the batch before, or everything.
struct Batch {
  bool leads = true;      // false: there is nothing else in it
  bool is_whole = false;  // parts that are not in it are gone
  TimePoint now;
  std::vector<std::string> resources;
  std::vector<std::int64_t> total;  // allocatable of all nodes
  std::vector<std::int64_t> used;
  std::vector<std::string> levels;                 // of the topology, the outermost first
  std::optional<std::vector<DomainPart>> domains;  // all; none: as before
  std::vector<NodePart> nodes;
  std::vector<JobPart> jobs;
  std::vector<std::int64_t> jobs_gone;
  std::vector<std::int64_t> order;  // all jobs that wait for room, as they are served
};

}  // namespace berth::page
