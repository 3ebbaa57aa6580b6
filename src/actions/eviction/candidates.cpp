#include "actions/eviction/candidates.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "actions/eviction/parties.h"
#include "berth/base/look_up.h"
#include "berth/engine/need.h"
#include "berth/engine/surplus.h"

namespace berth::actions {

using namespace engine;

bool runs(const Task& task) { return is_on_its_node(task.status); }

std::vector<TaskId> still_running(const Cluster& cluster, std::span<const TaskId> tasks) {
  std::vector<TaskId> left;
  std::copy_if(tasks.begin(), tasks.end(), std::back_inserter(left),
               [&](TaskId id) { return runs(cluster.task(id)); });
  return left;
}

Candidates::Candidates(Session& session, const EvictionPolicy& policy, const Job& claimant)
    : session_(session), as_surplus_(policy.as_surplus), as_whole_(policy.as_whole) {
  Parties parties = policy.parties(claimant);
  spared_ = std::move(parties.spared);
  for (const JobPart& part : parties.parts) parts_.push_back({part});
  if (!parts_.empty()) {
    for (auto* table : {&freed_by_surplus_, &freed_by_all_, &room_by_surplus_, &room_by_all_}) {
      table->reset(session.cluster().node_count(), session.cluster().dimensions().size());
    }
  }
  std::vector<std::uint8_t> has_surplus(session.cluster().job_slots(), 0);  // by job
  std::vector<std::uint8_t> leaves_whole(session.cluster().job_slots(), 0);
  for (const Part& each : parts_) {
    const bool is_surplus = each.part.kind == JobPart::Kind::surplus;
    if (is_surplus) has_surplus[each.part.job.index()] = 1;
  }
  for (Part& each : parts_) {
    const std::size_t job = each.part.job.index();
    if (each.part.kind != JobPart::Kind::whole) continue;
    leaves_whole[job] = count_whole(each, has_surplus[job] != 0) ? 1 : 0;
  }
  for (Part& each : parts_) {
    if (each.part.kind != JobPart::Kind::surplus) continue;
    count_surplus(each, leaves_whole[each.part.job.index()] != 0);
  }
  if (!parts_.empty()) note_room();
  sort_most_first(spared_);
}

// VICTIM-2. Each task by itself, and no more than are beyond the minimum.
void Candidates::count_surplus(Part& part, bool leaves_whole) {
  part.begin = tasks_.size();
  const Job& job = session_.cluster().job(part.part.job);
  std::vector<Reason> kept;
  for (const TaskId id : possible_surplus(session_, job)) {
    Verdict verdict = session_.may_evict(session_.cluster().task(id));
    if (verdict) {
      verdict = session_.ask(points::evictable, Leaving{part.part.job, std::span(&id, 1)});
    }
    if (verdict) {
      tasks_.push_back(id);
    } else {
      kept.push_back(verdict.reason);
    }
  }
  part.end = tasks_.size();
  const std::span<const TaskId> tasks(tasks_.data() + part.begin, part.end - part.begin);
  const std::int32_t most = most_of_surplus(job, tasks);
  const auto short_of = static_cast<std::size_t>(surplus_count(job) - most);
  for (std::size_t i = 0; i < std::min(short_of, kept.size()); ++i) {
    add_spared(spared_, kept[i], 1);
  }
  if (!leaves_whole && most > 0) {
    pods_ += most;
    pods_of_job_[job.id] += most;
  }
  const auto others = static_cast<std::int32_t>(tasks.size()) - most;
  if (others > 0) others_of_job_[job.id] = others;
  note_surplus(tasks, most, leaves_whole);
}

// How many of these may leave together.
std::int32_t Candidates::most_of_surplus(const Job& job, std::span<const TaskId> tasks) const {
  std::int32_t most = 0;
  std::vector<std::int32_t> of_role(job.roles_bind() ? job.roles.size() : 0, 0);
  for (const TaskId id : tasks) {
    const std::uint16_t role = session_.cluster().task(id).role;
    if (role < of_role.size() && of_role[role]++ >= spare_of(job.roles[role])) continue;
    ++most;
  }
  return std::min(most, surplus_count(job));
}

// The most that a node gains: of each resource the largest, no more than may leave.
void Candidates::note_surplus(std::span<const TaskId> tasks, std::int32_t most, bool leaves_whole) {
  const Cluster& cluster = session_.cluster();
  if (most == 0) return;
  const auto add = [&](NodeId node, Dimension d, std::int64_t amount) {
    std::int64_t& by_surplus = freed_by_surplus_.at(node, d);
    by_surplus = saturated_sum(by_surplus, amount);
    if (leaves_whole) return;
    std::int64_t& by_all = freed_by_all_.at(node, d);
    by_all = saturated_sum(by_all, amount);
  };
  Limited limited{most, {}};
  std::vector<TaskId> by_node(tasks.begin(), tasks.end());
  std::stable_sort(by_node.begin(), by_node.end(), [&](TaskId left, TaskId right) {
    return cluster.task(left).node < cluster.task(right).node;
  });
  for (std::size_t from = 0, to = 0; from < by_node.size(); from = to) {
    const NodeId node = cluster.task(by_node[from]).node;
    std::map<Dimension, std::vector<std::int64_t>> amounts;
    for (; to < by_node.size() && cluster.task(by_node[to]).node == node; ++to) {
      for (const auto& [d, amount] : cluster.shape_of(by_node[to]).requested) {
        amounts[d].push_back(amount);
        limited.largest.set(d, std::max(limited.largest[d], amount));
      }
    }
    for (auto& [d, each] : amounts) {
      std::sort(each.rbegin(), each.rend());
      each.resize(std::min(each.size(), static_cast<std::size_t>(most)));
      for (const std::int64_t amount : each) add(node, d, amount);
    }
  }
  limited_.push_back(std::move(limited));
}

std::int64_t Candidates::most_by_surplus(const Requested& requested) const {
  std::int64_t members = 0;
  for (const Limited& each : limited_) {
    std::int64_t by_one = 0;
    for (const auto& [d, amount] : requested) {
      by_one = std::max(by_one, each.largest[d] / amount + (each.largest[d] % amount > 0 ? 1 : 0));
    }
    members = saturated_sum(members, saturated_product(by_one, each.pods));
  }
  return members;
}

// VICTIM-2. All together, or none.
bool Candidates::count_whole(Part& part, bool has_surplus) {
  const Cluster& cluster = session_.cluster();
  const Job& job = cluster.job(part.part.job);
  part.begin = part.end = tasks_.size();
  Verdict verdict = pass();
  for (const TaskId id : job.tasks) {
    const Task& task = cluster.task(id);
    if (!is_allocated(task.status)) continue;
    tasks_.push_back(id);
    if (verdict) verdict = session_.may_evict(task);
  }
  const std::span<const TaskId> leaving(tasks_.data() + part.begin, tasks_.size() - part.begin);
  if (leaving.empty()) return false;
  const auto count = static_cast<std::int32_t>(leaving.size());
  if (verdict) verdict = session_.ask(points::evictable, Leaving{job.id, leaving});
  if (!verdict) {
    const std::int32_t own = count - (has_surplus ? surplus_count(job) : 0);
    if (own > 0) add_spared(spared_, verdict.reason, own);
    tasks_.resize(part.begin);
    return false;
  }
  part.end = tasks_.size();
  pods_ += count;
  pods_of_job_[job.id] += count;
  for (const TaskId id : leaving) {
    for (const auto& [d, amount] : cluster.shape_of(id).requested) {
      std::int64_t& freed = freed_by_all_.at(cluster.task(id).node, d);
      freed = saturated_sum(freed, amount);
    }
  }
  return true;
}

// VICTIM-13
std::int64_t Candidates::work_of(TaskId id) const {
  const Cluster& cluster = session_.cluster();
  const TimePoint since = cluster.task(id).scheduled_at;
  if (since == TimePoint::min() || since >= session_.now()) return 0;
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(session_.now() - since).count();
  std::int64_t most = 0;
  for (const auto& [d, amount] : cluster.shape_of(id).requested) {
    if (d != kPods) most = std::max(most, part_of_cluster(cluster, d, amount));
  }
  return saturated_product(most, seconds);
}

void Candidates::note_room() {
  const Cluster& cluster = session_.cluster();
  for (std::size_t i = 0; i < cluster.dimensions().size(); ++i) {
    const Dimension d(i);
    if (cluster.total_allocatable()[d] == 0) continue;  // no node has room
    std::int64_t most_by_surplus = 0;
    std::int64_t most_by_all = 0;
    for (std::size_t n = 0; n < cluster.node_count(); ++n) {
      const NodeId node(n);
      const std::int64_t idle = cluster.future_idle(node, d);
      const std::int64_t by_surplus = saturated_sum(idle, freed_by_surplus_.at(node, d));
      const std::int64_t by_all = saturated_sum(idle, freed_by_all_.at(node, d));
      room_by_surplus_.at(node, d) = by_surplus;
      room_by_all_.at(node, d) = by_all;
      most_by_surplus = std::max(most_by_surplus, by_surplus);
      most_by_all = std::max(most_by_all, by_all);
    }
    most_room_by_surplus_.set(d, most_by_surplus);
    most_room_by_all_.set(d, most_by_all);
  }
}

// VICTIM-3. The last queue first: of the lowest priority, then the furthest beyond its share. Of
// its jobs, those of the lowest priority, then the last first.
void Candidates::sort_parts() {
  const Cluster& cluster = session_.cluster();
  std::sort(parts_.begin(), parts_.end(), [&](const Part& left, const Part& right) {
    if (left.part.kind != right.part.kind) return left.part.kind == JobPart::Kind::surplus;
    const Job& l = cluster.job(left.part.job);
    const Job& r = cluster.job(right.part.job);
    if (l.queue != r.queue) {
      return session_.comes_before(cluster.queue(r.queue), cluster.queue(l.queue));
    }
    if (l.priority != r.priority) return l.priority < r.priority;
    return session_.comes_before(r, l);
  });
}

// By task: 0 for the last in the order of tasks. Empty if all of surplus are equal in it.
std::vector<std::uint32_t> Candidates::ranks_of_tasks() const {
  const Cluster& cluster = session_.cluster();
  std::vector<TaskId> tasks;
  for (const Part& each : parts_) {
    if (each.part.kind != JobPart::Kind::surplus) continue;
    tasks.insert(tasks.end(), tasks_.begin() + static_cast<std::ptrdiff_t>(each.begin),
                 tasks_.begin() + static_cast<std::ptrdiff_t>(each.end));
  }
  const auto order = [&](TaskId left, TaskId right) {
    return session_.ask(points::task_order, cluster.task(left), cluster.task(right));
  };
  const auto differ = [&](TaskId left, TaskId right) { return order(left, right) != Order::equal; };
  if (std::adjacent_find(tasks.begin(), tasks.end(), differ) == tasks.end()) return {};
  std::stable_sort(tasks.begin(), tasks.end(),
                   [&](TaskId left, TaskId right) { return order(right, left) == Order::less; });
  std::vector<std::uint32_t> ranks(cluster.task_slots(), 0);
  for (std::size_t i = 1; i < tasks.size(); ++i) {
    ranks[tasks[i].index()] =
        ranks[tasks[i - 1].index()] + (differ(tasks[i - 1], tasks[i]) ? 1 : 0);
  }
  return ranks;
}

// VICTIM-3, VICTIM-13
void Candidates::put_in_order() {
  if (std::exchange(are_in_order_, true)) return;
  const Cluster& cluster = session_.cluster();
  sort_parts();
  const std::vector<std::uint32_t> ranks = ranks_of_tasks();
  const auto rank_of = [&](const Lot& lot) {
    return lot.is_whole || ranks.empty() ? 0 : ranks[lot.tasks.front().index()];
  };
  std::map<JobId, std::int32_t> surplus;  // that may leave by itself
  std::uint32_t grade = 0;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const Part& each = parts_[p];
    const Job& job = cluster.job(each.part.job);
    const bool is_whole = each.part.kind == JobPart::Kind::whole;
    if (p > 0) {
      const Job& last = cluster.job(parts_[p - 1].part.job);
      const bool is_alike = parts_[p - 1].part.kind == each.part.kind && last.queue == job.queue &&
                            last.priority == job.priority;
      grade += is_alike ? 0 : 1;
    }
    const std::size_t step = is_whole ? std::max<std::size_t>(1, each.end - each.begin) : 1;
    if (!is_whole && each.begin < each.end) {
      surplus[job.id] = most_of_surplus(
          job, std::span<const TaskId>(tasks_.data() + each.begin, each.end - each.begin));
    }
    for (std::size_t t = each.begin; t < each.end; t += step) {
      Lot lot{job.id, is_whole ? as_whole_ : as_surplus_, is_whole, {tasks_.data() + t, step}};
      lot.pods = static_cast<std::int32_t>(step) - (is_whole ? value_or(surplus, job.id) : 0);
      lot.grade = grade;
      for (const TaskId id : lot.tasks) lot.work = saturated_sum(lot.work, work_of(id));
      lots_.push_back(lot);
    }
  }
  std::stable_sort(lots_.begin(), lots_.end(), [&](const Lot& left, const Lot& right) {
    return std::tuple(left.grade, rank_of(left), left.work) <
           std::tuple(right.grade, rank_of(right), right.work);
  });
  divide_by_node();
}

