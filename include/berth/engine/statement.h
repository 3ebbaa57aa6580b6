#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/engine/session.h"
#include "berth/engine/verdict.h"

namespace berth::engine {

// Tentative operations: they become part of the plan together, or vanish at the end of the scope.
// Single use: nothing may follow commit() or hold(). Statements nest: an inner one must end first,
// and its commit is real only if the outer one commits.
class Statement {
 public:
  // The purpose of an eviction.
  struct For {
    JobId beneficiary;        // invalid: nobody
    std::string_view action;  // static storage
    EvictedAs as = EvictedAs::surplus;
    std::string why = {};  // for people: why these pods and not others
    QueueId queue = {};    // valid: for this queue, whose node it is
  };

  explicit Statement(Session& session);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Refused, without any change, if the node is locked for another job. The room must exist.
  Verdict allocate(TaskId task, NodeId node);
  Verdict pipeline(TaskId task, NodeId node);
  // Refused, without any change, if one of them may not be evicted (Session::may_evict), if a
  // protection forbids it (points::evictable), or if a node is locked for another job than the
  // beneficiary.
  Verdict evict(const Leaving& leaving, const For& what_for);
  // The tasks that it evicts, in their order.
  std::vector<TaskId> evicted() const;
  // Takes back evictions of this statement.
  void spare(std::span<const TaskId> tasks);
  // The claim of a task that is held in this session: it waits again, and its room is open.
  void withdraw(TaskId task);

  // A place in this statement to return to.
  using Checkpoint = Ledger::Mark;
  Checkpoint checkpoint() const { return session_.ledger().mark(); }
  void roll_back(Checkpoint checkpoint);

  // Binds allocated tasks, claims room for pipelined ones, and evicts evicted ones.
  void commit() &&;
  // Nothing is bound: what was allocated or pipelined is claimed, for this session and the next
  // ones (docs/design/claims.md); what was evicted is evicted. Not for an inner statement.
  void hold() &&;
  bool is_empty() const { return session_.ledger().mark() == begin_; }

 private:
  struct EvictionNote {
    Ledger::Mark at;
    PlannedEviction eviction;
  };

  void end();
  void promise_those_that_others_seek();
  void add_to_plan(bool is_held);

  Session& session_;
  Statement* outer_;
  Ledger::Mark begin_;
  bool is_open_ = true;
  std::vector<EvictionNote> evictions_;
};

}  // namespace berth::engine
