#include "plugins/proportion/guarantee_victims.h"

#include <algorithm>
#include <utility>

#include "berth/engine/surplus.h"
#include "berth/engine/unmet_guarantees.h"

namespace berth::plugins {

using namespace engine;

namespace {

// Tasks that leave together: one that its job can do without, or a whole job.
struct Lot {
  std::uint32_t position = 0;  // of its queue
  JobId job;
  std::vector<TaskId> tasks;
  std::vector<TaskId> with_surplus;  // of a whole job: these, and its surplus, which leaves before
  Resources amount;
  bool is_surplus = false;
};

class VictimSelection {
 public:
  VictimSelection(Session& session, const QueueShares& shares, bool for_all)
      : session_(session), cluster_(session.cluster()), tree_(session.queues()), shares_(shares) {
    std::vector<std::int64_t> has = allocated_by_position(cluster_, tree_);
    QueueShares::Amounts firmly_kept(has.size(), 0);
    for (std::size_t at = 0; at < tree_.size(); ++at) {
      const bool is_firm = for_all || tree_.member(at).is_hard;
      for (std::size_t d = 0; d < shares_.dimensions; ++d) {
        const std::size_t i = at * shares_.dimensions + d;
        if (is_firm) firmly_kept[i] = shares_.kept[i];
      }
    }
    firm_.reset(tree_, std::move(firmly_kept), has);
    all_.reset(tree_, shares.kept, std::move(has));
  }

  std::vector<TaskId> choose() {
    for (std::uint32_t parent = 0; parent < tree_.size(); ++parent) {
      if (tree_.member(parent).child_count == 0 || !is_missing_below(parent)) continue;
      const std::vector<Lot> lots = lots_below(parent);
      const std::size_t before = chosen_.size();
      // SHUFFLE-3. First queues above their share, then queues above what is kept for them.
      for (const QueueShares::Amounts* floor : {&shares_.deserved, &shares_.kept}) {
        for (const Lot& lot : lots) {
          if (!is_missing_below(parent)) break;
          if (may_go(lot, parent, *floor)) let_go(lot);
        }
      }
      spare(parent, before);
    }
    std::vector<TaskId> tasks;
    for (const Lot& lot : chosen_) tasks.insert(tasks.end(), lot.tasks.begin(), lot.tasks.end());
    return tasks;
  }

 private:
  // SHUFFLE-2. At most the unmet guarantee: room that is missing for other reasons evicts nothing.
  std::int64_t missing(std::uint32_t parent, Dimension d) const {
    const std::int64_t due = firm_.due_below(parent, d);
    if (due <= 0) return 0;
    const std::int64_t room = shares_.at(shares_.real_capability, parent, d) - firm_.has(parent, d);
    return std::min(due, due - room);
  }

  bool is_missing_below(std::uint32_t parent) const {
    for (std::size_t d = 0; d < shares_.dimensions; ++d) {
      if (missing(parent, Dimension(d)) > 0) return true;
    }
    return false;
  }

