#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "berth/engine/fold.h"
#include "berth/engine/occupants.h"
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

class NodeBlock;  // node_block.h
struct Need;      // need.h

// Sums that scorers add to, an entry a node. An answer adds 0..100 times the plugin's own weight to
// each; a weight is at most 1,000,000.
using ScoreSums = std::int32_t*;

// The type of a point, its constant, its name in configurations, its fold and its question.
#define BERTH_POINT(Type, constant, text, ...)     \
  struct Type : Point<__VA_ARGS__> {               \
    static constexpr std::string_view name = text; \
  };                                               \
  inline constexpr Type constant {}

namespace points {

// All plugins have attached, and it is known which jobs can ever start (feasibility.h): results
// that depend on that are computed now.
BERTH_POINT(Opened, opened, "opened", EachInTurn, void());
// Which queue is served first?
BERTH_POINT(QueueOrder, queue_order, "queueOrder", FirstDifference,
            Order(const Queue&, const Queue&));
// Does serving one queue change how others compare with each other?
BERTH_POINT(QueueOrderMoves, queue_order_moves, "queueOrderMoves", AnyYes, bool());
// From which queue is a job admitted first? Without an answer, queueOrder decides.
BERTH_POINT(AdmissionOrder, admission_order, "admissionOrder", FirstDifference,
            Order(const Queue&, const Queue&));
// Which job of a queue is served first?
BERTH_POINT(JobOrder, job_order, "jobOrder", FirstDifference, Order(const Job&, const Job&));
// For its users: why does the turn of a job that waits for room come late? Empty: nothing to say.
BERTH_POINT(TurnNote, turn_note, "turnNote", EachInTurn, void(const Job&, std::string*));
// Which task of a job is placed first?
BERTH_POINT(TaskOrder, task_order, "taskOrder", FirstDifference, Order(const Task&, const Task&));
// Is the job complete enough to be considered at all?
BERTH_POINT(JobValid, job_valid, "jobValid", AllPass, Verdict(const Job&));
// May what is placed of the job start?
BERTH_POINT(JobReady, job_ready, "jobReady", AllPass, Verdict(const Job&));
// Could the job start once what it is promised has been vacated?
BERTH_POINT(JobPipelined, job_pipelined, "jobPipelined", TierVote, Vote(const Job&));
// May the pending job be admitted? Votes have no side effects.
BERTH_POINT(JobEnqueueable, job_enqueueable, "jobEnqueueable", TierVote, Vote(const Job&));
// The job has been admitted: tallies move now.
BERTH_POINT(JobEnqueued, job_enqueued, "jobEnqueued", EachInTurn, void(const Job&));
// May the queue be served, or has it all that it may have? Asked before its jobs are tried.
BERTH_POINT(Overused, overused, "overused", AllPass, Verdict(const Queue&));
// May this task be placed on its queue's account?
BERTH_POINT(Allocatable, allocatable, "allocatable", AllPass, Verdict(const Queue&, const Task&));
// Would its queue, and those above it, stay within the most that they may have? Asked where room of
// other queues passes to the task as it is.
BERTH_POINT(WithinCapability, within_capability, "withinCapability", AllPass,
            Verdict(const Queue&, const Task&));
// May a task of this shape run on this node, whatever other tasks are there? Depends on the node's
// labels, taints and the like only: answers are kept until the node's specification changes.
BERTH_POINT(Predicate, predicate, "predicate", AllPass, Verdict(const Shape&, const Node&));
// May it run beside these tasks, on the node and elsewhere? Asked for shapes with host ports or
// relations.
BERTH_POINT(Occupancy, occupancy, "occupancy", AllPass,
            Verdict(const Shape&, const Node&, Occupants));
// How good is each of these nodes? By its idle and allocatable amounts and `nodeOrderClass` alone.
BERTH_POINT(NodeOrder, node_order, "nodeOrder", EachInTurn,
            void(const Shape&, const NodeBlock&, ScoreSums));
// On what do answers of `nodeOrder` depend beside that? A plugin mixes a number into this one. Kept
// scores hold as long as it is the same. Asked once, after `opened`.
BERTH_POINT(NodeOrderVersion, node_order_version, "nodeOrderVersion", EachInTurn,
            void(std::uint64_t*));
// On what of a node do they depend beside its room, i.e. what is idle and allocatable? A plugin
// mixes a number into that of each node. Nodes with the same number and the same room have the same
// score. Asked when the version has changed, or a specification.
BERTH_POINT(NodeOrderClass, node_order_class, "nodeOrderClass", EachInTurn,
            void(std::span<std::uint64_t>));
// How good is each node by its specification? `passes[n]` marks the nodes that pass `predicate`;
// sums are for all nodes. Kept until a specification changes.
BERTH_POINT(BatchNodeOrder, batch_node_order, "batchNodeOrder", EachInTurn,
            void(const Shape&, const std::vector<std::uint8_t>&, ScoreSums));
// How good is each node by what the shape, and pods that are there, prefer of each other? Arguments
// as of `batchNodeOrder`. Kept until a count of these preferences changes.
BERTH_POINT(WishOrder, wish_order, "wishOrder", EachInTurn,
            void(const Shape&, const std::vector<std::uint8_t>&, ScoreSums));
// Which parts of jobs of its own queue may leave for this claimant? Answers depend on the queue and
// the priority of the claimant, and on the candidates.
BERTH_POINT(Preemptable, preemptable, "preemptable", TierAgreement,
            Opinion<PartSet>(const Job&, const PartSet&));
// Which parts of jobs of other queues may leave for it? As `preemptable`.
BERTH_POINT(Reclaimable, reclaimable, "reclaimable", TierAgreement,
            Opinion<PartSet>(const Job&, const PartSet&));
// May room be reclaimed from other queues for the job, which still needs this?
BERTH_POINT(Entitled, entitled, "entitled", AllPass, Verdict(const Job&, const Need&));
// The queue of a job that waits for admission would have this in all. May the room be reclaimed
// from other queues, if it asks for it? Amounts of 0 do not count.
BERTH_POINT(EntitledOnceAsked, entitled_once_asked, "entitledOnceAsked", AllPass,
            Verdict(const Job&, const Resources&));
// Do all jobs with surplus lend it: to jobs of their priority, to entitled queues and to admission?
BERTH_POINT(SurplusIsLent, surplus_is_lent, "surplusIsLent", AnyYes, bool());
// Does idle room that no job within its queue's share can use go to jobs beyond theirs?
BERTH_POINT(IdleRoomIsLent, idle_room_is_lent, "idleRoomIsLent", AnyYes, bool());
// Protection: may these tasks be evicted together, as things are now? Asked by every eviction, over
// all tiers.
BERTH_POINT(Evictable, evictable, "evictable", AllPass, Verdict(const Leaving&));
// Protection: may their queue lose them to this claimant of another queue, as things are now?
BERTH_POINT(Yieldable, yieldable, "yieldable", AllPass, Verdict(const Claimant&, const Leaving&));
// Which tasks must leave, even if nobody takes their place? In the order in which they should.
BERTH_POINT(Victims, victims, "victims", EachInTurn, void(std::vector<TaskId>*));
// How is the cluster divided among the queues? Asked once, for the record. One plugin may answer.
BERTH_POINT(QueueShares, queue_shares, "queueShares", EachInTurn,
            void(std::shared_ptr<const berth::QueueShares>*));
// What of this plugin's arguments has no effect, and why? For people; asked once.
BERTH_POINT(Notes, notes, "notes", EachInTurn, void(std::vector<std::string>*));
// Could the job's queue ever let it have what its minimum still needs, if all others were done?
// Depends on the configuration of queues and the size of the cluster alone.
BERTH_POINT(JobPossible, job_possible, "jobPossible", AllPass, Verdict(const Job&, const Need&));
// May nodes be kept for the job, which still needs this?
BERTH_POINT(Electable, electable, "electable", AllPass, Verdict(const Job&, const Need&));
// Which of these jobs, that wait and could be helped, should be a target next? None: nobody now.
BERTH_POINT(TargetJob, target_job, "targetJob", FirstAnswer,
            std::optional<Nomination>(const std::vector<JobId>&));
// May the target stay one?
BERTH_POINT(TargetStays, target_stays, "targetStays", AllPass, Verdict(const Job&));
// Which nodes should be locked for the target, which needs this? Those that are and should stay
// so are among them.
BERTH_POINT(ReservedNodes, reserved_nodes, "reservedNodes", FirstAnswer,
            std::optional<std::vector<NodeId>>(const Job&, const Need&));
// Would the target's queue let it have this once all others have left these nodes?
BERTH_POINT(Reservable, reservable, "reservable", AllPass,
            Verdict(const Job&, const Need&, const std::vector<NodeId>&));
// Has the target starved by a standard that the configuration sets? Then the share of its queue
// does not hold it back.
BERTH_POINT(MayExceedShare, may_exceed_share, "mayExceedShare", AnyYes, bool(const Job&));
// On which terms is it reserved for? Fills in scheme and times; asked for the record.
BERTH_POINT(ReservationTerms, reservation_terms, "reservationTerms", EachInTurn,
            void(const Job&, Reservation*));
// Which nodes should each queue have of its own? None: those that they have. Asked once, at the
// start, when there are no shares yet.
BERTH_POINT(QueueNodes, queue_nodes, "queueNodes", FirstAnswer,
            std::optional<std::vector<berth::QueueNodes>>());
// What do queues ask for in nodes of their own, and what have they, as things are now? By name.
BERTH_POINT(QueueReservations, queue_reservations, "queueReservations", EachInTurn,
            void(std::vector<QueueReservation>*));
// A task took room on a node, or a promise of it. With Released, its exact inverse, the only
// points at which a plugin may change.
BERTH_POINT(Allocated, allocated, "allocated", EachInTurn, void(const Task&));
// A task gave up its room or its promise: the inverse of Allocated.
BERTH_POINT(Released, released, "released", EachInTurn, void(const Task&));

using All = std::tuple<Opened, QueueOrder, QueueOrderMoves, AdmissionOrder, JobOrder, TurnNote,
                       TaskOrder, JobValid, JobReady, JobPipelined, JobEnqueueable, JobEnqueued,
                       Overused, Allocatable, WithinCapability, Predicate, Occupancy, NodeOrder,
                       NodeOrderVersion, NodeOrderClass, BatchNodeOrder, WishOrder, Preemptable,
                       Reclaimable, Entitled, EntitledOnceAsked, SurplusIsLent, IdleRoomIsLent,
                       Evictable, Yieldable, Victims, QueueShares, Notes, JobPossible, Electable,
                       TargetJob, TargetStays, ReservedNodes, Reservable, MayExceedShare,
                       ReservationTerms, QueueNodes, QueueReservations, Allocated, Released>;

// The names of all points, sorted: what `disable:` may list.
std::vector<std::string> names();

}  // namespace points

}  // namespace berth::engine
