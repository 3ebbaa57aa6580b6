#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "berth/model/objects.h"
#include "ports/pod_writer.h"

namespace berth::ports {

struct GroupStatus {
  std::string name_space;
  std::string name;
  std::string uid;
  GroupPhase phase = GroupPhase::pending;
  std::int32_t running = 0;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  std::int32_t min_member = 1;
  bool is_scheduled = false;  // its minimum has its place
  TimePoint scheduled_since;  // when that last changed
  TimePoint waits_since;      // when it began or ceased to wait
  std::string reason;         // why it waits, in Volcano's words; empty: it does not
  std::string message;        // the same in ours, with numbers
  WrittenCondition targeted;  // whether it is a target; without a reason: it never was one
  WrittenCondition honoured;  // without a reason: all that it says is honoured
  bool is_volcano = true;     // else of scheduling.x-k8s.io, whose status has no conditions
  // Only of the latter: members with a place, and since when it is being scheduled.
  std::int32_t scheduled = 0;
  std::optional<TimePoint> started;
  bool operator==(const GroupStatus&) const = default;
};

struct QueueStatus {
  std::string name;
  std::string uid;
  // Only where the API has none yet: who closes a queue does it there.
  std::optional<QueueState> state;
  WrittenQueueStatus written;
  // Resources that an earlier status may have named; those without an amount now are taken out.
  std::vector<std::string> resources;
};

// What must outlive us about a gang under way: written before its first member may be bound.
struct GangRecord {
  std::string name_space;
  std::string name;
  std::string uid;
  std::uint64_t epoch = 0;
  bool is_volcano = true;
};

// A node's lock as it is to be: label, annotation, and taint where locks are enforced by taints.
// Somebody else's label, and others' taints, stay.
struct NodeLock {
  std::string node;
  std::string uid;
  std::string locked_for;  // empty: it is open
  TimePoint since;
  bool has_taint = false;
  bool operator==(const NodeLock&) const = default;
};

// A word to the user about a pod or a group.
struct Event {
  enum class About : std::uint8_t { pod, pod_group };
  About about = About::pod_group;
  std::string name_space;
  std::string name;
  std::string uid;
  bool is_warning = false;
  std::string reason;  // CamelCase
  std::string message;
  bool is_volcano = true;  // a group's API
};

// What is to stand on a job, which is a PodGroup or a pod. A user's "true" or "false" stays,
// whatever the marks say of it, and so does when it was first seen, if they do not say.
struct JobMarks {
  Event::About about = Event::About::pod_group;
  std::string name_space;
  std::string name;
  std::string uid;
  bool is_volcano = true;  // a group's API
  TargetMarks marks;
  bool operator==(const JobMarks&) const = default;
};

// What Berth tells the cluster besides steering. Any thread; returns at once; callers write only on
// change.
class StatusSink {
 public:
  virtual ~StatusSink() = default;
  virtual void write(const GroupStatus& status) = 0;
  virtual void write(const QueueStatus& status) = 0;
  virtual void write(const NodeLock& lock) = 0;
  virtual void write(const JobMarks& marks) = 0;
  virtual void tell(const Event& event) = 0;
  // `done` as PodWriter's.
  virtual void record(const GangRecord& record, std::function<void(WriteOutcome)> done) = 0;
};

}  // namespace berth::ports
