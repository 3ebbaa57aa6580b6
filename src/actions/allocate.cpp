// Allocate: hand idle room to admitted jobs, one whole minimum at a time.
//
// A gang that gets three of its eight places holds three machines and does nothing; so a job is
// placed inside one statement that becomes real only if the job can start. Minimums come first and
// surplus after: a job that has its minimum goes to the back of those that do not (rule GANG-2 of
// the gang plugin), and from then on gets one task a turn.
//
// Steps ALLOCATE-1 to ALLOCATE-12 are those of docs/design/allocate.md; ALLOCATE-3 to ALLOCATE-6
// are in placement.cpp, ALLOCATE-7 in targets.cpp.

#include "actions/allocate.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "actions/claims.h"
#include "actions/eviction/evict_for.h"
#include "actions/lending.h"
#include "actions/placement.h"
#include "actions/refused_plans.h"
#include "actions/targets.h"
#include "berth/engine/action.h"
#include "berth/engine/job_line.h"
#include "berth/engine/need.h"
#include "berth/engine/statement.h"

namespace berth::actions {
namespace {

using namespace engine;

// Best-effort tasks need a place only where their gang cannot start without them; otherwise they
// are left to backfill.
Waiting tasks_to_place(const Session& session, const Job& job) {
  if (is_waiting_target(session, job)) return tasks_of_target(session, job);
  Waiting waiting;
  waiting.tasks = session.unplaced_in_order(job);
  const auto is_best_effort = [&](TaskId task) {
    return session.cluster().shape_of(task).is_best_effort;
  };
  const auto ordinary = std::count_if(waiting.tasks.begin(), waiting.tasks.end(),
                                      [&](TaskId task) { return !is_best_effort(task); });
  const bool gang_needs_all = ordinary > 0 && job.placed_count() < job.min_available;
  if (!gang_needs_all) std::erase_if(waiting.tasks, is_best_effort);
  lacking_roles_first(session.cluster(), job, waiting.tasks);
  return waiting;
}

// A queue's share does not matter to a job whose pods all have gates.
void report(Session& session, JobId id, const Verdict& verdict) {
  const Job& job = session.cluster().job(id);
  const bool is_gated = job.unplaced_count() == 0;
  session.refuse(id, is_gated ? reject(Reason::gated, job.gated) : verdict);
}

// ALLOCATE-8. Does it stop those behind it in its queue? Not if it has what it starts with, nor if
// it waits for its own pods and not for room.
bool stops_its_queue(const Session& session, const Job& job) {
  return session.cluster().queue(job.queue).is_fifo && job.placed_count() < job.min_available &&
         job.placed_count() + job.unplaced_count() >= job.min_available;
}

// A job that has its minimum waits behind no other job. Returns the others.
std::vector<JobId> stop_those_behind(Session& session, JobLine& line, JobId first) {
  std::vector<JobId> stopped;
  for (const JobId other : line.dismiss_queue()) {
    const Job& job = session.cluster().job(other);
    if (job.placed_count() >= job.min_available) {
      line.rejoin(other);
    } else {
      report(session, other, behind(session, other, first));
      stopped.push_back(other);
    }
  }
  return stopped;
}

// CLAIM-4. Idle room elsewhere serves a job that holds claims as well as what it waits for; but a
// claim is given up only for a placement. True: some of the job's other tasks may still be placed.
bool seek_idle_room(Session& session, const Job& job) {
  const std::vector<TaskId> claimed = claimed_tasks(session, job);
  if (claimed.empty()) return true;
  const bool has_minimum = job.bound_count() + job.count(TaskStatus::binding) >= job.min_available;
  // Others leave for its claims in this session, and not for nothing.
  const bool others_leave = !has_minimum && are_evicted_for(session, job);
  if (others_leave || do_others_leave_for(session, job)) return false;
  if (session.ask(points::job_ready, job)) {  // its claims are for surplus
    if (!job.topology.rules.empty()) return job.unplaced_count() > 0;
    for (const TaskId id : claimed) {
      Statement statement(session);
      statement.withdraw(id);
      const Task& task = session.cluster().task(id);
      const NodeId node = session.best_idle_node(task.shape, job.id);
      if (node.is_valid() &&
          session.ask(points::allocatable, session.cluster().queue(job.queue), task) &&
          statement.allocate(id, node)) {
        std::move(statement).commit();
      }
    }
    return job.unplaced_count() > 0;
  }
  Statement statement(session);
  const Statement::Checkpoint begin = statement.checkpoint();
  for (const TaskId id : claimed) statement.withdraw(id);
  if (!session.ask(points::overused, session.cluster().queue(job.queue))) return false;
  Waiting waiting = tasks_to_place(session, job);
  place_until_ready(session, job.id, waiting, statement);
  if (!session.ask(points::job_ready, job)) return false;
  if (!differ_from_refused(session, job, statement, begin)) return false;
  std::move(statement).commit();
  if (job.unplaced_count() == 0) {
    session.clear_refusal(job.id);
    return false;
  }
  session.refuse(job.id, reject(Reason::surplus_waits, job.placed_count(), job.unplaced_count()));
  return true;
}

// ALLOCATE-9. Jobs that found no place, in the order of their turns. Nobody was asked to leave for
// them yet.
class Ahead {
 public:
  explicit Ahead(Session& session) : session_(session) {}

