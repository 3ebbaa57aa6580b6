#include "reconcile/reservation_marks.h"

#include <algorithm>
#include <tuple>

#include "berth/model/claim.h"

namespace berth::reconcile {

namespace {

using ports::ObjectKind;
using ports::ObjectRef;

// Most jobs do not wait so long, so nothing needs to be written on them.
constexpr Duration kYoung = std::chrono::seconds(10);

bool has_started(const Job& job) { return job.bound_count() >= job.min_available; }

bool waits(const Job& job) { return !has_started(job) && job.phase != GroupPhase::completed; }

// CLAIM-8. Its leader may end before it has started: others are not to have left for nobody.
bool is_planned_on(const Cluster& cluster, const Job& job, const WrittenClaims& claims) {
  if (!claims.others_left || has_started(job) || job.count(TaskStatus::binding) == 0) return false;
  return std::all_of(job.tasks.begin(), job.tasks.end(), [&](TaskId id) {
    const Task& task = cluster.task(id);
    if (task.status != TaskStatus::binding) return true;
    return std::any_of(claims.nodes.begin(), claims.nodes.end(),
                       [&](const auto& each) { return each.node == cluster.node(task.node).name; });
  });
}

}  // namespace

ObjectRef ref_of(const Job& job) {
  ObjectRef ref;
  ref.kind = job.is_single ? ObjectKind::pod : ports::kind_of(job.api);
  std::tie(ref.name_space, ref.name) = split_name(job.name);
  ref.uid = job.uid;
  return ref;
}

ObjectRef ref_of(const OwnerReference& owner, const std::string& name_space) {
  return {ObjectKind::owner, name_space, owner.name, owner.uid, owner.api_version, owner.kind};
}

ObjectRef ref_of(const Node& node) { return {ObjectKind::node, {}, node.name, node.uid}; }

ObjectRef ref_of(const Task& task) {
  auto [name_space, name] = split_name(task.name);
  return {ObjectKind::pod, std::move(name_space), std::move(name), task.uid};
}

ports::NodeLock desired_lock(const Cluster& cluster, const Node& node, bool has_taint) {
  ports::NodeLock lock;
  if (node.lock.job.is_valid()) {
    lock = {lock_text(cluster.job(node.lock.job).uid), node.lock.since, has_taint};
  }
  if (node.queue_lock.queue.is_valid()) {
    const Queue& queue = cluster.queue(node.queue_lock.queue);
    lock.queue = queue_lock_value(queue.name, queue.uid);
    lock.queue_since = node.queue_lock.since;
    lock.has_queue_taint = has_taint;
  }
  return lock;
}

DesiredMarks desired_marks(const Cluster& cluster, const Job& job, const TargetMarks& before,
                           bool keeps_waiting, TimePoint now) {
  DesiredMarks desired{marks_of(cluster, job), std::nullopt};
  TargetMarks& marks = desired.marks;
  keep_users_word(marks, before);
  marks.first_seen = before.first_seen;
  if (has_started(job)) marks.given_up_at.reset();
  if (marks.claims.empty() && is_planned_on(cluster, job, parse_claims(before.claims))) {
    marks.claims = before.claims;
  }
  // Most claims are short: those are not worth a write, unless pods were evicted for them.
  const WrittenClaims claims = parse_claims(marks.claims);
  const TimePoint claimed_at = claims.since;
  const bool is_young = !claims.others_left && now - claimed_at < kYoung;
  if (!marks.claims.empty() && before.claims.empty() && is_young) {
    marks.claims.clear();
    desired.due = claimed_at + kYoung;
  }
  // A time in the future is of a clock that was ahead. It would be lost with each restart.
  const bool is_written = before.first_seen && *before.first_seen <= now;
  if (!keeps_waiting || is_written || !waits(job) || job.first_seen == TimePoint()) return desired;
  if (now - job.first_seen < kYoung) {
    const TimePoint due = job.first_seen + kYoung;
    desired.due = desired.due ? std::min(*desired.due, due) : due;
  } else {
    marks.first_seen = job.first_seen;
  }
  return desired;
}

}  // namespace berth::reconcile
