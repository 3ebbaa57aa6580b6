#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/clock.h"
#include "berth/engine/eviction_limits.h"
#include "berth/engine/kept_out.h"
#include "berth/engine/ledger.h"
#include "berth/engine/lending.h"
#include "berth/engine/point_table.h"
#include "berth/engine/room_maker.h"
#include "berth/engine/start.h"
#include "berth/engine/within.h"
#include "berth/model/cluster.h"
#include "berth/model/plan.h"
#include "engine/memory.h"

namespace berth::engine {

class Admissions;
class Feasibility;
class QueueTree;
class Shares;
class Statement;

// One pass of all actions over the cluster. Actions ask it, and plugins attach to it. Session
// thread only. The Scheduler makes and closes it (scheduler.h).
class Session : public PointTable {
 public:
  Session(Cluster& cluster, Memory& memory, TimePoint now);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Cluster& cluster() const { return cluster_; }
  TimePoint now() const { return now_; }
  Ledger& ledger() { return ledger_; }
  // Shares of nodes' room in integers, for scores.
  const Shares& shares() const;
  const QueueTree& queues() const;
  // Of the cluster at the start of the session.
  const Feasibility& feasibility() const;
  // Of the cluster at present.
  Admissions& admissions();

  // For the Scheduler, once all plugins have attached. Without an electing action, targets end.
  void start(const std::set<std::string_view>& actions);
  // Without the action enqueue, pending jobs need no admission.
  bool has_enqueue() const { return has_enqueue_; }
  // Do configured actions evict for jobs that wait?
  bool evicts_for_jobs() const { return evicts_for_jobs_; }
  RoomMakers& room_makers() { return room_makers_; }
  Lending& lending() { return lending_; }
  // Is preempt among them? Is reclaim?
  bool preempts() const { return preempts_; }
  bool reclaims() const { return plan_.reclaims; }

  // --- placing ------------------------------------------------------------------------------

  // The best node with idle room for a task of this shape; among equals, the lowest id. Invalid:
  // none. None that is locked for others; those of the job's own queue, or of one above, first.
  NodeId best_idle_node(ShapeId shape, JobId job = JobId());
  // The best node whose room will do once it is vacated. Invalid if there is none.
  NodeId best_future_node(ShapeId shape, JobId job = JobId());
  // From now on pods with the term are placed in this domain; none: anywhere.
  void start_in(const std::optional<Start>& start);
  const std::optional<Start>& start() const { return start_; }
  // From now on only these nodes are chosen; null: all. It must outlive that.
  void stay_within(const Within* within) { within_ = within; }
  bool may_choose(NodeId node) const { return !within_ || within_->has[node.index()] != 0; }
  // Is the node locked for nobody, for this job, or for its queue or one above?
  Verdict is_open_to(NodeId node, JobId job) const;
  // The other job's name, for users of `reader` who may read it; else `unnamed`, a literal.
  std::string_view named_to(JobId reader, JobId other, std::string_view unnamed) const;
  // Does it run, and does neither its user, nor the API server, nor a limit keep it from eviction?
  Verdict may_evict(const Task& task);
  // The limits of evictions a minute. Pods that are taken must become part of the plan.
  EvictionAllowance& allowance() { return allowance_; }
  // Nodes that pass the predicates, whatever room they have: 1 or 0, by node. Until the next call.
  const std::vector<std::uint8_t>& passing(ShapeId shape);
  // The same without vetoes, which end soon.
  const std::vector<std::uint8_t>& passing_but_for_vetoes(ShapeId shape);
  // The sum of the plugins' scores for one node. Rankings must equal it.
  std::int32_t score_of(ShapeId shape, NodeId node);
  // The unused part of the guarantee of the job's own queue, summed over all nodes.
  std::int64_t kept_for_own_queue(const Job& job, std::string_view resource) const;
  // The reasons of all nodes that refuse the shape, most frequent first, then by reason and name.
  std::vector<NodeRefusals> why_nowhere(ShapeId shape, JobId job = JobId());

  // --- orders that end every tie ------------------------------------------------------------

  bool comes_before(const Queue& left, const Queue& right) const;
  bool comes_before(const Job& left, const Job& right) const;
  // The job's pending tasks that may be placed, in task order, then (index, creation, uid).
  std::vector<TaskId> unplaced_in_order(const Job& job) const;

  // --- outcome ------------------------------------------------------------------------------

