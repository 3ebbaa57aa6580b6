#include "support/need_laws.h"

#include <algorithm>
#include <map>
#include <set>

#include "engine/fit/keeps_away.h"

namespace berth::support {

namespace {

// Pods that leave together.
struct Lot {
  JobId beneficiary;
  JobId job;
  std::string_view action;
  EvictedAs as = EvictedAs::surplus;
  std::vector<TaskId> tasks;
};

std::vector<Lot> lots_of(const Cluster& cluster, const Plan& plan) {
  std::vector<Lot> lots;
  for (const PlannedEviction& each : plan.evictions) {
    // Those for queues have their own law (queue_node_laws.h).
    const JobId job = cluster.task(each.task).job;
    const bool is_single = each.as == EvictedAs::surplus || each.as == EvictedAs::lower_member;
    const auto same = std::find_if(lots.begin(), lots.end(), [&](const Lot& lot) {
      return !is_single && lot.job == job && lot.as == each.as &&
             lot.beneficiary == each.beneficiary && lot.action == each.action;
    });
    if (same != lots.end()) {
      same->tasks.push_back(each.task);
    } else {
      lots.push_back({each.beneficiary, job, each.action, each.as, {each.task}});
    }
  }
  return lots;
}

class NeedCourt {
 public:
  NeedCourt(const Cluster& cluster, const Plan& plan)
      : cluster_(cluster), plan_(plan), lots_(lots_of(cluster, plan)) {}

  std::vector<std::string> judge() {
    std::vector<std::string> faults;
    for (std::size_t i = 0; i < lots_.size(); ++i) {
      const Lot& lot = lots_[i];
      if (lot.action == "shuffle" || !lot.beneficiary.is_valid() || leaves_whole_besides(lot) ||
          is_for_the_queue(lot) || keeps_away(lot) || is_counted(lot))
        continue;
      if (fits(lot)) {
        faults.push_back("victim " + cluster_.task(lot.tasks.front()).name + " of " +
                         std::string(lot.action) + " leaves without need");
      }
    }
    return faults;
  }

 private:
  // Surplus of a job whose other pods leave, too: alone it cannot stay.
  bool leaves_whole_besides(const Lot& lot) const {
    return lot.as == EvictedAs::surplus &&
           std::any_of(lots_.begin(), lots_.end(), [&](const Lot& other) {
             return other.job == lot.job && other.as != EvictedAs::surplus;
           });
  }

  // VICTIM-9. One of them and a pod of the job, where that goes, would refuse each other.
  bool keeps_away(const Lot& lot) const {
    const auto is_kept_away = [&](const Placement& each) {
      const Shape& shape = cluster_.shape_of(each.task);
      return cluster_.task(each.task).job == lot.beneficiary &&
             std::any_of(lot.tasks.begin(), lot.tasks.end(), [&](TaskId victim) {
               return engine::keeps_away(cluster_, victim, shape, each.node);
             });
    };
    return std::any_of(plan_.binds.begin(), plan_.binds.end(), is_kept_away) ||
           std::any_of(plan_.pipelined.begin(), plan_.pipelined.end(), is_kept_away);
  }

  // VICTIM-10. A place of the job depends on how many such pods there are, or on their ports.
  bool is_counted(const Lot& lot) const {
    const auto has_any = [](const std::vector<TermId>& terms, const std::vector<TermId>& counted) {
      return std::any_of(terms.begin(), terms.end(), [&](TermId term) {
        return std::find(counted.begin(), counted.end(), term) != counted.end();
      });
    };
    const auto depends = [&](const Placement& each) {
      const Shape& shape = cluster_.shape_of(each.task);
      return cluster_.task(each.task).job == lot.beneficiary &&
             std::any_of(lot.tasks.begin(), lot.tasks.end(), [&](TaskId victim) {
               const Shape& leaves = cluster_.shape_of(victim);
               const bool is_on_its_node = cluster_.task(victim).node == each.node;
               return has_any(shape.terms.spread, leaves.terms.counted) ||
                      has_any(shape.terms.affinity, leaves.terms.counted) ||
                      (is_on_its_node && shape.has_host_ports && leaves.has_host_ports);
             });
    };
    return std::any_of(plan_.binds.begin(), plan_.binds.end(), depends) ||
           std::any_of(plan_.pipelined.begin(), plan_.pipelined.end(), depends);
  }