void Candidates::divide_by_node() {
  const Cluster& cluster = session_.cluster();
  const auto for_each = [&](const auto& function) {
    for (std::size_t lot = 0; lot < lots_.size(); ++lot) {
      for (const TaskId id : lots_[lot].tasks) {
        function(static_cast<std::uint32_t>(lot), id, cluster.task(id).node.index());
      }
    }
  };
  std::vector<std::size_t> next(cluster.node_count() + 1, 0);
  for_each([&](std::uint32_t, TaskId, std::size_t node) { ++next[node + 1]; });
  for (std::size_t n = 0; n < cluster.node_count(); ++n) next[n + 1] += next[n];
  by_node_.resize(next.back());
  std::vector<std::uint32_t> lot_of(by_node_.size());
  std::vector<std::size_t> begin = next;
  for_each([&](std::uint32_t lot, TaskId id, std::size_t node) {
    lot_of[next[node]] = lot;
    by_node_[next[node]++] = id;
  });
  first_share_.reserve(begin.size());
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    first_share_.push_back(shares_.size());
    for (std::size_t from = begin[n], to = from; from < begin[n + 1]; from = to) {
      while (to < begin[n + 1] && lot_of[to] == lot_of[from]) ++to;
      shares_.push_back({lot_of[from], {by_node_.data() + from, to - from}});
    }
  }
  first_share_.push_back(shares_.size());
}

}  // namespace berth::actions
