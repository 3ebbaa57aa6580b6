#include <utility>

#include "daemon/session_loop.h"
#include "steering/veto_reason.h"

// Placements that are given up, and why; those that kube-scheduler had exchanged.

namespace berth::daemon {

// STEER-16. Where the plan has changed meanwhile, it stays, and kube-scheduler's bind is refused.
void SessionLoop::take_exchanges() {
  if (!parts_.take_exchanges) return;
  const auto is_planned = [this](const std::string& uid, const std::string& node) {
    const TaskId id = mirror_.find_task(uid);
    if (!id.is_valid()) return false;
    const Task& task = mirror_.cluster().task(id);
    return task.status == TaskStatus::binding && mirror_.cluster().node(task.node).name == node;
  };
  for (const ports::Exchange& each : parts_.take_exchanges()) {
    ++exchanges_;
    if (!is_planned(each.pod_uid, each.node)) continue;
    if (!is_planned(each.other_uid, each.other_node)) continue;
    mirror_.apply(PlacementMoved{each.pod_uid, each.node, each.other_node});
    mirror_.apply(PlacementMoved{each.other_uid, each.other_node, each.node});
    steering_.exchange(each.pod_uid, each.other_uid);
  }
}

// STEER-12, HINT-2, HINT-5, HINT-7. A refusal of all nodes says nothing of the planned one.
void SessionLoop::note_refusal(const PlacementDropped& dropped, TimePoint now) {
  const TaskId id = mirror_.find_task(dropped.pod_uid);
  if (!id.is_valid() || !(dropped.is_vetoed || dropped.is_late)) return;
  const Cluster& cluster = mirror_.cluster();
  const Task& task = cluster.task(id);
  const bool is_hint = cluster.shape(task.shape).is_hint;
  const bool is_everywhere =
      dropped.is_vetoed && is_hint && steering::is_refused_everywhere(dropped.reason);
  if (dropped.is_vetoed && !is_everywhere) {
    mirror_.veto(dropped.pod_uid, dropped.node, steering::veto_reason(dropped.reason), now,
                 settings_.veto_memory);
  }
  const bool is_planned =
      task.status == TaskStatus::binding && cluster.node(task.node).name == dropped.node;
  if (!is_planned) return;
  std::string why = dropped.reason;
  bool is_refused = dropped.is_vetoed;
  if (!is_refused) {  // it is late; kube-scheduler may have refused another member
    for (const TaskId member : cluster.job(task.job).tasks) {
      const std::string* complaint = steering_.complaint_of(cluster.task(member).uid);
      if (complaint != nullptr) why = *complaint;
      is_refused = is_refused || complaint != nullptr;
    }
  }
  if (is_refused) {
    why = steering::refusal_text(why, is_hint);
    mirror_.note_refused_plan(dropped.pod_uid, dropped.node, now, settings_.retry_limit);
  }
  attempts_.take({dropped.pod_uid, dropped.node, std::move(why), dropped.is_late, is_everywhere},
                 cluster, id);
}

// HINT-3. Their jobs wait from now on, so others have the room in the next session.
void SessionLoop::fail(const std::vector<FailedAttempt>& failed, TimePoint now) {
  for (const FailedAttempt& each : failed) {
    mirror_.fail_attempt(each.job, each.why, each.nodes, now, settings_.retry_limit);
    const Job& job = mirror_.cluster().job(each.job);
    const auto drops = without_those_being_bound(each.drops);
    parts_.metrics.attempt_failed();
    parts_.log("job " + job.name + " gives back " + std::to_string(drops.size()) +
               " places, and waits: kube-scheduler refused its last plan: " + each.why);
    drop(drops);
  }
  if (!failed.empty()) publish_plan();  // nobody may be bound by the old one
}

bool SessionLoop::is_being_bound(const std::string& pod_uid) const {
  return parts_.stage_of(pod_uid) == ports::Attempts::Stage::binding;
}

// STEER-15. It may be of an earlier call of kube-scheduler.
bool SessionLoop::concerns_one_being_bound(const ClusterEvent& event) const {
  const auto* const moved = std::get_if<PlacementMoved>(&event);
  if (moved != nullptr) return is_being_bound(moved->pod_uid);
  const auto* const dropped = std::get_if<PlacementDropped>(&event);
  return dropped != nullptr && !dropped->is_last_resort && is_being_bound(dropped->pod_uid);
}

// STEER-15, HINT-3. Others would get the room before the watch shows that it is taken.
std::vector<PlacementDropped> SessionLoop::without_those_being_bound(
    std::vector<PlacementDropped> drops) const {
  std::erase_if(drops,
                [this](const PlacementDropped& each) { return is_being_bound(each.pod_uid); });
  return drops;
}

// HINT-3. A dead watch looks like one without news (API-41).
bool SessionLoop::are_bindings_shown(TimePoint now) {
  constexpr Duration kProvedWithin = std::chrono::seconds(5);
  constexpr Duration kDoubtAgain = std::chrono::seconds(10);
  if (now >= doubt_bindings_at_) {
    doubt_bindings_at_ = now + kDoubtAgain;
    parts_.source.doubt_silence(kProvedWithin);
  }
  const std::vector<std::string> behind = parts_.source.behind(kProvedWithin).required;
  return std::find(behind.begin(), behind.end(), "pods") == behind.end();
}

void SessionLoop::drop_stale(const Plan& plan, TimePoint now) {
  // First: members that are dropped now may find another place.
  for (const TaskId task : broken_gangs_.due(mirror_.cluster(), now)) {
    note_eviction(task);
    reconciler_.evict(mirror_.cluster().task(task), "because its gang could not be completed", now);
    mirror_.assume_eviction(task, now);
  }
  const std::vector<PlacementDropped> lost =
      lost_places(mirror_.cluster(), [this](const Task& task) { return is_being_bound(task.uid); });
  drop(lost);
  if (!lost.empty()) {  // they are planned anew, and refused calls are tried again
    is_session_due_ = true;
    parts_.events.wake();
  }
  std::vector<PlacementDropped> unclaimed = unclaimed_plans_.due(
      mirror_.cluster(), now, [this](const Job& job) { return steering_.progressed_at(job); },
      [this](const Task& task) { return is_being_bound(task.uid); },
      [this, now] { return are_bindings_shown(now); });
  // kube-scheduler may have found no node for the pod, by its last condition.
  for (PlacementDropped& each : unclaimed) {
    each.is_late = each.is_last_resort = true;
    const std::string* complaint = steering_.complaint_of(each.pod_uid);
    each.is_vetoed = complaint != nullptr;
    if (each.is_vetoed) each.reason = "kube-scheduler: " + *complaint;
  }
  drop(unclaimed);
  if (scheduler_.has_plugin("gang")) {
    drop(without_those_being_bound(stale_plans_.due(plan, mirror_.cluster(), now)));
  }
  const std::vector<FailedAttempt> failed =
      attempts_.failed_after_session(mirror_.cluster(), scheduler_.has_plugin("gang"));
  fail(failed, now);
  if (!failed.empty()) {  // others may have their room, and their reasons are published
    is_session_due_ = true;
    parts_.events.wake();
  }
}

// Placements that cannot be carried out any more are planned anew.
void SessionLoop::give_up(std::vector<PlacementDropped> drops) {
  drops = without_those_being_bound(std::move(drops));
  if (drops.empty()) return;
  drop(drops);
  publish_plan();
  is_session_due_ = true;
  parts_.events.wake();
}

void SessionLoop::drop(const std::vector<PlacementDropped>& drops) {
  for (const PlacementDropped& dropped : drops) {
    parts_.log("pod " + dropped.pod_uid + " loses its place on " + dropped.node + ": " +
               dropped.reason);
    take_in(dropped);
  }
}

}  // namespace berth::daemon
