#include "actions/eviction/clear_nodes.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "actions/eviction/candidates.h"
#include "berth/engine/statement.h"
#include "berth/engine/surplus.h"

namespace berth::actions {

using namespace engine;

namespace {

constexpr std::string_view kAction = "reclaim";

// One queue, in one statement.
class Clearing {
 public:
  Clearing(Session& session, const QueueReservation& reservation, const MinRunTime& min_run_time)
      : session_(session),
        cluster_(session.cluster()),
        min_run_time_(min_run_time),
        queue_(reservation.queue),
        is_own_(cluster_.node_count(), 0),
        counts_(cluster_.node_count(), 0) {
    // Nodes of a queue below it are that queue's to clear.
    for (const NodeId node : reservation.nodes) is_own_[node.index()] = 1;
    for (std::size_t n = 0; n < counts_.size(); ++n) {
      if (cluster_.is_below(cluster_.locks().queue(NodeId(n)), queue_)) counts_[n] = 1;
    }
    for (const QueueReservation::Amount& each : reservation.amounts) {
      missing_.emplace_back(each.dimension, each.missing() - each.leaving);
    }
  }

  // True if somebody leaves.
  bool clear(PartsOfJobs& parts_of_jobs, bool takes_whole_jobs) {
    if (!is_missing()) return false;
    EvictionPolicy policy;
    policy.action = kAction;
    policy.parties = [&](const Job&) { return parties(parts_of_jobs, takes_whole_jobs); };
    Job of_queue;
    of_queue.queue = queue_;
    Candidates candidates(session_, policy, of_queue);
    if (candidates.pods_without(JobId()) > 0) {
      candidates.put_in_order();
      Statement statement(session_);
      for (const Candidates::Lot& lot : candidates.lots()) {
        if (!is_missing()) break;
        evict(lot, statement);
      }
      spare_the_unneeded(statement);
      keep_within_limits(statement);
      std::move(statement).commit();
    }
    if (is_missing()) note_in_the_way(takes_whole_jobs);
    return is_any_leaving_;
  }

 private:
  struct Evicted {
    std::vector<TaskId> tasks;
    bool is_whole = false;
    JobId job;
  };

  bool is_missing() const {
    return std::any_of(missing_.begin(), missing_.end(),
                       [](const auto& each) { return each.second > 0; });
  }

  bool is_on_own_node(TaskId task) const {
    const NodeId node = cluster_.task(task).node;
    return node.is_valid() && is_own_[node.index()] != 0;
  }

  // NODES-18. Jobs with pods there. A whole job leaves only if its queue is reclaimable.
  Parties parties(PartsOfJobs& parts_of_jobs, bool takes_whole_jobs) const {
    Parties parties;
    const auto is_of_others = [&](QueueId queue) {
      return queue.is_valid() && !cluster_.is_below(queue, queue_);
    };
    for (const JobPart& part : parts_of_jobs.of(is_of_others)) {
      const Job& job = cluster_.job(part.job);
      if (std::none_of(job.tasks.begin(), job.tasks.end(),
                       [&](TaskId task) { return is_on_own_node(task); })) {
        continue;
      }
      const bool is_whole = part.kind == JobPart::Kind::whole;
      const bool may_leave = takes_whole_jobs && cluster_.queue(job.queue).is_reclaimable;
      if (!is_whole || may_leave) parties.parts.push_back(part);
    }
    min_run_time_.protect(session_, parties);  // RUNTIME-6
    return parties;
  }

  // For people: why the others that are still there stay.
  void note_in_the_way(bool takes_whole_jobs) const {
    std::vector<Spared> spared;
    for (std::size_t n = 0; n < is_own_.size(); ++n) {
      if (is_own_[n] == 0) continue;
      for (const TaskId task : cluster_.node(NodeId(n)).tasks) {
        const Reason reason = why_it_stays(cluster_.task(task), takes_whole_jobs);
        if (reason != Reason::none) add_spared(spared, reason, 1);
      }
    }
    sort_most_first(spared);
    session_.note_in_the_way(queue_, std::move(spared));
  }

  Reason why_it_stays(const Task& task, bool takes_whole_jobs) const {
    const QueueId queue = cluster_.queue_of(task.job);
    const bool is_leaving = task.status == TaskStatus::releasing || task.hangs;
    if (!occupies_node(task.status) || is_leaving || task.is_of_node) return Reason::none;
    if (!queue.is_valid()) return Reason::not_managed;
    if (cluster_.is_below(queue, queue_)) return Reason::none;
    if (const Verdict verdict = session_.may_evict(task); !verdict) return verdict.reason;
    const Job& job = cluster_.job(task.job);
    std::vector<TaskId> together;
    for (const TaskId each : job.tasks) {
      if (is_allocated(cluster_.task(each).status)) together.push_back(each);
    }
    const Leaving leaving{job.id, together};
    if (!takes_whole_jobs) return Reason::gang_minimum;
    if (!cluster_.queue(queue).is_reclaimable) return Reason::queue_keeps_jobs;
    if (const Verdict verdict = min_run_time_.may_leave_whole(session_, job); !verdict) {
      return verdict.reason;
    }
    Claimant claimant;
    claimant.queue = queue_;
    const Verdict verdict = session_.ask(points::yieldable, claimant, leaving);
    return verdict ? session_.ask(points::evictable, leaving).reason : verdict.reason;
  }

