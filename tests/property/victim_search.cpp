#include "property/victim_search.h"

#include <algorithm>

namespace berth::support {

namespace {

constexpr Dimension kLacked[] = {kCpu, kMemory};

}  // namespace

VictimSearch::VictimSearch(const Cluster& cluster, const QueueShares* shares, JobId claimant,
                           Terms terms)
    : cluster_(cluster), shares_(shares), claimant_(cluster.job(claimant)), terms_(terms) {
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    idle_.push_back(cluster.node(NodeId(n)).allocatable);
  }
  for (std::size_t t = 0; t < cluster.task_slots(); ++t) {
    const Task& task = cluster.task(TaskId(t));
    if (task.node.is_valid()) idle_[task.node.index()] -= cluster.shape_of(TaskId(t)).request;
  }
  waiting_ = claimant_.tasks;
  std::stable_sort(waiting_.begin(), waiting_.end(), [&](TaskId left, TaskId right) {
    return cluster.task(left).shape < cluster.task(right).shape;
  });
  add_lots();
}

void VictimSearch::add_lots() {
  for (std::size_t j = 0; j < cluster_.job_slots(); ++j) {
    const Job& job = cluster_.job(JobId(j));
    if (!job.exists || job.id == claimant_.id) continue;
    std::vector<TaskId> tasks = job.tasks;  // in order; all run, with one priority
    while (static_cast<std::int32_t>(tasks.size()) > job.min_available) {
      if (may_give(job, false)) lots_.push_back({job.id, false, {tasks.back()}});
      tasks.pop_back();
    }
    if (terms_.takes_whole_jobs && may_give(job, true)) lots_.push_back({job.id, true, tasks});
  }
}

bool VictimSearch::may_give(const Job& job, bool is_whole) const {
  if (!terms_.is_reclaim) {
    if (job.queue != claimant_.queue) return false;
    if (job.priority == claimant_.priority) return !is_whole;
    return job.priority < claimant_.priority;
  }
  return job.queue != claimant_.queue && (!is_whole || cluster_.queue(job.queue).is_reclaimable);
}

std::size_t VictimSearch::row_of(JobId job) const {
  std::size_t row = 1;
  while (shares_->rows.at(row).queue != cluster_.job(job).queue) ++row;
  return row;
}

bool VictimSearch::is_entitled() const {
  if (!terms_.is_reclaim) return true;
  Resources has = cluster_.queue(claimant_.queue).allocated;
  Resources asked;
  for (const TaskId id : waiting_) asked += cluster_.shape_of(id).request;
  has += asked;
  for (std::size_t d = 0; d < asked.extent(); ++d) {
    const Dimension each(d);
    if (asked[each] > 0 && has[each] > shares_->at(shares_->deserved, row_of(claimant_.id), each)) {
      return false;
    }
  }
  return true;
}

VictimSearch::Set VictimSearch::surplus_of(JobId job) const {
  Set set = 0;
  for (std::size_t i = 0; i < lots_.size(); ++i) {
    if (lots_[i].job == job && !lots_[i].is_whole) set |= Set{1} << i;
  }
  return set;
}

std::optional<int> VictimSearch::fewest() {
  if (!is_entitled() || lots_.size() > 60) return std::nullopt;
  if (!has_room((Set{1} << lots_.size()) - 1)) return std::nullopt;
  int pods = 0;
  for (const Lot& each : lots_) pods += static_cast<int>(each.tasks.size());
  for (int most = 0; most <= pods && !is_too_large(); ++most) {
    if (try_from(0, 0, 0, most)) return most;
  }
  return std::nullopt;
}

// Sets that cost exactly `most`.
bool VictimSearch::try_from(std::size_t lot, Set set, int cost, int most) {
  if (cost == most) {
    // A job leaves whole only with its surplus.
    for (std::size_t i = 0; i < lots_.size(); ++i) {
      const bool is_in = (set >> i & 1) != 0;
      const Set surplus = surplus_of(lots_[i].job);
      if (is_in && lots_[i].is_whole && (set & surplus) != surplus) return false;
    }
    return has_room(set);
  }
  if (lot == lots_.size() || is_too_large()) return false;
  const int with_it = cost + static_cast<int>(lots_[lot].tasks.size());
  const Set larger = set | Set{1} << lot;
  if (with_it <= most && is_allowed(larger) && try_from(lot + 1, larger, with_it, most)) {
    return true;
  }
  return try_from(lot + 1, set, cost, most);
}