  // The queue, or one above it, has no room for both.
  bool is_for_the_queue(const Lot& lot) const {
    if (plan_.shares == nullptr) return false;
    if (is_paid_by_others(lot)) return false;
    if (!plan_.reservations.empty()) return true;  // what targets lack counts, too
    const QueueShares& shares = *plan_.shares;
    const std::set<JobId> later = later_claimants(lot);
    std::map<QueueId, Resources> has;
    for (std::size_t q = 0; q < cluster_.queue_slots(); ++q) {
      has[QueueId(q)] = cluster_.queue(QueueId(q)).allocated;
    }
    const auto move = [&](TaskId id, bool comes) {
      const JobId job = cluster_.task(id).job;
      if (!job.is_valid() || !cluster_.job(job).queue.is_valid()) return;
      Resources& of_queue = has[cluster_.job(job).queue];
      comes ? of_queue += request(id) : of_queue -= request(id);
    };
    for (const Lot& each : lots_) {
      if (&each == &lot || later.contains(each.beneficiary)) continue;
      for (const TaskId id : each.tasks) move(id, false);
    }
    for (const auto* placements : {&plan_.binds, &plan_.pipelined}) {
      for (const Placement& each : *placements) {
        if (!later.contains(cluster_.task(each.task).job)) move(each.task, true);
      }
    }
    for (std::size_t d = 0; d < shares.dimensions; ++d) {
      std::vector<std::int64_t> sums(shares.rows.size(), 0);
      for (std::size_t row = shares.rows.size(); row-- > 0;) {
        const QueueId id = shares.rows[row].queue;
        if (id.is_valid()) sums[row] += has[id][Dimension(d)];
        if (row > 0) sums[shares.rows[row].parent] += sums[row];
      }
      // A placement is refused at the deserved share, too, and for what is kept for others.
      for (std::size_t row = 1; row < shares.rows.size(); ++row) {
        const std::int64_t most = std::min(shares.at(shares.deserved, row, Dimension(d)),
                                           shares.at(shares.real_capability, row, Dimension(d)));
        if (is_above(row, lot) && sums[row] > most) return true;
        if (shares.at(shares.kept, row, Dimension(d)) > sums[row]) return true;
      }
    }
    return false;
  }

  // VICTIM-7. Other victims for the claimant leave as much as is placed of it.
  bool is_paid_by_others(const Lot& lot) const {
    const bool is_reclaim = lot.action == "reclaim";
    Resources left;
    for (const Lot& each : lots_) {
      if (&each == &lot || each.beneficiary != lot.beneficiary || each.action != lot.action)
        continue;
      const bool is_own = cluster_.job(each.job).queue == cluster_.job(lot.beneficiary).queue;
      if (!is_own && !is_reclaim) continue;
      for (const TaskId id : each.tasks) left += request(id);
    }
    for (const auto* placements : {&plan_.binds, &plan_.pipelined}) {
      for (const Placement& each : *placements) {
        if (cluster_.task(each.task).job == lot.beneficiary) left -= request(each.task);
      }
    }
    for (std::size_t d = 0; d < left.extent(); ++d) {
      if (Dimension(d) != kPods && left[Dimension(d)] < 0) return false;
    }
    return true;
  }

  // Claimants whose victims come later in the plan.
  std::set<JobId> later_claimants(const Lot& lot) const {
    std::set<JobId> later;
    bool is_later = false;
    for (const Lot& each : lots_) {
      if (is_later && each.beneficiary.is_valid()) later.insert(each.beneficiary);
      is_later = is_later || &each == &lot;
    }
    later.erase(lot.beneficiary);
    return later;
  }

  bool is_above(std::size_t row, const Lot& lot) const {
    const QueueShares& shares = *plan_.shares;
    std::size_t at = 0;
    while (at < shares.rows.size() &&
           shares.rows[at].queue != cluster_.job(lot.beneficiary).queue) {
      ++at;
    }
    if (at == shares.rows.size()) return false;
    while (at != row && at != 0) at = shares.rows[at].parent;
    return at == row;
  }

  // Would the nodes of these pods have room for all, as it was when they were chosen? Claimants
  // whose victims come later in the plan, and these victims, do not count.
  bool fits(const Lot& lot) const {
    const std::set<JobId> later = later_claimants(lot);
    std::map<NodeId, Resources> used;
    for (std::size_t t = 0; t < cluster_.task_slots(); ++t) {
      const Task& task = cluster_.task(TaskId(t));
      if (task.uid.empty() || !task.node.is_valid() || !occupies_node(task.status)) continue;
      if (task.status != TaskStatus::releasing) used[task.node] += request(TaskId(t));
    }
    for (const Lot& each : lots_) {
      if (&each == &lot || later.contains(each.beneficiary)) continue;
      for (const TaskId id : each.tasks) used[cluster_.task(id).node] -= request(id);
    }
    for (const auto* placements : {&plan_.binds, &plan_.pipelined}) {
      for (const Placement& each : *placements) {
        if (later.contains(cluster_.task(each.task).job)) continue;
        used[each.node] += request(each.task);
      }
    }
    // A claim that was given up for a place elsewhere had kept others off until then.
    for (const Placement& each : plan_.binds) {
      for (const Claim& claim : cluster_.job(cluster_.task(each.task).job).claims) {
        if (claim.task == each.task && claim.node != each.node) {
          used[claim.node] += request(each.task);
        }
      }
    }
    return std::all_of(lot.tasks.begin(), lot.tasks.end(), [&](TaskId id) {
      const NodeId node = cluster_.task(id).node;
      const Resources& all = cluster_.node(node).allocatable;
      const Resources& asked = request(id);
      for (std::size_t d = 0; d < asked.extent(); ++d) {
        const Dimension dimension(d);
        if (asked[dimension] > 0 && used[node][dimension] > all[dimension]) return false;
      }
      return true;
    });
  }

  const Resources& request(TaskId id) const { return cluster_.shape_of(id).request; }

  const Cluster& cluster_;
  const Plan& plan_;
  const std::vector<Lot> lots_;
};

}  // namespace

std::vector<std::string> needless_evictions(const Cluster& before, const Plan& plan) {
  return NeedCourt(before, plan).judge();
}

}  // namespace berth::support
