#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "berth/base/clock.h"
#include "berth/engine/ledger.h"
#include "berth/engine/points.h"
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
class Session {
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

  // Asks a point of points.h. The fold defines the type of the answer.
  template <class P, class... A>
  auto ask(const P&, const A&... arguments) const {
    return P::Fold::apply(table<P>(), arguments...);
  }
  // True if no plugin has attached to this point.
  template <class P>
  bool is_silent(const P&) const {
    return table<P>().empty();
  }

  // In Plugin::on_session_open: `session.attach<&Gang::is_complete>(points::job_ready, *this)`.
  template <auto Method, class P, class Rules>
  void attach(const P&, Rules& rules) {
    if (disabled_ != nullptr && disabled_->contains(std::string(P::name))) return;
    using Entry = Answer<typename P::Signature>;
    std::get<std::vector<Slot<P>>>(tables_).push_back(
        Slot<P>{Entry{&rules, thunk<Method, Rules>(static_cast<Entry*>(nullptr)), tier_}});
  }
  // For the Scheduler: the plugin that attaches next.
  void open_plugin(std::uint16_t tier, const std::set<std::string>* disabled) {
    tier_ = tier;
    disabled_ = disabled;
  }

  // For the Scheduler, once all plugins have attached. Without an electing action, targets end.
  void start(const std::set<std::string_view>& actions);
  // False without the action enqueue: then pending jobs need no admission.
  bool has_enqueue() const { return has_enqueue_; }

  // --- placing ------------------------------------------------------------------------------

  // The best node with idle room for a task of this shape; among equals, the lowest id. Invalid if
  // there is none. Never a node that is locked for another job.
  NodeId best_idle_node(ShapeId shape, JobId job = JobId());
  // The best node whose room will do once it is vacated. Invalid if there is none.
  NodeId best_future_node(ShapeId shape, JobId job = JobId());
  // Is the node locked for nobody, or for this job?
  Verdict is_open_to(NodeId node, JobId job) const {
    const JobId target = cluster_.locked_out_by(node, job);
    if (!target.is_valid()) return pass();
    return reject(Reason::node_locked, 0, 0, cluster_.job(target).name);
  }
  // Does the task run, and does neither its user nor the API server keep it from being evicted now?
  Verdict may_evict(const Task& task);
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
  // Returns an admitted job to the pending ones.
  void send_back(JobId job);
  // Makes the job a target.
  void elect(JobId job, std::string why);
  void name_target(JobId target);  // marks an elected target as named by a user
  // Ends a target and its locks. `why` is set if it is impossible.
  void release(JobId target, EndedReservation::How how, const Verdict& why = pass());
  // Locks a node for a target; the node must not be locked. And the inverse.
  void lock(NodeId node, JobId target);
  void unlock(NodeId node);
  // True once a session: its first placing action takes up earlier claims.
  bool takes_up_claims() { return !std::exchange(has_taken_up_claims_, true); }
  // The job can never start: this is the reason wherever it is refused.
  void note_impossible(JobId job, const Verdict& why);
  // The last refusal of a job counts. A job that lacks nothing in the end has none.
  void refuse(Refusal refusal);
  void refuse(JobId job, const Verdict& why);
  void clear_refusal(JobId job);
  // Keeps a text for a verdict until the session is closed.
  std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }
  bool is_refused(JobId job) const { return refused_for(job) != Reason::none; }
  Reason refused_for(JobId job) const;
  // For answers that depend on the time: they may change at `when`.
  void answers_may_change_at(TimePoint when) {
    answers_hold_until_ = std::min(answers_hold_until_, when);
  }
  // True if this very state of the cluster has refused the job before (Memory::Refused).
  bool refuse_again(JobId job);
  void remember_refusal(JobId job);
  // Cached results about the job in this very state, valid as long as the plugins' answers.
  Memory::WorkedOut& worked_out(JobId job);

  // Statements only.
  Plan& plan() { return plan_; }
  Statement* open_statement() const { return open_statement_; }  // the innermost; null: none
  void set_open_statement(Statement* statement) { open_statement_ = statement; }
  // Undoes everything and returns the decisions.
  Plan close();

 private:
  void forget_needless_elections();
  Verdict impossibility_of(JobId job) const;
  void record(Refusal refusal);

  template <class P>
  struct Slot : Answer<typename P::Signature> {
    explicit Slot(Answer<typename P::Signature> answer) : Answer<typename P::Signature>(answer) {}
  };
  template <class>
  struct TablesOf;
  template <class... P>
  struct TablesOf<std::tuple<P...>> {
    using type = std::tuple<std::vector<Slot<P>>...>;
  };

  template <class P>
  const std::vector<Slot<P>>& table() const {
    return std::get<std::vector<Slot<P>>>(tables_);
  }

  template <auto Method, class Rules, class R, class... A>
  static auto thunk(Answer<R(A...)>*) -> R (*)(void*, A...) {
    return [](void* object, A... arguments) -> R {
      return (static_cast<Rules*>(object)->*Method)(static_cast<A>(arguments)...);
    };
  }

  Cluster& cluster_;
  Memory& memory_;
  TimePoint now_;
  Ledger ledger_;
  TablesOf<points::All>::type tables_;
  bool has_enqueue_ = false;
  bool has_taken_up_claims_ = false;
  TimePoint answers_hold_until_ = TimePoint::max();
  std::uint16_t tier_ = 0;
  const std::set<std::string>* disabled_ = nullptr;
  Statement* open_statement_ = nullptr;
  std::deque<std::string> texts_;
  std::map<JobId, Verdict> impossible_;  // besides what feasibility() refuses
  std::int64_t elections_ = 0;
  std::vector<std::uint32_t> refusal_of_job_;  // index into plan_.refusals, + 1
  Plan plan_;
};

}  // namespace berth::engine