  void admit(JobId job);
  KeptOut& kept_out() { return kept_out_; }
  void send_back(JobId job);               // an admitted one becomes pending again
  void elect(JobId job, std::string why);  // it becomes a target
  void name_target(JobId target);          // marks an elected target as named by a user
  // Ends a target and its locks. `why` is set if it is impossible.
  void release(JobId target, EndedReservation::How how, const Verdict& why = pass());
  // Locks a node for a target; the node must not be locked. And the inverse.
  void lock(NodeId node, JobId target);
  void unlock(NodeId node);
  // The queues have these nodes from now on, and no others. None may be locked for others.
  void give_nodes(const std::vector<QueueNodes>& nodes);
  // True once a session for each job: its first placing action takes up earlier claims.
  bool takes_up_claims_of(JobId job) { return has_taken_up_claims_.insert(job).second; }
  // On nodes of the queue, pods of others that may not leave; for its reservation.
  void note_in_the_way(QueueId queue, std::vector<Spared> pods) {
    in_the_way_[queue] = std::move(pods);
  }
  // The job can never start: this is the reason wherever it is refused.
  void note_impossible(JobId job, const Verdict& why);
  // The last refusal of a job counts. A job that lacks nothing in the end has none.
  void refuse(Refusal refusal);
  void refuse(JobId job, const Verdict& why);
  void clear_refusal(JobId job);
  // An evicting action helps no more: noted in the plan, and in the job's refusal, if it has one.
  void note_vain(ConsideredEvictions vain);
  // Keeps a text for a verdict until the session is closed.
  std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }
  bool is_refused(JobId job) const { return refused_for(job) != Reason::none; }
  Reason refused_for(JobId job) const;
  // For answers that depend on the time: they may change at `when`.
  void answers_may_change_at(TimePoint when) {
    answers_hold_until_ = std::min(answers_hold_until_, when);
  }
  TimePoint answers_hold_until() const;
  // True if this very state of the cluster has refused the job before (Memory::Refused).
  bool refuse_again(JobId job);
  void remember_refusal(JobId job);
  // Cached results about the job in this very state, valid as long as the plugins' answers.
  Memory::WorkedOut& worked_out(JobId job);
  Memory& memory() { return memory_; }
  // Its claims are not enough for it. They end with the session, unless an action completes them.
  void hold_until_close(JobId job) { unfinished_.push_back(job); }
  bool holds_until_close(JobId job) const;

  // Statements only.
  Plan& plan() { return plan_; }
  Statement* open_statement() const { return open_statement_; }  // the innermost; null: none
  void set_open_statement(Statement* statement) { open_statement_ = statement; }
  // The reason of the first of a kind is the reason of those behind it, too.
  void refuse_those_alike();
  // Fills Plan::order, by the shares that the queues have now.
  void put_in_order();
  Plan close();  // undoes everything and returns the decisions

 private:
  void forget_needless_elections();
  void end_unfinished_claims();
  void relock();
  void describe_queue_nodes();
  void put_refusals_in_order();
  Verdict impossibility_of(JobId job) const;
  void record(Refusal refusal);
  const Refusal& refusal_of(JobId job) const;  // it is refused
  void let_in(JobId job);
  void refuse_alike(JobId job, Refusal refusal);

  Cluster& cluster_;
  Memory& memory_;
  TimePoint now_;
  Ledger ledger_;
  bool has_enqueue_ = false;
  bool evicts_for_jobs_ = false;
  RoomMakers room_makers_;
  Lending lending_;
  bool preempts_ = false;
  KeptOut kept_out_;
  std::vector<JobId> unfinished_;
  std::set<JobId> has_taken_up_claims_;
  TimePoint answers_hold_until_ = TimePoint::max();
  Statement* open_statement_ = nullptr;
  std::deque<std::string> texts_;
  std::optional<Start> start_;
  const Within* within_ = nullptr;
  std::vector<std::uint8_t> passing_;    // of the shape that was asked about last, with its vetoes
  std::map<JobId, Verdict> impossible_;  // besides what feasibility() refuses
  std::map<QueueId, std::vector<Spared>> in_the_way_;
  EvictionAllowance allowance_;
  std::int64_t elections_ = 0;
  std::vector<std::uint32_t> refusal_of_job_;  // index into plan_.refusals, + 1
  Plan plan_;
};

}  // namespace berth::engine
