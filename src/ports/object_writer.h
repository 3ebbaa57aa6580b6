#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "berth/base/enum_text.h"
#include "berth/model/objects.h"
#include "ports/object_ref.h"

// All that Berth writes on objects of the API, except Bindings (ports/binder.h).

namespace berth::ports {

// On a pod, to steer kube-scheduler (docs/design/steering.md).
struct PodWrite {
  enum class Kind : std::uint8_t {
    nominate,  // status.nominatedNodeName = node; an empty node clears it
    commit,    // our gate off, our plan on: kube-scheduler is to act now
    touch,     // a change without meaning, so that kube-scheduler looks at the pod again
    tolerate,  // one more toleration: of the taint of nodes that are locked for its job
  };
  Kind kind = Kind::nominate;
  std::string node = {};
  // commit: also changes a label, without meaning. kube-scheduler looks again at a pod that its own
  // rules of pod affinity have refused, and not at a new annotation on it.
  bool wakes_by_label = false;
  // tolerate: the taint's value, and whether the pod has no tolerations so far.
  std::string locked_for = {};
  bool is_first_toleration = false;
  bool operator==(const PodWrite&) const = default;
};

// On a PodGroup. A group of scheduling.x-k8s.io has no conditions; one of scheduling.k8s.io has
// nothing but a condition of this.
struct GroupStatus : WrittenStatus {
  GroupPhase phase = GroupPhase::pending;
  std::int32_t min_member = 1;
  // Only of scheduling.x-k8s.io: members with a place, and since when it is being scheduled.
  std::int32_t scheduled = 0;
  std::optional<TimePoint> started;
  bool operator==(const GroupStatus&) const = default;
};

// On a Queue.
struct QueueStatus {
  // Only where the API has none yet: users close queues there.
  std::optional<QueueState> state;
  WrittenQueueStatus written;
  // Resources that an earlier status may have named; those without an amount now are taken out.
  std::vector<std::string> resources;
  bool operator==(const QueueStatus&) const = default;
};

// On a node: label, annotation, and taint where locks are enforced by taints. Another's label and
// others' taints stay.
struct NodeLock {
  std::string locked_for;  // empty: the node is open
  TimePoint since;
  bool has_taint = false;
  std::string queue = {};  // queue_lock_value() of the queue whose node it is; empty: none
  TimePoint queue_since = {};
  bool has_queue_taint = false;
  bool operator==(const NodeLock&) const = default;
};

// On a pod that waits: its condition PodScheduled, which autoscalers read
// (docs/design/autoscaling.md). A condition without a time keeps the one in the API.
struct PodCondition {
  WrittenCondition scheduled;
  bool operator==(const PodCondition&) const = default;
};

// A PodGroup that Berth makes for the pods of an owner (docs/design/gangs-of-owners.md): the group
// itself, or those fields of its spec.
struct GroupSpec {
  enum class Verb : std::uint8_t { make, change, remove };
  Verb verb = Verb::make;
  OwnerReference owner = {};  // make: goes with it
  std::int32_t min_member = 1;
  std::string queue = {};
  bool operator==(const GroupSpec&) const = default;
};

// Of a pod, by the eviction API.
struct Eviction {
  std::string reason;  // for people, as the end of a sentence: "by preempt for ns/job: ..."
  bool operator==(const Eviction&) const = default;
};

// A Kubernetes Event about a pod or a PodGroup.
struct Event {
  bool is_warning = false;
  std::string reason;  // CamelCase
  std::string message;
  bool operator==(const Event&) const = default;
};

// TargetMarks are the annotations of a PodGroup, or of a pod in none. A user's "true" or "false"
// stays, and so does the time of first sight if the marks have none.
using Content = std::variant<PodWrite, GroupStatus, QueueStatus, NodeLock, TargetMarks,
                             PodCondition, GroupSpec, Eviction, Event>;

struct Write {
  ObjectRef object;
  Content content;
  std::uint64_t epoch = 0;   // of the leader
  std::uint64_t number = 0;  // no two writes of a leader are alike, so each wakes kube-scheduler
};

struct WriteOutcome {
  enum class Result : std::uint8_t {
    done,
    gone,       // no such object any more, or another of the same name
    conflict,   // the object changed between reading and writing
    failed,     // not delivered, or refused for now; worth repeating
    forbidden,  // no right to write it
    refused,    // for good: the same write will be refused again
  };
  Result result = Result::done;
  std::string error = {};                    // "nominate ns/p: status 403: forbidden"
  std::optional<Duration> retry_after = {};  // as the server asks
};

// "refused"
constexpr const char* to_string(WriteOutcome::Result result) {
  return enum_text<WriteOutcome::Result::refused>(result, "unknown", "done", "gone", "conflict",
                                                  "failed", "forbidden", "refused");
}

// Any thread.
class ObjectWriter {
 public:
  virtual ~ObjectWriter() = default;
  // One attempt. Returns at once; `done` is called exactly once, from any thread, possibly before
  // write() returns.
  virtual void write(const Write& write, std::function<void(WriteOutcome)> done) = 0;
};

// The outcome of the write with this number.
struct WriteAnswer {
  std::uint64_t number = 0;
  WriteOutcome outcome;
};

}  // namespace berth::ports
