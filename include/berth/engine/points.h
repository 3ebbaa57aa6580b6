#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "berth/engine/fold.h"
#include "berth/model/job.h"
#include "berth/model/node.h"
#include "berth/model/plan.h"
#include "berth/model/queue.h"
#include "berth/model/shape.h"
#include "berth/model/task.h"

// The questions an action may ask: the whole contract between actions and plugins. A point has a
// name (Volcano's, where it has one), a fold (fold.h) and the type of its question. Answers must
// depend on nothing but the arguments, the session and the plugin's own arguments.

namespace berth::engine {

class Rooms;  // rooms.h
struct Need;  // need.h

// Sums that scorers add to, an entry a node. An answer adds 0..100 times the plugin's own weight to
// each; a weight is at most 1,000,000.
using ScoreSums = std::int32_t*;

template <class Fold_, class Signature_>
struct Point {
  using Fold = Fold_;
  using Signature = Signature_;
};

namespace points {

// Which queue is served first?
struct QueueOrder : Point<FirstDifference, Order(const Queue&, const Queue&)> {
  static constexpr std::string_view name = "queueOrder";
};
// Does serving one queue change how others compare with each other?
struct QueueOrderMoves : Point<AnyYes, bool()> {
  static constexpr std::string_view name = "queueOrderMoves";
};
// From which queue is a job admitted first? Where nobody answers, queueOrder's word holds.
struct AdmissionOrder : Point<FirstDifference, Order(const Queue&, const Queue&)> {
  static constexpr std::string_view name = "admissionOrder";
};
// Which job of a queue is served first?
struct JobOrder : Point<FirstDifference, Order(const Job&, const Job&)> {
  static constexpr std::string_view name = "jobOrder";
};
// Which task of a job is placed first?
struct TaskOrder : Point<FirstDifference, Order(const Task&, const Task&)> {
  static constexpr std::string_view name = "taskOrder";
};
// Is the job complete enough to be considered at all?
struct JobValid : Point<AllPass, Verdict(const Job&)> {
  static constexpr std::string_view name = "jobValid";
};
// May what is placed of the job start?
struct JobReady : Point<AllPass, Verdict(const Job&)> {
  static constexpr std::string_view name = "jobReady";
};
// Could the job start once what it is promised has been vacated?
struct JobPipelined : Point<TierVote, Vote(const Job&)> {
  static constexpr std::string_view name = "jobPipelined";
};
// May the pending job be admitted? Votes have no side effects.
struct JobEnqueueable : Point<TierVote, Vote(const Job&)> {
  static constexpr std::string_view name = "jobEnqueueable";
};
// The job has been admitted: tallies move now.
struct JobEnqueued : Point<EachInTurn, void(const Job&)> {
  static constexpr std::string_view name = "jobEnqueued";
};
// May the queue be served, or has it all that it may have? Asked before its jobs are tried.
struct Overused : Point<AllPass, Verdict(const Queue&)> {
  static constexpr std::string_view name = "overused";
};
// May this task be placed on its queue's account?
struct Allocatable : Point<AllPass, Verdict(const Queue&, const Task&)> {
  static constexpr std::string_view name = "allocatable";
};
// May a task of this shape run on this node, whoever else is there? Depends on the node's labels,
// taints and the like only: answers are kept until the node's specification changes.
struct Predicate : Point<AllPass, Verdict(const Shape&, const Node&)> {
  static constexpr std::string_view name = "predicate";
};
// May it run beside the tasks that are on the node now? Asked for shapes with host ports.
struct Occupancy : Point<AllPass, Verdict(const Shape&, const Node&)> {
  static constexpr std::string_view name = "occupancy";
};
// How good is each of these nodes, as it is filled now?
struct NodeOrder : Point<EachInTurn, void(const Shape&, const Rooms&, ScoreSums)> {
  static constexpr std::string_view name = "nodeOrder";
};
// How good is each node by its specification? `passes[n]` tells the nodes that pass `predicate`;
// sums are for all nodes. Kept until a specification changes.
struct BatchNodeOrder
    : Point<EachInTurn, void(const Shape&, const std::vector<std::uint8_t>&, ScoreSums)> {
  static constexpr std::string_view name = "batchNodeOrder";
};
// Which of the candidates of its own queue may be evicted for this claimant?
struct Preemptable : Point<TierAgreement, Opinion<TaskSet>(const Task&, const TaskSet&)> {
  static constexpr std::string_view name = "preemptable";
};
// Which of the candidates of other queues may be evicted for this claimant?
struct Reclaimable : Point<TierAgreement, Opinion<TaskSet>(const Task&, const TaskSet&)> {
  static constexpr std::string_view name = "reclaimable";
};
// Protection: may this task be evicted by anybody? Asked by every eviction, over all tiers.
struct Evictable : Point<AllPass, Verdict(const Task&)> {
  static constexpr std::string_view name = "evictable";
};
// Which tasks must leave, even if nobody takes their place? In the order in which they should.
struct Victims : Point<EachInTurn, void(std::vector<TaskId>*)> {
  static constexpr std::string_view name = "victims";
};
// How is the cluster divided among the queues? Asked once, for the record. One plugin may answer.
struct QueueShares : Point<EachInTurn, void(std::shared_ptr<const berth::QueueShares>*)> {
  static constexpr std::string_view name = "queueShares";
};
// Could the job's queue ever let it have what its minimum still needs, if all others were done?
struct Electable : Point<AllPass, Verdict(const Job&, const Need&)> {
  static constexpr std::string_view name = "electable";
};
// Which of these jobs, that wait and could be helped, should be a target next? None: nobody now.
struct TargetJob : Point<FirstAnswer, std::optional<Nomination>(const std::vector<JobId>&)> {
  static constexpr std::string_view name = "targetJob";
};
// May the target stay one?
struct TargetStays : Point<AllPass, Verdict(const Job&)> {
  static constexpr std::string_view name = "targetStays";
};
// Which nodes should be locked for the target, which needs this? Those that are and should stay
// so are among them.
struct ReservedNodes
    : Point<FirstAnswer, std::optional<std::vector<NodeId>>(const Job&, const Need&)> {
  static constexpr std::string_view name = "reservedNodes";
};
// On which terms is it reserved for? Fills in scheme and times; asked for the record.
struct ReservationTerms : Point<EachInTurn, void(const Job&, Reservation*)> {
  static constexpr std::string_view name = "reservationTerms";
};
// A task took room on a node, or a promise of it. With Released, its exact inverse, the only
// points at which a plugin may change.
struct Allocated : Point<EachInTurn, void(const Task&)> {
  static constexpr std::string_view name = "allocated";
};
// A task gave up what Allocated told of.
struct Released : Point<EachInTurn, void(const Task&)> {
  static constexpr std::string_view name = "released";
};

using All = std::tuple<QueueOrder, QueueOrderMoves, AdmissionOrder, JobOrder, TaskOrder, JobValid,
                       JobReady, JobPipelined, JobEnqueueable, JobEnqueued, Overused, Allocatable,
                       Predicate, Occupancy, NodeOrder, BatchNodeOrder, Preemptable, Reclaimable,
                       Evictable, Victims, QueueShares, Electable, TargetJob, TargetStays,
                       ReservedNodes, ReservationTerms, Allocated, Released>;

inline constexpr QueueOrder queue_order;
inline constexpr QueueOrderMoves queue_order_moves;
inline constexpr AdmissionOrder admission_order;
inline constexpr JobOrder job_order;
inline constexpr TaskOrder task_order;
inline constexpr JobValid job_valid;
inline constexpr JobReady job_ready;
inline constexpr JobPipelined job_pipelined;
inline constexpr JobEnqueueable job_enqueueable;
inline constexpr JobEnqueued job_enqueued;
inline constexpr Overused overused;
inline constexpr Allocatable allocatable;
inline constexpr Predicate predicate;
inline constexpr Occupancy occupancy;
inline constexpr NodeOrder node_order;
inline constexpr BatchNodeOrder batch_node_order;
inline constexpr Preemptable preemptable;
inline constexpr Reclaimable reclaimable;
inline constexpr Evictable evictable;
inline constexpr Victims victims;
inline constexpr QueueShares queue_shares;
inline constexpr Electable electable;
inline constexpr TargetJob target_job;
inline constexpr TargetStays target_stays;
inline constexpr ReservedNodes reserved_nodes;
inline constexpr ReservationTerms reservation_terms;
inline constexpr Allocated allocated;
inline constexpr Released released;

// The names of all points, sorted: what `disable:` may list.
std::vector<std::string> names();

}  // namespace points

}  // namespace berth::engine
