#include "actions/placement.h"

#include <algorithm>
#include <span>

#include "actions/claims.h"
#include "actions/domain_search.h"
#include "actions/near.h"
#include "actions/packing.h"
#include "actions/part_search.h"
#include "actions/refused_plans.h"
#include "berth/base/look_up.h"
#include "berth/engine/need.h"
#include "berth/engine/statement.h"
#include "berth/model/amount_text.h"

namespace berth::actions {

using namespace engine;

Refusal refusal_of(JobId job, const Verdict& verdict) { return {cause_of(verdict), job, {}, {}}; }

namespace {

// RELATION-8. Pods of its own job may be what it lacks: near it, or in the emptiest domain.
bool waits_for_others(const Session& session, ShapeId shape) {
  const ShapeTerms& terms = session.cluster().shape(shape).terms;
  return !terms.affinity.empty() || !terms.spread.empty();
}

// Enough tasks are left that have not failed for the minimum to be reached still.
bool can_still_start(const Session& session, const Job& job, const Waiting& waiting,
                     std::size_t from, const std::vector<ShapeId>& failed) {
  std::int32_t reachable = job.placed_count() + job.count(TaskStatus::pipelined);
  for (std::size_t i = from; i < waiting.tasks.size(); ++i) {
    if (!is_any_of(session.cluster().task(waiting.tasks[i]).shape, failed)) ++reachable;
  }
  const auto waits = [&](ShapeId shape) { return waits_for_others(session, shape); };
  if (std::any_of(failed.begin(), failed.end(), waits)) return from < waiting.tasks.size();
  return reachable >= job.min_available;
}

// A place for the task: idle room, else room being vacated. False, and why, if there is neither.
bool place(Session& session, const Job& job, TaskId id, Statement& statement, Waiting& waiting) {
  const Cluster& cluster = session.cluster();
  const Task& task = cluster.task(id);
  Verdict verdict = session.ask(points::allocatable, cluster.queue(job.queue), task);
  if (verdict) {
    const NodeId node = session.best_idle_node(task.shape, task.job);
    if (node.is_valid() && statement.allocate(id, node)) return true;
  } else if (verdict.reason == Reason::queue_share_used) {
    session.lending().note_beyond_share(job.id);
  }
  if (session.lending().is_on()) return false;  // why not is known
  if (Verdict never = session.feasibility().of_pod(task.shape); !never) {
    name_pod(never, task.name);
    verdict = never;
  } else if (verdict && may_hold(session, job)) {
    const NodeId node = session.best_future_node(task.shape, task.job);
    if (node.is_valid() && statement.pipeline(id, node)) return true;
  }
  if (waiting.why) return false;
  // The nodes report a full cluster better, unless one has room that the queue may not have.
  bool is_full = verdict.reason == Reason::insufficient_resource;
  if (is_full && session.best_idle_node(task.shape, task.job).is_valid()) {
    is_full = false;
    verdict.reason =
        verdict.have < verdict.need ? Reason::queue_capability : Reason::queue_share_used;
  }
  waiting.why = refusal_of(task.job, is_full ? pass() : verdict);
  if (!verdict && !is_full) return false;
  waiting.why->task = id;
  waiting.why->nodes = session.why_nowhere(task.shape, task.job);
  waiting.why->node_count = static_cast<std::int32_t>(cluster.node_count());
  return false;
}

// A guarantee is kept as a sum over nodes: its largest piece may be too small for a pod.
std::string pieces_text(const Session& session, const Job& job, const Refusal& refusal) {
  for (const NodeRefusals& each : refusal.nodes) {
    if (each.reason != Reason::insufficient_resource) continue;
    const std::int64_t kept = session.kept_for_own_queue(job, each.what);
    if (kept < each.need) continue;
    return amount_of(each.what, kept, Rounding::down) + " kept for its queue, at most " +
           readable_amount(each.what, each.have, Rounding::down) + " on one node";
  }
  return {};
}

// The reason of the job, with the nodes' reasons of the task that found no place.
Refusal explain(const Session& session, JobId job, const Verdict& verdict, const Waiting& waiting) {
  Refusal refusal = refusal_of(job, verdict);
  if (!waiting.why) return refusal;
  if (waiting.why->reason != Reason::none) return *waiting.why;
  refusal.task = waiting.why->task;
  refusal.nodes = waiting.why->nodes;
  refusal.node_count = waiting.why->node_count;
  if (refusal.detail.empty()) {
    refusal.detail = pieces_text(session, session.cluster().job(job), refusal);
  }
  return refusal;
}

void record(Session& session, Refusal refusal, const Waiting& waiting) {
  if (waiting.keeps_known_reason && session.is_refused(refusal.job)) return;
  session.refuse(std::move(refusal));
}

bool want_others_near(const Session& session, const Waiting& waiting) {
  const auto first = waiting.tasks.begin() + static_cast<std::ptrdiff_t>(waiting.next);
  return std::any_of(first, waiting.tasks.end(), [&](TaskId id) {
    return !session.cluster().shape_of(id).terms.affinity.empty();
  });
}

// Another shape has a place now. The shapes that may have wanted that near them may be tried again.
// True if there are some.
bool forget_those_that_wait(const Session& session, Waiting& waiting,
                            std::vector<ShapeId>& failed) {
  const bool any =
      std::erase_if(failed, [&](ShapeId shape) { return waits_for_others(session, shape); }) > 0;
  if (any && failed.empty()) waiting.why.reset();
  return any;
}

// TOPO-20. Where the rest of its part is.
bool place_near(Session& session, const Job& job, TaskId id, Statement& statement,
                Waiting& waiting) {
  if (waiting.near == nullptr) return place(session, job, id, statement, waiting);
  Near& near = *waiting.near;
  const std::optional<Refusal> known = waiting.why;
  near.begin(id);
  bool is_placed = place(session, job, id, statement, waiting);
  if (!is_placed && near.gives_up_preferred(id)) {
    near.begin(id);
    waiting.why = known;
    is_placed = place(session, job, id, statement, waiting);
  }
  near.end();
  return is_placed;
}

std::int32_t lacking_of(const Job& job) {
  return job.min_available - job.placed_count() - job.count(TaskStatus::pipelined);
}

std::size_t count_of(std::int32_t number) { return static_cast<std::size_t>(std::max(0, number)); }

constexpr std::size_t kTasksOfASearch = 4'096;  // it calls itself for each set

// TOPO-20, TOPO-25. Of a job that may start already, one task more, or one part.
std::size_t place_parts(Session& session, const Job& job, Waiting& waiting, Statement& statement) {
  Near& near = *waiting.near;
  const auto is_ready = [&] { return static_cast<bool>(session.ask(points::job_ready, job)); };
  const auto place_tasks = [&](std::span<const TaskId> tasks, bool is_in_whole) {
    PartSearch::Outcome outcome;
    for (const TaskId id : tasks) {
      ++outcome.looked_at;
      const bool waits = session.cluster().task(id).status == TaskStatus::pending;
      if (waits && !place_near(session, job, id, statement, waiting)) {
        if (is_in_whole) break;
        continue;  // another set may have room
      }
      ++outcome.placed;
      outcome.is_done = waits && !is_in_whole && is_ready();
      if (outcome.is_done) break;
    }
    return outcome;
  };
  const auto options = [&](TaskId task, std::size_t part, bool is_on_leaving) {
    return near.options(task, part, is_on_leaving);
  };
  PartSearch search(near, statement, {place_tasks, options, is_ready}, waiting.why, job.id);
  const std::span<TaskId> tasks = std::span(waiting.tasks).subspan(waiting.next);
  const std::size_t lacking = count_of(lacking_of(job));
  if (tasks.size() == lacking && lacking <= kTasksOfASearch) {
    (void)search.place_all(tasks);
    return waiting.tasks.size();
  }
  // The minimum first: it may be of certain roles.
  const std::span<TaskId> first = tasks.first(
      whole_parts_first(session.cluster(), job, tasks, std::max<std::size_t>(1, lacking)));
  PartSearch::Outcome outcome = search.run(first);
  if (outcome.is_done) return waiting.next + outcome.looked_at;
  outcome = search.run(tasks.subspan(first.size()));
  return waiting.next + first.size() + outcome.looked_at;
}

std::size_t place_each(Session& session, JobId job_id, Waiting& waiting, Statement& statement) {
  const Job& job = session.cluster().job(job_id);
  if (waiting.near != nullptr) waiting.near->forget_since(0);
  if (waiting.near != nullptr && waiting.near->has_parts()) {
    return place_parts(session, job, waiting, statement);
  }
  std::vector<ShapeId> failed;
  for (std::size_t i = waiting.next; i < waiting.tasks.size(); ++i) {
    const TaskId id = waiting.tasks[i];
    const ShapeId shape = session.cluster().task(id).shape;
    if (is_any_of(shape, failed) || session.cluster().task(id).status != TaskStatus::pending) {
      continue;
    }
    if (!place_near(session, job, id, statement, waiting)) {
      // Tasks of one shape are alike: if one found no node, the next finds none.
      failed.push_back(shape);
      const bool starts_anyway = static_cast<bool>(session.ask(points::job_ready, job));
      if (!starts_anyway && !can_still_start(session, job, waiting, i + 1, failed)) break;
    } else if (session.ask(points::job_ready, job)) {
      return i + 1;
    } else if (forget_those_that_wait(session, waiting, failed)) {
      i = waiting.next - 1;
    }
  }
  return waiting.tasks.size();
}

// Do some need other room than others?
bool do_differ(const Session& session, std::span<const TaskId> tasks) {
  const auto shape_of = [&](TaskId id) { return session.cluster().task(id).shape; };
  return std::any_of(tasks.begin(), tasks.end(),
                     [&](TaskId id) { return shape_of(id) != shape_of(tasks.front()); });
}

// Are there more than lack, and do they differ?
bool have_choice(const Session& session, const Waiting& waiting, std::int32_t lacking) {
  const std::span<const TaskId> left = std::span(waiting.tasks).subspan(waiting.next);
  return static_cast<std::ptrdiff_t>(left.size()) > lacking && do_differ(session, left);
}

std::span<TaskId> lacking_of(Waiting& waiting, std::int32_t lacking) {
  const std::span<TaskId> left = std::span(waiting.tasks).subspan(waiting.next);
  return left.first(std::min(left.size(), static_cast<std::size_t>(std::max(lacking, 0))));
}

void largest_first(const Session& session, Waiting& waiting, std::int32_t lacking) {
  const std::span<TaskId> tasks = lacking_of(waiting, lacking);
  const auto size = [&](TaskId id) {
    return part_of_cluster(session.cluster(), session.cluster().shape_of(id));
  };
  std::stable_sort(tasks.begin(), tasks.end(),
                   [&](TaskId left, TaskId right) { return size(left) > size(right); });
}

// Moves those that have a place to the front. Returns the first that has none.
std::size_t placed_first(const Session& session, Waiting& waiting) {
  const auto begin = waiting.tasks.begin() + static_cast<std::ptrdiff_t>(waiting.next);
  const auto end = std::stable_partition(begin, waiting.tasks.end(), [&](TaskId id) {
    return session.cluster().task(id).status != TaskStatus::pending;
  });
  return static_cast<std::size_t>(end - waiting.tasks.begin());
}

std::size_t place_anywhere(Session& session, JobId id, Waiting& waiting, Statement& statement) {
  const Job& job = session.cluster().job(id);
  const auto before = statement.checkpoint();
  const std::int32_t lacking = lacking_of(job);
  const std::optional<Refusal> known = waiting.why;
  std::size_t reached = 0;
  const auto attempt = [&] {
    waiting.why = known;
    reached = place_each(session, id, waiting, statement);
    return static_cast<bool>(session.ask(points::job_ready, job));
  };
  if (attempt()) return reached;
  if (want_others_near(session, waiting)) {
    // RELATION-9. The domain of the first member may be too small.
    statement.roll_back(before);
    if (search_domains(session, job, waiting.tasks, statement, attempt) || attempt()) {
      return reached;
    }
  }
  if (do_differ(session, lacking_of(waiting, lacking))) {
    // ALLOCATE-11. Pods that come first may have taken the room of larger ones.
    statement.roll_back(before);
    largest_first(session, waiting, lacking);
    if (attempt()) return reached;
    statement.roll_back(before);
    const bool has_parts = waiting.near != nullptr && waiting.near->has_parts();
    if (!has_parts && place_packed(session, job, nodes_open_to(session, id), statement)) {
      waiting.why = known;
      return placed_first(session, waiting);
    }
    attempt();
  }
  if (session.ask(points::job_pipelined, job) || !have_choice(session, waiting, lacking)) {
    return reached;
  }
  // ALLOCATE-10. If that does not do, the reason is that of the first.
  const std::vector<TaskId> in_order = waiting.tasks;
  std::optional<Refusal> why = waiting.why;
  statement.roll_back(before);
  smallest_first(session, job, waiting.tasks, waiting.next);
  if (!attempt() && !session.ask(points::job_pipelined, job)) waiting.tasks = in_order;
  waiting.why = std::move(why);
  return reached;
}

}  // namespace

// TOPO-17. One place after the other, until the job may start there, or on room being vacated
// there.
std::size_t place_until_ready(Session& session, JobId id, Waiting& waiting, Statement& statement) {
  const Job& job = session.cluster().job(id);
  if (job.topology.rules.empty()) return place_anywhere(session, id, waiting, statement);
  const auto first = waiting.tasks.begin() + static_cast<std::ptrdiff_t>(waiting.next);
  Near near(session, job, {first, waiting.tasks.end()}, lacking_of(job));
  if (near.asks_for_nothing()) return place_anywhere(session, id, waiting, statement);
  if (near.has_parts()) {
    const std::span<TaskId> tasks = std::span(waiting.tasks).subspan(waiting.next);
    const std::size_t lacking =
        whole_parts_first(session.cluster(), job, tasks, count_of(lacking_of(job)));
    near.put_in_order(tasks.first(lacking));
    near.put_in_order(tasks.subspan(lacking));
  }
  const auto before = statement.checkpoint();
  const std::optional<Refusal> known = waiting.why;
  const std::vector<Near::Place> places = near.places();
  waiting.near = &near;
  const std::vector<TaskId> in_order = waiting.tasks;
  std::size_t reached = waiting.tasks.size();
  for (const Near::Place& each : places) {
    statement.roll_back(before);
    waiting.why = known;
    waiting.tasks = in_order;
    near.enter(each);
    reached = place_anywhere(session, id, waiting, statement);
    if (session.ask(points::job_ready, job)) break;
    if (each.is_on_leaving && session.ask(points::job_pipelined, job)) break;
  }
  waiting.near = nullptr;
  if (places.empty() && !waiting.why) waiting.why = refusal_of(id, near.why());
  return reached;
}

Turn serve(Session& session, JobId id, Waiting& waiting, bool others_first) {
  const Job& job = session.cluster().job(id);
  Verdict verdict;
  // Held tasks are not placed; one task more would make them count as placed.
  const bool holds_claims = !claimed_tasks(session, job).empty();
  if (holds_claims && (do_others_leave_for(session, job) || !session.ask(points::job_ready, job))) {
    return Turn::held;
  }
  {
    // ALLOCATE-3. All attempts for this job happen inside one statement ...
    Statement statement(session);
    const Statement::Checkpoint begin = statement.checkpoint();
    const std::size_t reached = place_until_ready(session, id, waiting, statement);
    verdict = session.ask(points::job_ready, job);
    const bool is_ready = static_cast<bool>(verdict);
    if (is_ready) verdict = differ_from_refused(session, job, statement, begin);
    if (is_ready && !verdict) {
      waiting.why = refusal_of(id, verdict);
    } else if (verdict && others_first && !statement.is_empty()) {
      return Turn::put_off;
    } else if (verdict) {
      // ALLOCATE-4. ... which becomes real only if the job can start.
      waiting.next = reached;
      std::move(statement).commit();
      admit_if_kept_out(session, id);
      if (waiting.is_done() && waiting.why) {
        const Verdict surplus =
            reject(Reason::surplus_waits, job.placed_count(), job.unplaced_count());
        record(session, explain(session, id, surplus, waiting), waiting);
      } else if (job.unplaced_count() == 0) {
        session.clear_refusal(id);
      }
      return Turn::started;
    }
    // CLAIM-6. Its room was not vacated in time; other jobs may use the idle part for a while.
    if (!is_ready && !statement.is_empty() && may_hold(session, job) &&
        session.ask(points::job_pipelined, job)) {
      // ALLOCATE-5. A job that could start on room now being vacated keeps its claim on it.
      session.refuse(id,
                     reject(Reason::holds_releasing_room, job.placed_count(), job.min_available));
      std::move(statement).hold();
      admit_if_kept_out(session, id);
      return Turn::held;
    }
    if (job.gated > 0 && !waiting.why) verdict = reject(Reason::gated, job.gated);
  }
  // ALLOCATE-6. Otherwise the statement has ended and nothing happened.
  record(session, explain(session, id, verdict, waiting), waiting);
  return Turn::refused;
}

}  // namespace berth::actions
