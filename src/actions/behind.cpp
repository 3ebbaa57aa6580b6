#include "actions/behind.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "actions/claims.h"
#include "actions/placement.h"
#include "actions/refused_plans.h"
#include "actions/room_ahead.h"
#include "actions/targets.h"
#include "berth/engine/fit.h"
#include "berth/engine/job_line.h"
#include "berth/engine/statement.h"
#include "berth/model/time_limit.h"
#include "engine/memory.h"

namespace berth::actions {

using namespace engine;

namespace {

// Or allocate is not configured.
bool is_about_room(Reason reason) {
  return reason == Reason::none || reason == Reason::behind_in_queue ||
         reason == Reason::gang_incomplete || reason == Reason::role_incomplete ||
         reason == Reason::no_domain_has_room;
}

// Its queue may not have more.
bool is_about_queue(Reason reason) {
  return reason == Reason::queue_capability || reason == Reason::queue_share_used ||
         reason == Reason::guarantees_kept;
}

// For the time of one attempt, nodes that are kept for targets are open: RoomAhead knows what of
// them may be used, and for how long.
class OpenLocks {
 public:
  explicit OpenLocks(Session& session, const Within* nodes) : session_(session) {
    for (std::size_t n = 0; nodes != nullptr && n < nodes->has.size(); ++n) {
      const Lock& lock = session.cluster().node(NodeId(n)).lock;
      if (nodes->has[n] == 0 || !lock.job.is_valid()) continue;
      locks_.emplace_back(NodeId(n), lock);
      session.ledger().set_lock(NodeId(n), Lock());
    }
  }
  // Of an attempt that is not taken back.
  void put_back() {
    for (const auto& [node, lock] : locks_) session_.ledger().set_lock(node, lock);
  }

 private:
  Session& session_;
  std::vector<std::pair<NodeId, Lock>> locks_;
};

class Behind {
 public:
  Behind(Session& session, BackfillPolicy policy, LimitTrust trust)
      : session_(session), policy_(policy), trust_(trust) {}

  void serve() {
    std::vector<JobId> jobs = those_that_wait();
    if (jobs.empty() || is_in_vain(jobs)) return;
    const std::vector<Asks> waiting = in_turn(std::move(jobs));
    if (waiting.empty()) return;
    ahead_ = room_ahead_of(session_, waiting, trust_);
    for (const Asks& asks : waiting) serve(asks);
    std::stable_sort(session_.plan().promises.begin(), session_.plan().promises.end(),
                     [](const auto& left, const auto& right) { return left.start < right.start; });
  }

 private:
  // BEHIND-1. Jobs that lack nothing but room.
  std::vector<JobId> those_that_wait() {
    std::vector<JobId> jobs;
    for (const JobId id : session_.cluster().open_jobs()) {
      const Job& job = session_.cluster().job(id);
      const Reason reason = session_.refused_for(id);
      const bool lacks_minimum = job.unplaced_count() > 0 && job.placed_count() < job.min_available;
      if (lacks_minimum && is_about_queue(reason)) note_stopped(job);
      const bool lacks_room = lacks_minimum && is_about_room(reason);
      if (!lacks_room || !could_be_helped(job) || is_waiting_target(session_, job)) continue;
      // Allocate has asked about those behind another; enqueue asks less.
      const bool was_asked =
          reason == Reason::behind_in_queue && (!session_.has_enqueue() || job.is_admitted());
      if (!was_asked && !may_be_served(session_, id)) continue;
      if (claimed_tasks(session_, job).empty()) jobs.push_back(id);
    }
    return jobs;
  }

  // BEHIND-7. A job that waits for its queue's share or limit, and not for room.
  void note_stopped(const Job& job) {
    if (session_.cluster().queue(job.queue).is_fifo) closed_.insert(job.queue);
  }

  // None of them could start if all that is idle were on one node, nobody is promised a start, and
  // the reasons are known.
  bool is_in_vain(const std::vector<JobId>& jobs) {
    if (policy_ == BackfillPolicy::conservative) return false;
    const Cluster& cluster = session_.cluster();
    Resources idle;
    for (std::size_t d = 0; d < cluster.dimensions().size(); ++d) {
      const std::int64_t* const column = cluster.available().column(Dimension(d));
      for (std::size_t n = 0; n < cluster.node_count(); ++n) {
        idle.add(Dimension(d), std::max<std::int64_t>(0, column[n]));
      }
    }
    const auto is_beyond = [&](const Need& need) {
      bool is_so = false;
      for (std::size_t i = 0; i < need.request.extent() && !is_so; ++i) {
        const Dimension d(i);
        is_so = need.request[d] - need.rest[d] > idle[d];
      }
      return is_so;
    };
    return std::all_of(jobs.begin(), jobs.end(), [&](JobId id) {
      return session_.is_refused(id) && is_beyond(*asks_of(id).need);
    });
  }

