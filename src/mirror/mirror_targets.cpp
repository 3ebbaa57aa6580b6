#include <algorithm>
#include <utility>

#include "berth/base/look_up.h"
#include "mirror/mirror.h"

// Targets and locks. They are read from annotations and labels at the start and while another
// berthd leads. Otherwise the session decides them (docs/design/reservation.md).

namespace berth::mirror {

void Mirror::read_lock(const NodeObject& object, bool is_first) {
  const auto held = locks_.find(object.name);
  const bool was_foreign = held != locks_.end() && !is_for_job(held->second.locked_for);
  const bool is_foreign = !object.locked_for.empty() && !is_for_job(object.locked_for);
  // Locks for jobs are ours to change. Other locks belong to their owner.
  if (!is_first && !follows_api_phases_ && !was_foreign && !is_foreign) return;
  if (object.locked_for.empty()) {
    if (held == locks_.end()) return;
    locks_.erase(held);
  } else {
    HeldLock fresh{object.locked_for, object.locked_since.value_or(TimePoint())};
    if (held != locks_.end() && held->second == fresh) return;
    locks_[object.name] = std::move(fresh);
  }
  locks_changed_ = true;
}

void Mirror::read_marks(JobId id, const TargetMarks& marks, bool is_first) {
  const Job& job = cluster_.job(id);
  if (!job.is_ours()) return;
  if (marks.first_seen && (job.first_seen == TimePoint() || *marks.first_seen < job.first_seen)) {
    cluster_.mutable_job(id).first_seen = *marks.first_seen;
  }
  // MAY-8. While this berthd leads, it writes what is there, and nobody else.
  const bool is_believed = is_first && !rights_.are_checked();
  if (!is_believed && !follows_api_phases_) return;
  cluster_.mutable_job(id).given_up_at = marks.given_up_at;
  std::optional<Election> election;
  if (marks.elected_at) election = Election{*marks.elected_at, marks.why, !marks.is_elected};
  if (job.election == election) return;
  cluster_.set_election(id, std::move(election));
  locks_changed_ = true;
}

// TARGET-4: the clock of the berthd that wrote a time may have been ahead of ours. A time in our
// future becomes now, so that nothing waits for it.
void Mirror::bound_marks(JobId id, TimePoint now) {
  const Job& job = cluster_.job(id);
  if (job.first_seen > now) cluster_.mutable_job(id).first_seen = now;
  if (job.given_up_at > now) cluster_.mutable_job(id).given_up_at = now;
  // Those of one session are nanoseconds apart, and keep their order.
  constexpr Duration kOneSession = std::chrono::microseconds(1);
  if (job.election && job.election->since > now + kOneSession) {
    Election election = *job.election;
    election.since = now;
    cluster_.set_election(id, std::move(election));
  }
}

void Mirror::bound_locks(TimePoint now) {
  for (auto* locks : {&locks_, &queue_locks_}) {
    for (auto& [node, held] : *locks) held.since = std::min(held.since, now);
  }
}

void Mirror::note_single(JobId id, const TargetMarks& marks, bool is_first) {
  read_marks(id, marks, is_first);
  const bool says_something = marks.elected_at || marks.given_up_at || !marks.claims.empty();
  put_or_erase(single_marks_, id, marks, says_something);
}

void Mirror::follow_api_phases(bool follows) {
  if (std::exchange(follows_api_phases_, follows) == follows || !follows) return;
  read_all_again();
}

// Drops assumptions that were not written or not accepted.
void Mirror::read_all_again() {
  for (const auto& [name, object] : nodes_) {
    read_lock(object, false);
    read_queue_lock(object, false);
  }
  for (std::size_t j = 0; j < cluster_.job_slots(); ++j) {
    const JobId id(j);
    const Job& job = cluster_.job(id);
    if (!job.exists) continue;
    if (const auto single = single_marks_.find(id); single != single_marks_.end()) {
      read_marks(id, single->second, false);
    } else if (const auto group = groups_.find(job.name);
               !job.is_single && group != groups_.end()) {
      read_marks(id, group->second.object.marks, false);
    } else {
      read_marks(id, {}, false);
    }
    mark_dirty(id);
  }
}

// A later job of the same name is another job.
void Mirror::forget_waiting(JobId id) {
  Job& job = cluster_.mutable_job(id);
  job.first_seen = job.whole_since = TimePoint();
  job.given_up_at.reset();
  job.claims_ended_at.reset();
}

Lock Mirror::resolved_lock(const std::string& node) const {
  const auto held = locks_.find(node);
  if (held == locks_.end()) return {};
  const auto& [locked_for, since] = held->second;
  if (!is_for_job(locked_for)) return {JobId(), true, since};
  const std::string_view uid = std::string_view(locked_for).substr(kLockedForJob.size());
  for (const JobId target : cluster_.targets()) {
    if (cluster_.job(target).uid == uid) return {target, false, since};
  }
  return {};  // the job is gone
}

void Mirror::settle_locks() {
  if (!std::exchange(locks_changed_, false)) return;
  job_locks_ =
      static_cast<std::size_t>(std::count_if(locks_.begin(), locks_.end(), [](const auto& each) {
        return is_for_job(each.second.locked_for);
      }));
  for (std::size_t n = 0; n < cluster_.node_count(); ++n) {
    const Lock lock = resolved_lock(cluster_.node(NodeId(n)).name);
    if (cluster_.node(NodeId(n)).lock != lock) cluster_.set_lock(NodeId(n), lock);
    const QueueLock of_queue = resolved_queue_lock(cluster_.node(NodeId(n)).name);
    if (cluster_.node(NodeId(n)).queue_lock != of_queue) {
      cluster_.set_queue_lock(NodeId(n), of_queue);
    }
  }
}

// Targets and locks are as the plan says, and no lock is held for a job that is gone.
bool Mirror::has_assumed(const Plan& plan) const {
  if (!plan.ended.empty() || locks_changed_) return false;
  std::size_t locked = 0;
  for (const Reservation& each : plan.reservations) {
    if (cluster_.job(each.job).election != each.election) return false;
    if (cluster_.locks().nodes_of(each.job) != each.nodes) return false;
    locked += each.nodes.size();
  }
  return locked == cluster_.locks().for_targets() && locked == job_locks_;
}

void Mirror::assume_reservations(const Plan& plan, TimePoint now) {
  assume_queue_nodes(plan, now);
  if (has_assumed(plan)) return;
  std::map<std::string, HeldLock> locks;
  for (const auto& [node, held] : locks_) {
    if (!is_for_job(held.locked_for)) locks.emplace(node, held);
  }
  for (const EndedReservation& each : plan.ended) {
    cluster_.set_election(each.job, std::nullopt);
    if (each.how == EndedReservation::How::given_up) {
      cluster_.mutable_job(each.job).given_up_at = now;
    }
    mark_dirty(each.job);
  }
  for (const Reservation& each : plan.reservations) {
    const Job& job = cluster_.job(each.job);
    if (job.election != each.election) {
      cluster_.set_election(each.job, each.election);
      cluster_.mutable_job(each.job).given_up_at.reset();
      mark_dirty(each.job);
    }
    for (const NodeId id : each.nodes) {
      const Node& node = cluster_.node(id);
      const bool is_old = node.lock.job == each.job;
      locks[node.name] = {lock_text(job.uid), is_old ? node.lock.since : now};
    }
  }
  if (locks == locks_) return;
  locks_ = std::move(locks);
  locks_changed_ = true;
  settle_locks();
}

// If a scheduler saw the job before our start, its first_seen is the only time we know.
void Mirror::note_wholeness(JobId id, TimePoint now) {
  const Job& job = cluster_.job(id);
  const bool was_seen = job.first_seen != TimePoint();
  const bool is_whole = job.placed_count() + job.unplaced_count() >= job.min_available;
  const bool is_first = job.whole_since == TimePoint();
  if (was_seen && !is_first && is_whole == job.is_whole) return;
  Job& changed = cluster_.mutable_job(id);
  if (!was_seen) changed.first_seen = now;
  changed.is_whole = is_whole;
  changed.whole_since = is_first && was_seen ? job.first_seen : now;
}

void Mirror::on(const OwnerObject& object) {
  for (const JobId job : target_names_.note_owner(object)) mark_dirty(job);
  mark_jobs_of(topology_wishes_.note_owner(object));
  for (const TaskId task : job_deadlines_.note_owner(object)) note_deadline(task);
  if (options_.naming_check != NamingCheck::automatic) return;
  for (const JobId job : controller_ages_.note(object)) mark_dirty(job);
}

void Mirror::on(const OwnerDeleted& deleted) {
  for (const JobId job : target_names_.note_owner({.uid = deleted.uid})) mark_dirty(job);
  mark_jobs_of(topology_wishes_.forget_owner(deleted.uid));
  for (const TaskId task : job_deadlines_.forget_owner(deleted.uid)) note_deadline(task);
  for (const JobId job : controller_ages_.forget(deleted.uid)) mark_dirty(job);
}

}  // namespace berth::mirror