  // Of what is missing, does the lot free any?
  bool helps(const std::vector<TaskId>& tasks) const {
    return std::any_of(tasks.begin(), tasks.end(), [&](TaskId task) {
      if (!is_on_own_node(task)) return false;
      const Resources& request = cluster_.shape_of(task).request;
      return std::any_of(missing_.begin(), missing_.end(), [&](const auto& each) {
        return each.second > 0 && request[each.first] > 0;
      });
    });
  }

  void count(const std::vector<TaskId>& tasks, int sign) {
    for (const TaskId task : tasks) {
      const NodeId node = cluster_.task(task).node;
      if (!node.is_valid() || counts_[node.index()] == 0) continue;
      const Resources& request = cluster_.shape_of(task).request;
      for (auto& [d, amount] : missing_) amount -= sign * request[d];
    }
  }

  // NODES-18, NODES-19
  void evict(const Candidates::Lot& lot, Statement& statement) {
    std::vector<TaskId> tasks = still_running(cluster_, lot.tasks);
    if (!helps(tasks)) return;
    const Job& job = cluster_.job(lot.job);
    if (!lot.is_whole && !may_be_surplus(job, cluster_.task(tasks.front()))) return;
    const Leaving leaving{lot.job, tasks};
    Claimant claimant;
    claimant.queue = queue_;
    if (!session_.ask(points::yieldable, claimant, leaving)) return;
    const std::string& name = cluster_.queue(queue_).name;
    const std::string why =
        std::string(lot.is_whole ? "its job leaves whole" : "it is surplus of its job") +
        "; its node is one of queue " + name +
        ", whose guarantee has the policy Guaranteed and is not met";
    if (!statement.evict(leaving, {JobId(), kAction, lot.as, why, queue_})) return;
    count(tasks, +1);
    evicted_.push_back({std::move(tasks), lot.is_whole, lot.job});
  }

  // NODES-20. The last to be chosen first. Surplus of a job that leaves whole leaves with it.
  void spare_the_unneeded(Statement& statement) {
    for (auto each = evicted_.rbegin(); each != evicted_.rend(); ++each) {
      const bool leaves_with_job =
          !each->is_whole &&
          std::any_of(evicted_.begin(), evicted_.end(), [&](const Evicted& other) {
            return other.is_whole && other.job == each->job;
          });
      if (leaves_with_job) continue;
      count(each->tasks, -1);
      if (is_missing()) {
        count(each->tasks, +1);
      } else {
        statement.spare(each->tasks);
        *each = {};
      }
    }
  }

  // LIMIT-6. The first to be chosen first. The pods of a job that leaves whole count together.
  void keep_within_limits(Statement& statement) {
    for (Evicted& first : evicted_) {
      const bool is_whole = std::any_of(
          evicted_.begin(), evicted_.end(),
          [&](const Evicted& other) { return other.is_whole && other.job == first.job; });
      std::vector<TaskId> tasks = std::exchange(first.tasks, {});
      for (Evicted& other : evicted_) {
        if (!is_whole || other.job != first.job) continue;
        const std::vector<TaskId> more = std::exchange(other.tasks, {});
        tasks.insert(tasks.end(), more.begin(), more.end());
      }
      if (tasks.empty()) continue;
      if (session_.allowance().take(tasks)) {
        is_any_leaving_ = true;
        continue;
      }
      count(tasks, -1);
      statement.spare(tasks);
    }
  }

  Session& session_;
  const Cluster& cluster_;
  const MinRunTime& min_run_time_;
  QueueId queue_;
  std::vector<std::uint8_t> is_own_;                         // by node: of the queue itself
  std::vector<std::uint8_t> counts_;                         // by node: of it or of one below it
  std::vector<std::pair<Dimension, std::int64_t>> missing_;  // may be below 0
  std::vector<Evicted> evicted_;
  bool is_any_leaving_ = false;
};

// NODES-17
std::vector<QueueReservation> in_order(Session& session) {
  std::vector<QueueReservation> reservations;
  session.ask(points::queue_reservations, &reservations);
  std::stable_sort(reservations.begin(), reservations.end(),
                   [&](const QueueReservation& left, const QueueReservation& right) {
                     return session.comes_before(session.cluster().queue(left.queue),
                                                 session.cluster().queue(right.queue));
                   });
  return reservations;
}

}  // namespace

void clear_nodes_of_queues(Session& session, PartsOfJobs& parts_of_jobs, bool takes_whole_jobs,
                           const MinRunTime& min_run_time) {
  if (session.cluster().locks().for_queues() == 0) return;
  std::vector<QueueReservation> reservations = in_order(session);
  for (std::size_t i = 0; i < reservations.size(); ++i) {
    if (!reservations[i].evicts) continue;
    // Pods that leave for a queue may leave nodes of one below it, too, which then needs fewer.
    if (Clearing(session, reservations[i], min_run_time).clear(parts_of_jobs, takes_whole_jobs)) {
      reservations = in_order(session);
    }
  }
}

}  // namespace berth::actions