  // In the order of service; those that were promised a start come first, in the order of these.
  std::vector<Asks> in_turn(std::vector<JobId> jobs) {
    std::vector<Asks> waiting;
    for (const JobId id : JobLine::in_order(session_, std::move(jobs), JobLine::For::service)) {
      const Asks asks = asks_of(id);
      if (asks.need->parts.empty()) continue;
      const QueueId queue = session_.cluster().job(id).queue;
      if (session_.cluster().queue(queue).is_fifo) fronts_.emplace(queue, id);
      waiting.push_back(asks);
    }
    if (policy_ == BackfillPolicy::conservative) {
      const auto promised = [&](const Asks& asks) {
        return session_.cluster().job(asks.job).promised_start.value_or(TimePoint::max());
      };
      std::stable_sort(waiting.begin(), waiting.end(), [&](const Asks& left, const Asks& right) {
        return promised(left) < promised(right);
      });
    }
    return waiting;
  }

  // Allocate has tried open nodes, but for jobs that it stopped behind another. On kept ones a job
  // starts if it says how long it stays, or beside a target whose start is known.
  bool could_be_helped(const Job& job) {
    if (session_.refused_for(job.id) == Reason::none) return true;  // allocate is not configured
    const Cluster& cluster = session_.cluster();
    if (cluster.queue(job.queue).is_fifo) return true;
    if (cluster.locks().for_targets() == 0) return false;
    return is_any_end_known() || std::none_of(job.tasks.begin(), job.tasks.end(), [&](TaskId id) {
             const Task& task = cluster.task(id);
             return task.status == TaskStatus::pending &&
                    longest_stay(cluster, task, session_.now(), trust_) == Duration::max();
           });
  }

  // Of a pod on a node that is kept for a target.
  bool is_any_end_known() {
    if (is_any_end_known_) return *is_any_end_known_;
    const Cluster& cluster = session_.cluster();
    is_any_end_known_ = false;
    for (const JobId target : cluster.targets()) {
      for (const NodeId node : cluster.locks().nodes_of(target)) {
        const auto& tasks = cluster.node(node).tasks;
        *is_any_end_known_ |= std::any_of(tasks.begin(), tasks.end(), [&](TaskId id) {
          const Task& task = cluster.task(id);
          return occupies_node(task.status) && !task.is_of_node &&
                 gone_by(cluster, task, session_.now(), trust_) != TimePoint::max();
        });
      }
    }
    return *is_any_end_known_;
  }

  // A job asks for the same as long as it has not changed.
  Asks asks_of(JobId id) {
    const Cluster& cluster = session_.cluster();
    const Job& job = cluster.job(id);
    Memory::Lacks& known = session_.memory().lacks(cluster, id);
    const bool is_known = known.version == job.version && known.trust == trust_ &&
                          known.queue_version == cluster.queue_version() &&
                          known.spec_version == cluster.spec_version();
    if (!is_known) known = lacks_of(job);
    return {id, &known.need, known.stay};
  }

  Memory::Lacks lacks_of(const Job& job) {
    const Cluster& cluster = session_.cluster();
    const std::vector<TaskId> lacking = lacking_members(session_, job);
    Memory::Lacks lacks;
    lacks.need = need_of(session_, job, lacking);
    lacks.queue_version = cluster.queue_version();
    lacks.spec_version = cluster.spec_version();
    lacks.trust = trust_;
    bool may_change = !job.topology.rules.empty();
    for (const TaskId id : lacking) {
      const Task& task = cluster.task(id);
      lacks.stay = std::max(lacks.stay, longest_stay(cluster, task, session_.now(), trust_));
    }
    for (const TaskId id : job.tasks) {
      const Task& task = cluster.task(id);
      may_change = may_change || task.job_deadline || !cluster.shape_of(id).terms.affinity.empty();
    }
    if (!may_change) lacks.version = job.version;
    return lacks;
  }

  void serve(const Asks& asks) {
    const Job& job = session_.cluster().job(asks.job);
    if (closed_.contains(job.queue)) return explain_unless_known(asks);
    const Attempt attempt = ahead_->has_room_now(asks) ? start(asks) : Attempt::found_no_room;
    if (attempt == Attempt::started) return;
    if (attempt == Attempt::stopped_by_queue) return note_stopped(job);
    const bool is_fifo = session_.cluster().queue(job.queue).is_fifo;
    const bool is_first = is_fifo && headed_.insert(job.queue).second;
    explain_unless_known(asks);
    if (!is_fifo || !(is_first || policy_ == BackfillPolicy::conservative)) return;
    // BEHIND-6. A start that somebody was promised does not come later.
    const TimePoint start = ahead_->earliest(asks);
    if (start == TimePoint::max() || !ahead_->keep(asks, start)) {
      closed_.insert(job.queue);  // BEHIND-7
    } else if (policy_ == BackfillPolicy::conservative) {
      session_.plan().promises.push_back({asks.job, start});
    }
  }

  enum class Attempt : std::uint8_t { started, found_no_room, stopped_by_queue };