  // SHUFFLE-4. Spares victims that are no longer needed, because later ones free enough.
  void spare(std::uint32_t parent, std::size_t from) {
    for (std::size_t i = chosen_.size(); i-- > from;) {
      if (leaves_whole(chosen_[i])) continue;
      move(chosen_[i], +1);
      if (is_missing_below(parent)) {
        move(chosen_[i], -1);
      } else {
        chosen_.erase(chosen_.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }

  // Then its surplus leaves, too.
  bool leaves_whole(const Lot& lot) const {
    return lot.is_surplus && std::any_of(chosen_.begin(), chosen_.end(), [&](const Lot& each) {
             return !each.is_surplus && each.job == lot.job;
           });
  }

  // SHUFFLE-3. Surplus before whole jobs; within each, the last in the order of jobs first.
  std::vector<Lot> lots_below(std::uint32_t parent) const {
    std::vector<Lot> lots;
    for (std::size_t j = 0; j < cluster_.job_slots(); ++j) {
      const Job& job = cluster_.job(JobId(j));
      if (!job.exists || !is_below(tree_.position_of(job.queue), parent)) continue;
      add_lots(JobId(j), lots);
    }
    std::stable_sort(lots.begin(), lots.end(), [&](const Lot& left, const Lot& right) {
      if (left.is_surplus != right.is_surplus) return left.is_surplus;
      if (left.job == right.job) return false;
      return session_.comes_before(cluster_.job(right.job), cluster_.job(left.job));
    });
    return lots;
  }

  bool is_below(std::uint32_t at, std::uint32_t parent) const {
    if (at == QueueTree::kNowhere) return false;
    while (at > parent) at = tree_.member(at).parent;
    return at == parent;
  }

  void add_lots(JobId id, std::vector<Lot>& lots) const {
    const Job& job = cluster_.job(id);
    std::vector<TaskId> running;
    for (const TaskId id_of_task : job.tasks) {
      const Task& task = cluster_.task(id_of_task);
      if (is_on_its_node(task.status) && task.node.is_valid()) running.push_back(id_of_task);
    }
    const auto lot_of = [&](std::vector<TaskId> tasks, std::vector<TaskId> together,
                            bool is_surplus) {
      Lot lot{tree_.position_of(job.queue), id, std::move(tasks),
              std::move(together),          {}, is_surplus};
      for (const TaskId task : lot.tasks) lot.amount += cluster_.shape_of(task).request;
      lots.push_back(std::move(lot));
    };
    std::vector<TaskId> rest = running;
    for (const TaskId task : surplus_of(session_, job)) {
      const auto found = std::find(rest.begin(), rest.end(), task);
      if (found == rest.end()) continue;
      rest.erase(found);
      lot_of({task}, {task}, true);
    }
    const bool may_lose_whole_jobs = cluster_.queue(job.queue).is_reclaimable;
    if (!rest.empty() && may_lose_whole_jobs) lot_of(std::move(rest), running, false);
  }

  // SHUFFLE-3, SHUFFLE-4. The lot frees some of what is missing, its queue stays at or above the
  // floor there, and no new unmet guarantee results.
  bool may_go(const Lot& lot, std::uint32_t parent, const QueueShares::Amounts& floor) {
    const bool is_chosen = std::any_of(chosen_.begin(), chosen_.end(), [&](const Lot& each) {
      return each.tasks.front() == lot.tasks.front();
    });
    const auto may_evict = [&](TaskId task) {
      return static_cast<bool>(session_.may_evict(cluster_.task(task)));
    };
    if (is_chosen || !std::all_of(lot.tasks.begin(), lot.tasks.end(), may_evict)) return false;
    if (!session_.ask(points::evictable, Leaving{lot.job, with_chosen(lot)})) return false;
    bool helps = false;
    for (std::size_t i = 0; i < shares_.dimensions; ++i) {
      const Dimension d(i);
      const std::int64_t gives = lot.amount[d];
      if (gives <= 0 || missing(parent, d) <= 0) continue;
      const std::int64_t has = all_.has(lot.position, d);
      if (gives > beyond_share(has, shares_.at(floor, lot.position, d))) return false;
      helps = true;
    }
    return helps && nobody_is_due_for(lot);
  }

  // Tasks of one job leave together.
  std::vector<TaskId> with_chosen(const Lot& lot) const {
    std::vector<TaskId> together = lot.with_surplus;
    if (!lot.is_surplus) return together;
    for (const Lot& each : chosen_) {
      if (each.job == lot.job) {
        together.insert(together.end(), each.tasks.begin(), each.tasks.end());
      }
    }
    return together;
  }

  bool nobody_is_due_for(const Lot& lot) {
    std::vector<std::int64_t> before(shares_.dimensions);
    for (std::size_t d = 0; d < before.size(); ++d) before[d] = all_.due_below(0, Dimension(d));
    move(lot, -1);
    bool is_nobody = true;
    for (std::size_t d = 0; d < before.size(); ++d) {
      is_nobody = is_nobody && all_.due_below(0, Dimension(d)) <= before[d];
    }
    move(lot, +1);
    return is_nobody;
  }

  void let_go(const Lot& lot) {
    move(lot, -1);
    chosen_.push_back(lot);
  }

  void move(const Lot& lot, int sign) {
    for (std::size_t i = 0; i < shares_.dimensions; ++i) {
      const Dimension d(i);
      if (lot.amount[d] == 0) continue;
      firm_.add(tree_, lot.position, d, sign * lot.amount[d]);
      all_.add(tree_, lot.position, d, sign * lot.amount[d]);
    }
  }

  Session& session_;
  const Cluster& cluster_;
  const QueueTree& tree_;
  const QueueShares& shares_;
  UnmetGuarantees firm_;  // of guarantees that evict others
  UnmetGuarantees all_;
  std::vector<Lot> chosen_;
};

}  // namespace

std::vector<TaskId> guarantee_victims(Session& session, const QueueShares& shares, bool for_all) {
  return VictimSelection(session, shares, for_all).choose();
}

}  // namespace berth::plugins
