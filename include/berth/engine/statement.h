#pragma once

#include <string_view>

#include "berth/engine/session.h"
#include "berth/engine/verdict.h"

namespace berth::engine {

// Tentative operations that become part of the plan together or vanish when the scope ends. Single
// use: after commit() or hold() nothing more can be tried or undone. Statements nest: an inner one
// must end before its outer one, and what it commits is real only if the outer one commits.
class Statement {
 public:
  explicit Statement(Session& session);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Refused, with nothing changed, where the node is locked for another job. Room must be there.
  Verdict allocate(TaskId task, NodeId node);
  Verdict pipeline(TaskId task, NodeId node);
  // Refused, with nothing changed, where a protection forbids it (points::evictable), or where the
  // beneficiary could not use the room, since the node is locked for another.
  Verdict evict(TaskId task, JobId beneficiary, std::string_view action);
  // The claim of a task that is held in this session: it waits again, and its room is open.
  void withdraw(TaskId task);

  // A place in this statement to come back to.
  using Checkpoint = Ledger::Mark;
  Checkpoint checkpoint() const { return session_.ledger().mark(); }
  void roll_back(Checkpoint checkpoint);

  // What was allocated is bound, what was pipelined is claimed, what was evicted is evicted.
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
  void add_to_plan(bool is_held);

  Session& session_;
  Statement* outer_;
  Ledger::Mark begin_;
  bool is_open_ = true;
  std::vector<EvictionNote> evictions_;
};

}  // namespace berth::engine
