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
  add_givers();
}

void VictimSearch::add_givers() {
  for (std::size_t j = 0; j < cluster_.job_slots(); ++j) {
    const Job& job = cluster_.job(JobId(j));
    if (!job.exists || job.id == claimant_.id) continue;
    Giver giver{job.id};
    if (may_give(job, false)) giver.surplus = std::max(0, job.task_count() - job.min_available);
    giver.may_leave_whole = terms_.takes_whole_jobs && may_give(job, true);
    if (giver.surplus == 0 && !giver.may_leave_whole) continue;
    for (const TaskId id : job.tasks) {  // all run
      if (pods_.size() < 64) giver.pods |= Set{1} << pods_.size();
      pods_.push_back(id);
    }
    givers_.push_back(giver);
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

std::optional<int> VictimSearch::fewest() {
  if (!is_entitled() || pods_.size() > 60) return std::nullopt;
  for (int most = 0; most <= static_cast<int>(pods_.size()) && !is_too_large(); ++most) {
    if (try_giver(0, 0, most)) return most;
  }
  return std::nullopt;
}

// Sets with just so many pods more, of this giver and those after it.
bool VictimSearch::try_giver(std::size_t giver, Set set, int left) {
  ++tries_;
  if (is_too_large()) return false;
  Set open = 0;
  for (std::size_t g = giver; g < givers_.size(); ++g) open |= givers_[g].pods;
  if (!could_have_room(set, open, left)) return false;
  if (left == 0) return is_allowed(set) && has_room(set);
  if (giver == givers_.size()) return false;
  const Giver& each = givers_[giver];
  const int pods = __builtin_popcountll(each.pods);
  if (each.may_leave_whole && pods <= left && try_giver(giver + 1, set | each.pods, left - pods)) {
    return true;
  }
  return try_surplus(giver, 0, set, each.surplus, left);
}

bool VictimSearch::try_surplus(std::size_t giver, std::size_t pod, Set set, int most, int left) {
  if (pod == pods_.size() || most == 0 || left == 0) return try_giver(giver + 1, set, left);
  const Set one = Set{1} << pod;
  if ((givers_[giver].pods & one) != 0 &&
      try_surplus(giver, pod + 1, set | one, most - 1, left - 1)) {
    return true;
  }
  return try_surplus(giver, pod + 1, set, most, left);
}

// May they leave in some order? A part of an allowed set is allowed.
bool VictimSearch::is_allowed(Set set) {
  if (!terms_.is_reclaim || set == 0) return true;
  const auto [known, is_new] = allowed_.try_emplace(set, false);
  if (!is_new) return known->second;
  ++tries_;
  const bool is_found = std::any_of(givers_.begin(), givers_.end(), [&](const Giver& each) {
    return (each.pods & set) != 0 && is_allowed_if_last(each, set);
  });
  return allowed_[set] = is_found;
}

// One of its surplus; or those that are left, at once, of a job that leaves whole.
bool VictimSearch::is_allowed_if_last(const Giver& giver, Set set) {
  const Set its = giver.pods & set;
  const int count = __builtin_popcountll(its);
  const bool is_whole = its == giver.pods;
  for (Set last = its; last != 0; last = (last - 1) & its) {
    const int at_once = __builtin_popcountll(last);
    if (is_whole ? count - at_once > giver.surplus : at_once != 1) continue;
    if (is_allowed(set & ~last) && may_leave_last(set & ~last, last)) return true;
  }
  return false;
}

bool VictimSearch::may_leave_last(Set before, Set last) {
  std::vector<TaskId> leaving;
  for (std::size_t i = 0; i < pods_.size(); ++i) {
    if ((last >> i & 1) != 0) leaving.push_back(pods_[i]);
  }
  const JobId job = cluster_.task(leaving.front()).job;
  const std::size_t row = row_of(job);
  Resources has = cluster_.queue(cluster_.job(job).queue).allocated;
  for (std::size_t i = 0; i < pods_.size(); ++i) {
    if ((before >> i & 1) == 0 || row_of(cluster_.task(pods_[i]).job) != row) continue;
    has -= cluster_.shape_of(pods_[i]).request;
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

// If of the open pods so many could leave at most: by resource, as if each member could be divided.
bool VictimSearch::could_have_room(Set set, Set open, int left) const {
  for (const Dimension d : kLacked) {
    std::int64_t asked = 0;
    for (const TaskId id : waiting_) asked += cluster_.shape_of(id).request[d];
    std::vector<std::int64_t> more;
    for (const Resources& idle : idle_) asked -= idle[d];
    for (std::size_t i = 0; i < pods_.size(); ++i) {
      const std::int64_t freed = cluster_.shape_of(pods_[i]).request[d];
      if ((set >> i & 1) != 0) asked -= freed;
      if ((open >> i & 1) != 0) more.push_back(freed);
    }
    std::sort(more.rbegin(), more.rend());
    for (std::size_t i = 0; i < more.size() && static_cast<int>(i) < left; ++i) asked -= more[i];
    if (asked > 0) return false;
  }
  return true;
}

bool VictimSearch::has_room(Set set) {
  ++tries_;
  std::vector<Resources> room = idle_;
  for (std::size_t i = 0; i < pods_.size(); ++i) {
    if ((set >> i & 1) == 0) continue;
    room[cluster_.task(pods_[i]).node.index()] += cluster_.shape_of(pods_[i]).request;
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
