#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/clock.h"
#include "berth/model/constraints.h"
#include "berth/model/eviction_terms.h"
#include "berth/model/images.h"
#include "berth/model/labels.h"
#include "berth/model/namespaces.h"
#include "berth/model/owner.h"
#include "berth/model/pod_group.h"
#include "berth/model/reservation.h"
#include "berth/model/resources.h"
#include "berth/model/time_limit.h"
#include "berth/model/written_status.h"

// The parts of Kubernetes objects that Berth reads, in the engine's words and units (DESIGN D1,
// D4). Codecs (src/kube) make these; the mirror takes them in. They are values without invariants,
// except those noted here.

namespace berth {

// The scheduling gate of a pod without a plan; also the annotation with its plan.
inline constexpr const char* kPlanGate = "berth.dev/plan";

// Annotation of a PodGroup or a Queue: the scheduler of the group, or of the queue's groups.
inline constexpr const char* kSchedulerAnnotation = "berth.dev/scheduler";

// The namespace and the name of "namespace/name".
std::pair<std::string, std::string> split_name(const std::string& full_name);

// The locks that a pod tolerates when they are taints.
struct LockTolerations {
  bool all = false;               // those for targets, by a toleration for any value
  std::vector<std::string> some;  // by ours for one: "job.UID", "queue.NAME"; sorted
  bool all_for_queues = false;
  bool cover(std::string_view locked_for) const;
  bool operator==(const LockTolerations&) const = default;
};

struct NodeObject {
  std::string name;
  std::string uid;
  TimePoint created;
  std::map<std::string, std::string> labels;
  std::vector<Taint> taints;
  bool unschedulable = false;
  NamedAmounts allocatable;
  // The lock's label and taint go here, and not into labels and taints.
  std::string locked_for;                 // label berth.dev/locked-for; empty: none
  std::optional<TimePoint> locked_since;  // annotation berth.dev/locked-since
  std::string locked_for_queue = {};      // label berth.dev/locked-for-queue; empty: none
  std::optional<TimePoint> locked_for_queue_since = {};
  bool has_lock_taint = false;        // for a target
  bool has_queue_lock_taint = false;  // for a queue
  NamedImages images = {};
  bool operator==(const NodeObject&) const = default;
};

enum class PodPhase : std::uint8_t { pending, running, succeeded, failed, unknown };

struct PodObject {
  std::string name_space;
  std::string name;
  std::string uid;  // never empty: the codec makes one if it is absent
  TimePoint created;
  Labels labels;
  std::string scheduler_name;
  std::string group;              // name of its PodGroup, of any API, in its namespace; empty: none
  bool is_in_kube_group = false;  // it names that in spec.schedulingGroup
  std::string role;               // volcano.sh/task-spec, else volcano.sh/task-role; empty: none
  std::string queue;              // queue named on the pod or its owner; empty: none
  std::int64_t index = -1;  // completion or pod index, or the number its name ends in; -1: none
  std::optional<std::int32_t> priority;
  std::string priority_class;
  PodPhase phase = PodPhase::pending;
  bool terminating = false;  // has a deletion timestamp
  EvictionTerms eviction;
  bool never_preempts = false;     // preemptionPolicy: Never
  std::vector<std::string> gates;  // names of spec.schedulingGates
  std::string node_name;           // spec.nodeName; empty: not bound
  std::string nominated_node;      // status.nominatedNodeName
  std::string planned_node;        // annotation berth.dev/plan; empty: none
  std::string unschedulable;       // message of its condition of reason Unschedulable; else empty
  std::string not_scheduled;       // reason of its condition PodScheduled=False; empty: none
  NamedAmounts request;            // effective, incl. init, sidecars, overhead; "pods" is 1
  Constraints constraints;
  VolumeWishes volumes;
  std::optional<Duration> run_time;  // annotation berth.dev/run-time
  TimeTerms times;
  std::optional<Duration> waiting_limit;  // annotation volcano.sh/sla-waiting-time
  std::optional<TimePoint> started;       // status.startTime
  std::optional<TimePoint> scheduled;     // since when its condition PodScheduled is True
  TargetMarks marks;
  OwnerReference owner;  // its controller
  GangWish gang;
  TopologyWish topology;
  std::string local_queue;  // QueueWish::local_queue
  std::string own_queue;    // `queue`, as the pod itself has it
  // Of a pod in no group: why nobody knows whether it is one of a gang, so that it waits. Empty:
  // this is known. And what its user may not know about the other pods of its owner.
  std::string gang_fault;
  std::string gang_advice;
  bool is_daemon = false;     // of a DaemonSet, or a static pod: it comes with the node
  bool runs_forever = false;  // restartPolicy Always: it never finishes by itself
  LockTolerations lock_tolerations;
  std::string service_account = "default";

  std::string full_name() const { return name_space + "/" + name; }
  bool has_ended() const { return phase == PodPhase::succeeded || phase == PodPhase::failed; }
  bool operator==(const PodObject&) const = default;
};

enum class QueueState : std::uint8_t { open, closed, closing };

// The parts of a queue that the engine reads as they are written.
struct QueueSpec {
  std::string name;
  std::string uid;
  TimePoint created;
  std::int32_t weight = 1;  // >= 1
  std::int32_t priority = 0;
  std::string parent;  // empty or "root": none
  QueueState state = QueueState::open;
  std::int32_t guarantee_share_billionths = 0;  // S3: also this part of some resources
  bool names_policy = false;                    // S3: guarantee.policy is written
  // guarantee.policy: Guaranteed. Others leave for it, even without a claimant.
  bool guarantees_hard = false;
  bool is_fifo = false;          // dequeueStrategy: fifo. A job that cannot start blocks later jobs
  NamespaceSelector namespaces;  // whose jobs it serves: spec and annotation together
  // Annotations; none: those of the queue above count (RUNTIME-2, TIME-3).
  std::optional<Duration> preempt_min_run_time;  // berth.dev/preempt-min-run-time
  std::optional<Duration> reclaim_min_run_time;  // berth.dev/reclaim-min-run-time
  std::optional<Duration> default_time_limit;    // berth.dev/default-time-limit
  std::optional<Duration> max_time_limit;        // berth.dev/max-time-limit
  std::vector<std::string> not_honoured;         // fields and annotations that have no effect
  // The fault in parts that could not be read, which are left out. Empty: none.
  std::string fault;
  bool operator==(const QueueSpec&) const = default;
};

struct QueueObject : QueueSpec {
  bool reclaimable = true;
  NamedAmounts capability;                      // a missing dimension is unlimited
  NamedAmounts guarantee;                       // a missing dimension is 0
  std::vector<std::string> guarantee_share_of;  // these resources
  NamedAmounts deserved;                        // a missing dimension has no target
  std::string scheduler;                        // annotation berth.dev/scheduler; empty: none
  WrittenQueueStatus written;
  bool operator==(const QueueObject&) const = default;
};

struct PriorityClassObject {
  std::string name;
  std::int32_t value = 0;
  bool global_default = false;
  bool never_preempts = false;
  bool operator==(const PriorityClassObject&) const = default;
};

const char* to_string(QueueState state);
const char* to_string(PodPhase phase);

}  // namespace berth
