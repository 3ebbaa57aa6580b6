#include "berth/engine/overdrawn.h"

#include <algorithm>
#include <set>

namespace berth::engine {

namespace {

// Tasks that leave together: one that its job can do without, or a whole job.
struct Lot {
  std::uint32_t position = 0;  // of its queue
  JobId job;
  std::vector<TaskId> tasks;
  Resources amount;
  bool is_surplus = false;
};

class Overdrawn {
 public:
  Overdrawn(const Session& session, const QueueShares& shares, bool for_all)
      : for_all_(for_all),
        session_(session),
        cluster_(session.cluster()),
        tree_(session.queues()),
        shares_(shares),
        has_(shares.rows.size() * shares.dimensions, 0) {
    for (std::size_t at = tree_.size(); at-- > 0;) {
      for (std::size_t d = 0; d < shares_.dimensions; ++d) {
        if (tree_.member(at).queue.is_valid()) {
          has(at, d) += cluster_.queue(tree_.member(at).queue).allocated[Dimension(d)];
        }
        if (at != 0) has(tree_.member(at).parent, d) += has(at, d);
      }
    }
  }

  std::vector<TaskId> choose() {
    for (std::uint32_t parent = 0; parent < tree_.size(); ++parent) {
      if (tree_.member(parent).child_count == 0 || !is_missing_below(parent)) continue;
      const std::vector<Lot> lots = lots_below(parent);
      // V3. Who has more than its share first, then who has more than is kept for it.
      for (const QueueShares::Amounts* floor : {&shares_.deserved, &shares_.kept}) {
        for (const Lot& lot : lots) {
          if (is_missing_below(parent) && may_go(lot, parent, *floor)) let_go(lot);
        }
      }
    }
    return std::move(chosen_);
  }

 private:
  std::int64_t& has(std::size_t at, std::size_t d) { return has_[at * shares_.dimensions + d]; }

  std::int64_t owed_to(std::uint32_t at, std::size_t d) {
    if (!for_all_ && !tree_.member(at).is_hard) return 0;
    return std::max<std::int64_t>(0, shares_.at(shares_.kept, at, Dimension(d)) - has(at, d));
  }

  // V2
  std::int64_t missing(std::uint32_t parent, std::size_t d) {
    const QueueTree::Member& member = tree_.member(parent);
    std::int64_t owed = has(parent, d) - shares_.at(shares_.real_capability, parent, Dimension(d));
    for (std::uint32_t at = member.first_child; at < member.first_child + member.child_count;
         ++at) {
      owed += owed_to(at, d);
    }
    return owed;
  }

  bool is_missing_below(std::uint32_t parent) {
    for (std::size_t d = 0; d < shares_.dimensions; ++d) {
      if (missing(parent, d) > 0 && is_owed_below(parent, d)) return true;
    }
    return false;
  }

  // More may be used than there is, by nodes that were lost; that alone makes nobody leave.
  bool is_owed_below(std::uint32_t parent, std::size_t d) {
    const QueueTree::Member& member = tree_.member(parent);
    for (std::uint32_t at = member.first_child; at < member.first_child + member.child_count;
         ++at) {
      if (owed_to(at, d) > 0) return true;
    }
    return false;
  }

  // V3. Surplus before whole jobs; among either, who is last in line first.
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
    for (const TaskId task : job.tasks) {
      const TaskStatus status = cluster_.task(task).status;
      if (status == TaskStatus::bound || status == TaskStatus::running) running.push_back(task);
    }
    const auto lot_of = [&](std::vector<TaskId> tasks, bool is_surplus) {
      Lot lot{tree_.position_of(job.queue), id, std::move(tasks), {}, is_surplus};
      for (const TaskId task : lot.tasks) lot.amount += cluster_.shape_of(task).request;
      lots.push_back(std::move(lot));
    };
    // Where roles have minimums of their own, who is surplus is not known by number alone.
    std::int32_t spare = job.role_minimum_total > 0 ? 0 : job.placed_count() - job.min_available;
    for (; spare > 0 && !running.empty(); --spare) {
      lot_of({running.back()}, true);
      running.pop_back();
    }
    if (!running.empty()) lot_of(std::move(running), false);
  }

  // V3, V4
  bool may_go(const Lot& lot, std::uint32_t parent, const QueueShares::Amounts& floor) {
    if (gone_.contains(lot.tasks.front())) return false;
    const bool are_movable = std::all_of(lot.tasks.begin(), lot.tasks.end(), [&](TaskId task) {
      return static_cast<bool>(session_.ask(points::evictable, cluster_.task(task)));
    });
    if (!are_movable) return false;
    bool helps = false;
    for (std::size_t d = 0; d < shares_.dimensions; ++d) {
      const std::int64_t gives = lot.amount[Dimension(d)];
      if (gives <= 0) continue;
      const std::int64_t left = has(lot.position, d) - gives;
      if (left < shares_.at(shares_.kept, lot.position, Dimension(d))) return false;
      helps = helps || (missing(parent, d) > 0 && is_owed_below(parent, d) &&
                        left >= shares_.at(floor, lot.position, Dimension(d)));
    }
    return helps;
  }

  void let_go(const Lot& lot) {
    for (const TaskId task : lot.tasks) {
      gone_.insert(task);
      chosen_.push_back(task);
    }
    for (std::uint32_t at = lot.position;; at = tree_.member(at).parent) {
      for (std::size_t d = 0; d < shares_.dimensions; ++d) has(at, d) -= lot.amount[Dimension(d)];
      if (at == 0) return;
    }
  }

  bool for_all_;
  const Session& session_;
  const Cluster& cluster_;
  const QueueTree& tree_;
  const QueueShares& shares_;
  std::vector<std::int64_t> has_;  // allocated, with all below; by position and dimension
  std::set<TaskId> gone_;
  std::vector<TaskId> chosen_;
};

}  // namespace

std::vector<TaskId> overdrawn_tasks(const Session& session, const QueueShares& shares,
                                    bool for_all) {
  return Overdrawn(session, shares, for_all).choose();
}

}  // namespace berth::engine