  bool are_some() const {
    return !jobs_.empty() && session_.room_makers().counted() <= kCountedMost;
  }
  void add(JobId id) { jobs_.push_back(id); }
  // Have others left?
  bool make_room() {
    const std::size_t before = session_.plan().evictions.size();
    for (JobId id : std::exchange(jobs_, {})) {
      while (id.is_valid()) {
        const bool was_kept_out = session_.kept_out().contains(id);
        if (is_claimant(session_, session_.cluster().job(id))) session_.room_makers().make_room(id);
        id = next_kept_out(session_, id, was_kept_out);  // ENQUEUE-8
      }
    }
    return session_.plan().evictions.size() > before;
  }

 private:
  // Each placement has the candidates counted anew for the next job that finds no place.
  static constexpr std::int64_t kCountedMost = 200'000;

  Session& session_;
  std::vector<JobId> jobs_;
};

// The jobs that may be served and have tasks left to place.
std::vector<JobId> jobs_to_serve(Session& session) {
  std::vector<JobId> jobs;
  for (const JobId id : session.cluster().open_jobs()) {
    const Job& job = session.cluster().job(id);
    const bool has_tasks_to_place =
        job.unplaced_count() + job.gated > 0 || !claimed_tasks(session, job).empty();
    // A job that lacks pods is asked too, so that its reason is recorded.
    if (!has_tasks_to_place && job.placed_count() >= job.min_available) continue;
    if (may_be_served(session, id) && has_tasks_to_place) jobs.push_back(id);
  }
  return jobs;
}

// Turns of jobs in their order.
class Turns {
 public:
  explicit Turns(Session& session) : session_(session), is_lent_(is_idle_room_lent(session)) {}

  // Until `is_enough` says so of a job that has had its turn.
  template <class IsEnough>
  void serve(std::vector<JobId> jobs, const IsEnough& is_enough) {
    JobLine line(session_, std::move(jobs));
    waiting_tasks_.clear();
    JobId id = line.next();
    for (; id.is_valid(); id = is_enough(id) ? JobId() : line.next()) serve_one(id, line);
  }

  // ALLOCATE-12
  void lend() {
    if (!is_lent_ || beyond_shares_.empty()) return;
    const Lending::Scope on(session_.lending(), true);
    const bool is_as_before = std::all_of(beyond_shares_.begin(), beyond_shares_.end(),
                                          [&](JobId id) { return session_.refuse_again(id); });
    if (!is_as_before) serve(std::move(beyond_shares_), [](JobId) { return false; });
  }

 private:
  void serve_one(JobId id, JobLine& line) {
    const Job& job = session_.cluster().job(id);
    if (!waiting_tasks_.contains(id) && !seek_idle_room(session_, job)) return;
    // ALLOCATE-2. A queue that has all it may have leaves the order. A job that was refused in
    // this same state would be refused again.
    const Verdict verdict = session_.ask(points::overused, session_.cluster().queue(job.queue));
    if (!verdict) return dismiss(id, verdict, line);
    const bool lends = session_.lending().is_on();
    const bool stays = lends && !may_leave_again(session_, job);
    const bool was_behind = session_.refused_for(id) == Reason::behind_in_queue;
    if (!was_behind && (stays || session_.refuse_again(id))) return refused(job, line);
    const auto [entry, is_first_turn] = waiting_tasks_.try_emplace(id);
    Waiting& waiting = entry->second;
    if (is_first_turn) waiting = tasks_to_place(session_, job);
    if (waiting.tasks.empty() && job.gated == 0) return;
    const bool is_target = is_waiting_target(session_, job);
    const bool was_kept_out = session_.kept_out().contains(id);
    Turn turn = Turn::refused;
    // A job that is behind nobody any more has a turn, and a reason, of its own.
    if (!lends || was_behind) {
      const Lending::Scope off(session_.lending(), false);
      turn = serve_in_turn(id, waiting, line);
    }
    if (lends && turn == Turn::refused && !stays) {
      waiting.keeps_known_reason = true;
      keep_those_that_may_leave(session_, waiting.tasks);
      turn = serve_in_turn(id, waiting, line);
    }
    if (is_target && !is_waiting_target(session_, job)) waiting = tasks_to_place(session_, job);
    const JobId next = next_kept_out(session_, id, was_kept_out);  // ENQUEUE-8
    if (next.is_valid()) line.rejoin(next);
    if (turn == Turn::started && !waiting.is_done()) {
      line.rejoin(id);
    } else if (turn != Turn::held) {
      session_.remember_refusal(id);
      if (turn == Turn::refused) {
        refused(job, line);
      } else if (has_another_turn(job)) {
        beyond_shares_.push_back(id);  // its surplus
      }
    }
  }

