#include "actions/eviction/candidates.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "actions/eviction/parties.h"
#include "berth/engine/surplus.h"

namespace berth::actions {

using namespace engine;

namespace {

// In Candidates::is_surplus_: surplus that may not leave.
constexpr std::uint8_t kKept = 2;

}  // namespace

bool runs(const Task& task) {
  return task.status == TaskStatus::bound || task.status == TaskStatus::running;
}

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
  if (!parties.parts.empty()) {
    is_surplus_.resize(session.cluster().task_slots(), 0);
    for (auto* table : {&freed_by_surplus_, &freed_by_all_, &room_by_surplus_, &room_by_all_}) {
      table->reset(session.cluster().node_count(), session.cluster().dimensions().size());
    }
  }
  for (const JobPart& part : parties.parts) parts_.push_back({part});
  for (Part& each : parts_) {
    if (each.part.kind == JobPart::Kind::surplus) count_surplus(each);
  }
  for (Part& each : parts_) {
    if (each.part.kind == JobPart::Kind::whole) count_whole(each);
  }
  if (!parts_.empty()) note_room();
  std::sort(spared_.begin(), spared_.end(), [](const Spared& left, const Spared& right) {
    return std::tie(right.pods, left.reason) < std::tie(left.pods, right.reason);
  });
}

// VICTIM-2. Each task by itself.
void Candidates::count_surplus(Part& part) {
  part.begin = tasks_.size();
  for (const TaskId id : surplus_of(session_, session_.cluster().job(part.part.job))) {
    Verdict verdict = session_.may_evict(session_.cluster().task(id));
    if (verdict) {
      verdict = session_.ask(points::evictable, Leaving{part.part.job, std::span(&id, 1)});
    }
    if (!verdict) {
      add_spared(spared_, verdict.reason, 1);
      is_surplus_[id.index()] = kKept;
      continue;
    }
    tasks_.push_back(id);
    is_surplus_[id.index()] = 1;
    count(id, true);
  }
  part.end = tasks_.size();
}

// VICTIM-2. All together, or none.
void Candidates::count_whole(Part& part) {
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
  if (leaving.empty()) return;
  if (verdict) verdict = session_.ask(points::evictable, Leaving{job.id, leaving});
  if (!verdict) {
    const auto own = std::count_if(leaving.begin(), leaving.end(),
                                   [&](TaskId id) { return is_surplus_[id.index()] == 0; });
    if (own > 0) add_spared(spared_, verdict.reason, static_cast<std::int32_t>(own));
    tasks_.resize(part.begin);
    return;
  }
  part.end = tasks_.size();
  for (const TaskId id : leaving) {
    if (is_surplus_[id.index()] == 0) count(id, false);
  }
}

void Candidates::count(TaskId id, bool is_surplus) {
  ++pods_;
  const Task& task = session_.cluster().task(id);
  ++pods_of_job_[task.job];
  const Resources& request = session_.cluster().shape(task.shape).request;
  for (std::size_t i = 0; i < request.extent(); ++i) {
    const Dimension d(i);
    if (request[d] == 0) continue;
    const auto add_to = [&](AmountTable& freed) {
      freed.at(task.node, d) = saturated_sum(freed.at(task.node, d), request[d]);
    };
    add_to(freed_by_all_);
    if (is_surplus) add_to(freed_by_surplus_);
  }
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
// its jobs, the last first.
void Candidates::put_in_order() {
  if (std::exchange(are_in_order_, true)) return;
  const Cluster& cluster = session_.cluster();
  std::sort(parts_.begin(), parts_.end(), [&](const Part& left, const Part& right) {
    if (left.part.kind != right.part.kind) return left.part.kind == JobPart::Kind::surplus;
    const Job& l = cluster.job(left.part.job);
    const Job& r = cluster.job(right.part.job);
    if (l.queue != r.queue) {
      return session_.comes_before(cluster.queue(r.queue), cluster.queue(l.queue));
    }
    return session_.comes_before(r, l);
  });
  for (const Part& each : parts_) {
    const bool is_whole = each.part.kind == JobPart::Kind::whole;
    const std::size_t step = is_whole ? std::max<std::size_t>(1, each.end - each.begin) : 1;
    for (std::size_t t = each.begin; t < each.end; t += step) {
      const std::span<const TaskId> tasks(tasks_.data() + t, step);
      const auto own = std::count_if(tasks.begin(), tasks.end(), [&](TaskId id) {
        return !is_whole || is_surplus_[id.index()] == 0;
      });
      lots_.push_back({each.part.job, is_whole ? as_whole_ : as_surplus_, is_whole, tasks,
                       static_cast<std::int32_t>(own)});
    }
  }
  divide_by_node();
}

void Candidates::divide_by_node() {
  const Cluster& cluster = session_.cluster();
  const auto for_each = [&](const auto& function) {
    for (std::size_t lot = 0; lot < lots_.size(); ++lot) {
      for (const TaskId id : lots_[lot].tasks) {
        if (lots_[lot].is_whole && is_surplus_[id.index()] != 0) continue;
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