  Attempt start(const Asks& asks) {
    const Job& job = session_.cluster().job(asks.job);
    // BEHIND-8
    if (const Verdict may = session_.ask(points::overused, session_.cluster().queue(job.queue));
        !may) {
      return stopped(job, may);
    }
    const Within* const nodes = ahead_->nodes_now(asks);
    std::vector<Placement> placed;
    bool is_started = false;
    Verdict by_queue = pass();
    {
      Statement statement(session_);
      OpenLocks locks(session_, nodes);
      const Statement::Checkpoint begin = statement.checkpoint();
      session_.stay_within(nodes);
      place(asks, statement);
      session_.stay_within(nodes);  // a job that must be near ends it
      const Verdict ready = session_.ask(points::job_ready, job);
      const bool is_new = ready && differ_from_refused(session_, job, statement, begin);
      session_.stay_within(nullptr);
      placed = placed_since(begin);
      is_started = is_new && ahead_->admits(asks, placed);
      if (!ready) by_queue = may_have_more(job);
      if (is_started) {
        locks.put_back();
        std::move(statement).commit();
      }
    }
    if (!is_started) ahead_->note_undone(placed);
    if (!by_queue) return stopped(job, by_queue);
    if (!is_started || placed.empty()) return Attempt::found_no_room;
    ahead_->note_started(asks, placed);
    session_.clear_refusal(asks.job);
    admit_if_kept_out(session_, asks.job);
    return Attempt::started;
  }

  Attempt stopped(const Job& job, const Verdict& why) {
    if (!session_.is_refused(job.id)) session_.refuse(job.id, why);
    return Attempt::stopped_by_queue;
  }

  // Of the pods that are left over in an attempt.
  Verdict may_have_more(const Job& job) {
    const Queue& queue = session_.cluster().queue(job.queue);
    for (const TaskId id : lacking_members(session_, job)) {
      const Verdict may = session_.ask(points::allocatable, queue, session_.cluster().task(id));
      if (!may) return may;
    }
    return pass();
  }

  void explain_unless_known(const Asks& asks) {
    const Job& job = session_.cluster().job(asks.job);
    if (session_.is_refused(job.id)) return;
    const auto front = fronts_.find(job.queue);
    if (front != fronts_.end() && front->second != job.id) {
      return session_.refuse(job.id, behind(session_, job.id, front->second));
    }
    if (has_idle_room(*asks.need)) return session_.refuse(job.id, reject(Reason::room_kept));
    const ShapeId shape = asks.need->parts.front().shape;
    Refusal refusal =
        refusal_of(job.id, reject(Reason::gang_incomplete, job.placed_count(), job.min_available));
    refusal.task = asks.need->parts.front().first;
    refusal.nodes = session_.why_nowhere(shape, job.id);
    refusal.node_count = static_cast<std::int32_t>(session_.cluster().node_count());
    session_.refuse(std::move(refusal));
  }

  // As if nothing was kept.
  bool has_idle_room(const Need& need) {
    return std::all_of(need.parts.begin(), need.parts.end(), [&](const Need::Part& part) {
      return idle_slots(part.shape) >= part.count;
    });
  }

  std::int64_t idle_slots(ShapeId id) {
    const std::size_t changes = session_.ledger().operations().size();
    const auto [entry, is_new] = idle_slots_.try_emplace(id);
    if (!is_new && entry->second.changes == changes) return entry->second.count;
    const Cluster& cluster = session_.cluster();
    const std::vector<std::uint8_t>& passes = session_.passing(id);
    std::int64_t count = 0;
    for (std::size_t n = 0; n < passes.size(); ++n) {
      if (passes[n] == 0) continue;
      count += room_for(IdleNow{cluster}, cluster.shape(id), NodeId(n));
    }
    entry->second = {changes, count};
    return count;
  }

  // Of a job that finds no place, the reason is known.
  void place(const Asks& asks, Statement& statement) {
    Waiting waiting;
    waiting.tasks = lacking_members(session_, session_.cluster().job(asks.job));
    waiting.why = Refusal{};
    waiting.why->job = asks.job;
    place_until_ready(session_, asks.job, waiting, statement);
  }

  std::vector<Placement> placed_since(Statement::Checkpoint begin) const {
    std::vector<Placement> placed;
    const auto& operations = session_.ledger().operations();
    for (std::size_t i = begin; i < operations.size(); ++i) {
      const TaskId id = operations[i].task;
      if (operations[i].kind != Ledger::Operation::Kind::task) continue;
      const Task& task = session_.cluster().task(id);
      if (task.status == TaskStatus::allocated) placed.push_back({id, task.node});
    }
    return placed;
  }

  Session& session_;
  const BackfillPolicy policy_;
  const LimitTrust trust_;
  std::unique_ptr<RoomAhead> ahead_;
  std::map<QueueId, JobId> fronts_;  // the first of each queue, by order of service
  std::set<QueueId> headed_;         // the first that does not start had its turn
  std::set<QueueId> closed_;         // nobody knows when their first job starts
  std::optional<bool> is_any_end_known_;
  struct IdleSlots {
    std::size_t changes = 0;  // of the ledger, by then
    std::int64_t count = 0;
  };
  std::map<ShapeId, IdleSlots> idle_slots_;
};

}  // namespace

void serve_behind(Session& session, BackfillPolicy policy, LimitTrust trust) {
  if (policy != BackfillPolicy::off) Behind(session, policy, trust).serve();
}

}  // namespace berth::actions