  // ALLOCATE-9. Before it starts, room is made for those ahead of it.
  Turn serve_in_turn(JobId id, Waiting& waiting, JobLine& line) {
    if (is_waiting_target(session_, session_.cluster().job(id))) {
      return serve_target(session_, id, waiting);
    }
    const Turn turn = actions::serve(session_, id, waiting, ahead_.are_some());
    if (turn != Turn::put_off) return turn;
    // Nobody leaves for the sake of lent room.
    if (make_room_ahead()) line.put_in_order();
    return actions::serve(session_, id, waiting);
  }

  bool make_room_ahead() {
    const Lending::Scope off(session_.lending(), false);
    return ahead_.make_room();
  }

  bool has_another_turn(const Job& job) {
    const bool is_fifo = session_.cluster().queue(job.queue).is_fifo;
    return is_lent_ && !session_.lending().is_on() && job.unplaced_count() > 0 &&
           claimed_tasks(session_, job).empty() &&
           (is_fifo || session_.lending().is_beyond_share(job.id));
  }

  // Others leave for a job beyond its queue's share only where idle room does not do.
  void refused(const Job& job, JobLine& line) {
    const bool has_another = has_another_turn(job);
    has_another ? beyond_shares_.push_back(job.id) : ahead_.add(job.id);
    if (!stops_its_queue(session_, job)) return;
    const std::vector<JobId> stopped = stop_those_behind(session_, line, job.id);
    if (has_another) {
      beyond_shares_.insert(beyond_shares_.end(), stopped.begin(), stopped.end());
    }
  }

  void dismiss(JobId id, const Verdict& verdict, JobLine& line) {
    report(session_, id, verdict);
    for (const JobId other : line.dismiss_queue()) {
      const bool holds_claims = !claimed_tasks(session_, session_.cluster().job(other)).empty();
      holds_claims ? line.rejoin(other) : report(session_, other, verdict);
    }
  }

  Session& session_;
  const bool is_lent_;
  std::unordered_map<JobId, Waiting> waiting_tasks_;  // look-up only
  Ahead ahead_{session_};
  std::vector<JobId> beyond_shares_;  // ALLOCATE-12
};

class Allocate final : public Action {
 public:
  explicit Allocate(Arguments&) {}

  void execute(Session& session) const override {
    // ALLOCATE-7. On the nodes that are locked for them, targets come before all other jobs.
    serve_targets(session);
    serve_claims(session);
    // ALLOCATE-1
    Turns turns(session);
    turns.serve(jobs_to_serve(session), [](JobId) { return false; });
    // From here on, no admitted job of a queue under its share could start on idle room alone,
    // except jobs behind another (ALLOCATE-8).
    turns.lend();
  }
};

}  // namespace

void serve_as_far_as_targets(Session& session) {
  std::vector<JobId> left;
  for (const JobId id : session.cluster().targets()) {
    const Job& job = session.cluster().job(id);
    const bool has_had_its_turn = session.is_refused(id) || !is_waiting_target(session, job);
    if (!has_had_its_turn && job.unplaced_count() > 0 && may_be_served(session, id)) {
      left.push_back(id);
    }
  }
  if (left.empty()) return;
  serve_claims(session);
  Turns(session).serve(jobs_to_serve(session), [&](JobId served) {
    // Other jobs may have left the order with their queue.
    std::erase_if(left, [&](JobId id) { return id == served || session.is_refused(id); });
    return left.empty();
  });
}

BERTH_ACTION(Allocate, "allocate");

}  // namespace berth::actions
