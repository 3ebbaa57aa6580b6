#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "mirror/mirror.h"

// Evictions that are not seen yet, and claims, outlive a session as its placements do.

namespace berth::mirror {

// With its pods that leave. A pod that is in no job is no part of one.
bool Mirror::is_whole(JobId id) const {
  if (!id.is_valid()) return false;
  const Job& job = cluster_.job(id);
  return job.placed_count() + job.count(TaskStatus::releasing) >= job.min_available;
}

// EVICT-1
void Mirror::assume_eviction(TaskId id, TimePoint now, JobId beneficiary) {
  const Task& task = cluster_.task(id);
  if (!is_on_its_node(task.status)) return;
  if (beneficiary.is_valid()) leaving_for_[id] = {beneficiary, cluster_.job(beneficiary).uid};
  evictions_[id] = {now, task.status, is_whole(task.job), false};
  leaving_since_[id] = now;
  cluster_.mutable_task(id).is_evicted = true;
  cluster_.move_task(id, task.node, TaskStatus::releasing);
  if (task.job.is_valid()) mark_dirty(task.job);
}

// EVICT-2. Until it is seen to leave, whatever else is seen of it changes nothing.
TaskStatus Mirror::note_status(TaskId id, TaskStatus seen) {
  const auto eviction = evictions_.find(id);
  if (eviction == evictions_.end()) return seen;
  if (is_on_its_node(seen)) {
    eviction->second.seen = seen;
    return TaskStatus::releasing;
  }
  evictions_.erase(eviction);
  cluster_.mutable_task(id).is_evicted = false;
  return seen;
}

void Mirror::end_eviction(TaskId id) {
  const TaskStatus seen = evictions_.at(id).seen;
  evictions_.erase(id);
  cluster_.mutable_task(id).is_evicted = false;
  const Task& task = cluster_.task(id);
  cluster_.move_task(id, task.node, seen);
  if (task.job.is_valid()) mark_dirty(task.job);
}

// CLAIM-12. One that stays after all has left nothing for the job.
void Mirror::stays_after_all(TaskId id) {
  end_eviction(id);
  const auto found = leaving_for_.find(id);
  if (found == leaving_for_.end()) return;
  const auto& [job, uid] = found->second;
  if (cluster_.job(job).uid == uid && cluster_.job(job).others_left_for_it) {
    cluster_.mutable_job(job).others_left_for_it = false;
  }
  leaving_for_.erase(found);
}

void Mirror::settle_leaving() {
  std::set<JobId> waiting;
  for (auto next = leaving_for_.begin(); next != leaving_for_.end();) {
    const auto entry = next++;
    const Task& task = cluster_.task(entry->first);
    const auto& [job, uid] = entry->second;
    const bool is_there = cluster_.job(job).exists && cluster_.job(job).uid == uid;
    if (task.status == TaskStatus::releasing && is_there) {
      // Pods of other queues have nothing of what the queue of the job may have.
      const bool is_of_queue =
          task.job.is_valid() && cluster_.job(task.job).queue == cluster_.job(job).queue;
      if (is_of_queue) waiting.insert(job);
    } else {
      leaving_for_.erase(entry);
    }
  }
  for (const JobId id : cluster_.claimants()) {
    const bool are_leaving = waiting.contains(id);
    if (cluster_.job(id).others_are_leaving != are_leaving) {
      cluster_.mutable_job(id).others_are_leaving = are_leaving;
    }
  }
}

void Mirror::note_leaving(TimePoint now) {
  for (const TaskId id : std::exchange(just_leaving_, {})) {
    if (cluster_.task(id).status == TaskStatus::releasing) leaving_since_.try_emplace(id, now);
  }
  std::erase_if(leaving_since_, [&](const auto& each) {
    return cluster_.task(each.first).status != TaskStatus::releasing;
  });
}

// CLAIM-13. It takes its room as a pod of another scheduler does.
void Mirror::let_hang(TaskId id) {
  evictions_.erase(id);
  cluster_.mutable_task(id).is_evicted = false;
  cluster_.mutable_task(id).hangs = true;
  const NodeId node = cluster_.task(id).node;
  const JobId job = cluster_.task(id).job;
  cluster_.move_task(id, NodeId(), TaskStatus::pending);
  if (job.is_valid()) cluster_.leave_job(id);
  cluster_.mutable_task(id).role = kNoRole;
  cluster_.move_task(id, node, TaskStatus::running);
  if (!job.is_valid()) return;
  target_names_.forget_pod(job, cluster_.task(id).uid);
  mark_dirty(job);
  drop_job_if_empty(job);
}

// Those that were leaving already when the job was promised their room.
void Mirror::let_hang_on_nodes_of(JobId id) {
  std::map<NodeId, TimePoint> promised;
  for (const Claim& each : cluster_.job(id).claims) {
    const auto [at, is_new] = promised.try_emplace(each.node, each.since);
    if (!is_new) at->second = std::min(at->second, each.since);
  }
  std::vector<TaskId> hanging;
  for (const auto& [task, since] : leaving_since_) {
    if (cluster_.task(task).status != TaskStatus::releasing) continue;
    const auto found = promised.find(cluster_.task(task).node);
    if (found != promised.end() && since <= found->second) hanging.push_back(task);
  }
  for (const TaskId each : hanging) let_hang(each);
}

// EVICT-3
void Mirror::on(const EvictionRefused& refused) {
  const TaskId id = find_task(refused.pod_uid);
  if (!id.is_valid() || !evictions_.contains(id)) return;
  take_back_eviction(id);
  refusals_[id].was_whole = evictions_.at(id).was_whole;
  stays_after_all(id);
  refusals_[id].words = refused.reason;
  refusals_[id].is_new = true;
}

// EVICT-4
void Mirror::forget_late_evictions(TimePoint now) {
  std::vector<TaskId> late;
  for (const auto& [id, eviction] : evictions_) {
    if (now - eviction.at >= kEvictionPatience) late.push_back(id);
  }
  for (const TaskId id : late) stays_after_all(id);
}

// CLAIM-1. A claim that is the same as before is as old as it was.
void Mirror::assume_claims(const Plan& plan, TimePoint now) {
  for (const EndedClaims& each : plan.ended_claims) {
    if (each.how != EndedClaims::How::timed_out) continue;
    cluster_.mutable_job(each.job).claims_ended_at = now;
    let_hang_on_nodes_of(each.job);
  }
  std::map<JobId, std::map<TaskId, NodeId>> wanted;
  for (const JobId id : cluster_.claimants()) wanted[id];
  for (const auto& [task, node] : plan.pipelined) wanted[cluster_.task(task).job][task] = node;
  std::set<JobId> evicted_for;
  for (const PlannedEviction& each : plan.evictions) evicted_for.insert(each.beneficiary);
  for (const auto& [id, nodes] : wanted) {
    const Job& job = cluster_.job(id);
    const bool others_left = !nodes.empty() && (job.others_left_for_it || evicted_for.contains(id));
    if (job.others_left_for_it != others_left) {
      cluster_.mutable_job(id).others_left_for_it = others_left;
    }
    std::vector<Claim> claims;
    for (const TaskId task : job.tasks) {
      const auto found = nodes.find(task);
      if (found == nodes.end()) continue;
      const auto same = std::find_if(job.claims.begin(), job.claims.end(), [&](const Claim& each) {
        return each.task == task && each.node == found->second;
      });
      claims.push_back({task, found->second, same == job.claims.end() ? now : same->since});
    }
    if (job.claims_are_restored && claims.empty()) {
      cluster_.mutable_job(id).claims_are_restored = false;
    }
    if (claims == job.claims) continue;
    cluster_.set_claims(id, std::move(claims));
    mark_dirty(id);
  }
}

namespace {

// Of those that are claimed, without what members have that were bound since, as fewer wait than
// were promised a place; at most one for each task. Invalid: its node is gone.
std::vector<NodeId> places_left(const Cluster& cluster, const Job& job,
                                const WrittenClaims& written, std::size_t waiting) {
  std::map<NodeId, std::size_t> bound;
  for (const TaskId id : job.tasks) {
    const Task& task = cluster.task(id);
    if (is_on_its_node(task.status)) ++bound[task.node];
  }
  std::size_t promised = 0;
  for (const WrittenClaims::OnNode& each : written.nodes) {
    promised += std::min(each.count, job.tasks.size());
  }
  std::size_t taken = promised - std::min(promised, waiting);
  std::vector<NodeId> places;
  for (const WrittenClaims::OnNode& each : written.nodes) {
    const NodeId node = cluster.find_node(each.node);
    std::size_t& had = bound[node];
    const std::size_t used = std::min({had, taken, each.count});
    had -= used;
    taken -= used;
    const std::size_t most = job.tasks.size() - std::min(job.tasks.size(), places.size());
    places.insert(places.end(), std::min(each.count - used, most), node);
  }
  return places;
}

}  // namespace

void Mirror::restore_claims(TimePoint now) {
  count_leaving_pods(now);
  std::vector<std::pair<WrittenClaims, JobId>> all;
  for (const auto& [name, group] : groups_) {
    all.emplace_back(parse_claims(group.object.marks.claims), group.job);
  }
  for (const auto& [id, marks] : single_marks_) all.emplace_back(parse_claims(marks.claims), id);
  std::stable_sort(all.begin(), all.end(), [](const auto& left, const auto& right) {
    return left.first.since > right.first.since;
  });
  ClaimedRoom by_younger;
  for (const auto& [written, id] : all) restore_claims_of(id, written, now, by_younger);
}

// CLAIM-8. Which pod waits for which room is not recorded: they take it in their order. A claim for
// whose room there are younger claims has ended, and the write that says so was lost.
void Mirror::restore_claims_of(JobId id, const WrittenClaims& written, TimePoint now,
                               ClaimedRoom& by_younger) {
  const Job& job = cluster_.job(id);
  if (written.nodes.empty() || !job.is_ours()) return;
  std::vector<TaskId> waiting;
  for (const TaskId task_id : job.tasks) {
    const Task& task = cluster_.task(task_id);
    if (task.status == TaskStatus::pending && !task.is_gated) waiting.push_back(task_id);
  }
  const std::vector<NodeId> places = places_left(cluster_, job, written, waiting.size());
  std::vector<Claim> claims;
  for (std::size_t i = 0; i < std::min(waiting.size(), places.size()); ++i) {
    if (!places[i].is_valid()) continue;
    const auto& request = cluster_.shape_of(waiting[i]).requested;
    const bool has_ended = std::any_of(request.begin(), request.end(), [&](const auto& each) {
      const auto claimed = by_younger.find({places[i], each.first});
      return claimed != by_younger.end() &&
             claimed->second + each.second > cluster_.future_idle(places[i], each.first);
    });
    if (has_ended) continue;
    claims.push_back({waiting[i], places[i], std::min(written.since, now)});
  }
  for (const Claim& each : claims) {
    for (const auto& [dimension, amount] : cluster_.shape_of(each.task).requested) {
      by_younger[{each.node, dimension}] += amount;
    }
  }
  cluster_.mutable_job(id).others_left_for_it = written.others_left && !claims.empty();
  cluster_.mutable_job(id).claims_are_restored = !claims.empty();
  cluster_.set_claims(id, std::move(claims));
  mark_dirty(id);
  if (cluster_.job(id).others_left_for_it) believe_pods_that_leave(id);
}

// CLAIM-11, CLAIM-12. Users can write that others were evicted; but pods of the queue that leave
// the claimed nodes are seen, and what they leave is no more than the queue had.
void Mirror::believe_pods_that_leave(JobId id) {
  const Job& job = cluster_.job(id);
  Resources claimed;
  Resources left;
  std::set<NodeId> nodes;
  for (const Claim& each : job.claims) {
    claimed += cluster_.shape_of(each.task).request;
    nodes.insert(each.node);
  }
  for (const NodeId node : nodes) {
    for (const TaskId each : cluster_.node(node).tasks) {
      const Task& task = cluster_.task(each);
      if (task.status != TaskStatus::releasing || !task.job.is_valid()) continue;
      if (cluster_.job(task.job).queue != job.queue || leaving_for_.contains(each)) continue;
      leaving_for_[each] = {id, job.uid};
      left += cluster_.shape_of(each).request;
    }
  }
  if (positive_difference(claimed, left).is_zero()) {
    cluster_.mutable_job(id).claims_are_restored = false;
  }
}

}  // namespace berth::mirror