// May they leave in some order? A part of an allowed set is allowed.
bool VictimSearch::is_allowed(Set set) {
  if (!terms_.is_reclaim || set == 0) return true;
  const auto [known, is_new] = allowed_.try_emplace(set, false);
  if (!is_new) return known->second;
  ++tries_;
  bool is_found = false;
  for (std::size_t i = 0; i < lots_.size() && !is_found; ++i) {
    const Set one = Set{1} << i;
    if ((set & one) == 0) continue;
    is_found = is_allowed(set & ~one) && may_leave_last(set & ~one, one);
    if (is_found || !lots_[i].is_whole) continue;
    const Set all = one | (surplus_of(lots_[i].job) & set);  // at once
    is_found = is_allowed(set & ~all) && may_leave_last(set & ~all, all);
  }
  return allowed_[set] = is_found;
}

bool VictimSearch::may_leave_last(Set before, Set last) {
  std::vector<TaskId> leaving;
  JobId job;
  for (std::size_t i = 0; i < lots_.size(); ++i) {
    if ((last >> i & 1) == 0) continue;
    job = lots_[i].job;
    leaving.insert(leaving.end(), lots_[i].tasks.begin(), lots_[i].tasks.end());
  }
  const std::size_t row = row_of(job);
  Resources has = cluster_.queue(cluster_.job(job).queue).allocated;
  for (std::size_t i = 0; i < lots_.size(); ++i) {
    if ((before >> i & 1) == 0 || row_of(lots_[i].job) != row) continue;
    for (const TaskId id : lots_[i].tasks) has -= cluster_.shape_of(id).request;
  }
  Resources amount;
  for (const TaskId id : leaving) amount += cluster_.shape_of(id).request;
  const Resources& asked = cluster_.shape_of(waiting_.front()).request;
  const auto is_beyond = [&](const Resources& amounts) {
    return std::any_of(std::begin(kLacked), std::end(kLacked), [&](Dimension d) {
      return asked[d] > 0 && amount[d] > 0 && amounts[d] > shares_->at(shares_->deserved, row, d);
    });
  };
  if (!is_beyond(has)) return false;
  if (terms_.is_strict) {
    return std::all_of(std::begin(kLacked), std::end(kLacked), [&](Dimension d) {
      return asked[d] == 0 || amount[d] == 0 ||
             has[d] - amount[d] >= shares_->at(shares_->deserved, row, d);
    });
  }
  return std::any_of(leaving.begin(), leaving.end(), [&](TaskId id) {
    Resources before_it = has;
    before_it -= amount;
    before_it += cluster_.shape_of(id).request;
    return is_beyond(before_it);
  });
}

bool VictimSearch::has_room(Set set) {
  ++tries_;
  std::vector<Resources> room = idle_;
  for (std::size_t i = 0; i < lots_.size(); ++i) {
    if ((set >> i & 1) == 0) continue;
    for (const TaskId id : lots_[i].tasks) {
      room[cluster_.task(id).node.index()] += cluster_.shape_of(id).request;
    }
  }
  return place(0, 0, room);
}

bool VictimSearch::place(std::size_t next, std::size_t first_node,
                         std::vector<Resources>& room) const {
  if (next == waiting_.size()) return true;
  const Resources& asked = cluster_.shape_of(waiting_[next]).request;
  const bool is_like_the_next =
      next + 1 < waiting_.size() &&
      cluster_.task(waiting_[next]).shape == cluster_.task(waiting_[next + 1]).shape;
  for (std::size_t n = first_node; n < room.size(); ++n) {
    if (!room[n].covers(asked)) continue;
    room[n] -= asked;
    const bool is_placed = place(next + 1, is_like_the_next ? n : 0, room);
    room[n] += asked;
    if (is_placed) return true;
  }
  return false;
}

}  // namespace berth::support
