#include "berth/engine/statement.h"

#include <algorithm>
#include <vector>

#include "berth/base/check.h"

namespace berth::engine {

Statement::Statement(Session& session)
    : session_(session), outer_(session.open_statement()), begin_(session.ledger().mark()) {
  session_.set_open_statement(this);
}

Statement::~Statement() {
  if (!is_open_) return;
  session_.ledger().roll_back(begin_);
  end();
}

void Statement::end() {
  BERTH_CHECK(is_open_ && session_.open_statement() == this);
  is_open_ = false;
  session_.set_open_statement(outer_);
}

Verdict Statement::allocate(TaskId task, NodeId node) {
  BERTH_CHECK(is_open_);
  const Verdict open = session_.is_open_to(node, session_.cluster().task(task).job);
  if (open) session_.ledger().allocate(task, node);
  return open;
}

Verdict Statement::pipeline(TaskId task, NodeId node) {
  BERTH_CHECK(is_open_);
  const Verdict open = session_.is_open_to(node, session_.cluster().task(task).job);
  if (open) session_.ledger().pipeline(task, node);
  return open;
}

Verdict Statement::evict(const Leaving& leaving, const For& what_for) {
  BERTH_CHECK(is_open_);
  for (const TaskId id : leaving.tasks) {
    const Task& task = session_.cluster().task(id);
    if (const Verdict verdict = session_.may_evict(task); !verdict) return verdict;
    if (!what_for.beneficiary.is_valid()) continue;
    if (!session_.is_open_to(task.node, what_for.beneficiary)) return reject(Reason::node_is_kept);
  }
  if (const Verdict verdict = session_.ask(points::evictable, leaving); !verdict) return verdict;
  for (const TaskId id : leaving.tasks) {
    const NodeId node = session_.cluster().task(id).node;
    evictions_.push_back({session_.ledger().mark(),
                          {id, node, what_for.beneficiary, what_for.action, what_for.as,
                           what_for.why, what_for.queue}});
    session_.ledger().evict(id);
  }
  return pass();
}

std::vector<TaskId> Statement::evicted() const {
  std::vector<TaskId> tasks;
  tasks.reserve(evictions_.size());
  for (const EvictionNote& each : evictions_) tasks.push_back(each.eviction.task);
  return tasks;
}

void Statement::spare(std::span<const TaskId> tasks) {
  BERTH_CHECK(is_open_);
  for (const TaskId id : tasks) {
    session_.ledger().spare(id);
    std::erase_if(evictions_, [&](const EvictionNote& each) { return each.eviction.task == id; });
  }
}

void Statement::withdraw(TaskId task) {
  BERTH_CHECK(is_open_);
  session_.ledger().withdraw(task);
}

void Statement::roll_back(Checkpoint checkpoint) {
  BERTH_CHECK(is_open_ && checkpoint >= begin_);
  session_.ledger().roll_back(checkpoint);
  while (!evictions_.empty() && evictions_.back().at >= checkpoint) evictions_.pop_back();
}

void Statement::commit() && {
  end();
  if (outer_ != nullptr) {
    // The outer statement now owns its operations and adds them to the plan.
    outer_->evictions_.insert(outer_->evictions_.end(), evictions_.begin(), evictions_.end());
    return;
  }
  add_to_plan(false);
}

void Statement::hold() && {
  BERTH_CHECK(outer_ == nullptr);
  promise_those_that_others_seek();
  end();
  add_to_plan(true);
}

// RELATION-7. A pod that only holds idle room does not come yet, so nobody may go near it, and it
// raises no lowest count of a spread.
void Statement::promise_those_that_others_seek() {
  const Cluster& cluster = session_.cluster();
  std::vector<TaskId> sought;
  const auto& operations = session_.ledger().operations();
  for (std::size_t i = begin_; i < operations.size(); ++i) {
    const TaskId id = operations[i].task;
    if (operations[i].kind != Ledger::Operation::Kind::task) continue;
    if (cluster.task(id).status != TaskStatus::allocated) continue;
    const std::vector<TermId>& terms = cluster.shape_of(id).terms.counted;
    const bool is_sought = std::any_of(terms.begin(), terms.end(), [&](TermId term) {
      const TermRole role = cluster.relations().term(term).spec.role;
      return role == TermRole::affinity || role == TermRole::spread;
    });
    if (is_sought) sought.push_back(id);
  }
  for (const TaskId id : sought) {
    const NodeId node = cluster.task(id).node;
    withdraw(id);
    BERTH_CHECK(pipeline(id, node));
  }
}

void Statement::add_to_plan(bool is_held) {
  Plan& plan = session_.plan();
  const auto& operations = session_.ledger().operations();
  for (std::size_t i = begin_; i < operations.size(); ++i) {
    const auto& operation = operations[i];
    if (operation.kind != Ledger::Operation::Kind::task) continue;
    const Placement placement{operation.task, session_.cluster().task(operation.task).node};
    switch (operation.status_after) {
      case TaskStatus::allocated:
        (is_held ? plan.pipelined : plan.binds).push_back(placement);
        break;
      case TaskStatus::pipelined:
        plan.pipelined.push_back(placement);
        break;
      case TaskStatus::pending:  // withdrawn
        for (auto* list : {&plan.pipelined, &plan.binds}) {
          std::erase_if(*list, [&](const Placement& each) { return each.task == operation.task; });
        }
        break;
      default:
        break;
    }
  }
  for (const EvictionNote& note : evictions_) plan.evictions.push_back(note.eviction);
}

}  // namespace berth::engine
