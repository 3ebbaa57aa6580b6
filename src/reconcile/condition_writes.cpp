#include "reconcile/condition_writes.h"

#include "reconcile/pod_condition.h"

namespace berth::reconcile {

namespace {

constexpr Duration kSecond = std::chrono::seconds(1);
constexpr std::int32_t kWritesASecond = 100;

}  // namespace

void ConditionWrites::observe(const ClusterEvent& event) {
  const std::string* uid = nullptr;
  if (const auto* pod = std::get_if<PodObject>(&event)) uid = &pod->uid;
  if (const auto* gone = std::get_if<PodDeleted>(&event)) uid = &gone->uid;
  if (uid != nullptr && observed_.pod(*uid) == nullptr) written_.erase(*uid);
}

void ConditionWrites::take(const Ended& ended) {
  const auto written = written_.find(ended.write.object.uid);
  if (is_believed(ended) || written == written_.end()) return;
  due_.emplace(TimePoint(), written->second.job);
  written_.erase(written);
}

// The next leader may write something else.
void ConditionWrites::stop_leading() {
  written_.clear();
  for (const auto& [id, refused] : refused_) due_.emplace(refused.since + kReasonHolds, id);
}

void ConditionWrites::reconcile(const Cluster& cluster, TimePoint now) {
  for (const JobId id : std::exchange(changed_, {})) note(id, cluster, now);
  if (now - second_began_ >= kSecond) {  // AUTOSCALE-4
    second_began_ = now;
    left_ = kWritesASecond;
  }
  while (left_ > 0 && !due_.empty() && due_.begin()->first <= now) {
    const JobId id = due_.extract(due_.begin()).value().second;
    const auto refused = refused_.find(id);
    const Job& job = cluster.job(id);
    const bool still_waits =
        refused != refused_.end() && job.exists && job.uid == refused->second.job_uid;
    // A job whose reason changed since is due again later.
    if (!still_waits || now - refused->second.since < kReasonHolds) continue;
    write_conditions(id, job, cluster, now);
  }
}

// AUTOSCALE-3
void ConditionWrites::note(JobId id, const Cluster& cluster, TimePoint now) {
  const Job& job = cluster.job(id);
  const std::optional<Reason> reason = waiting_.reason_of(id);
  if (!job.exists || !reason) {
    refused_.erase(id);
    return;
  }
  const bool is_for_nodes = nodes_would_help(*reason);
  Refused& refused = refused_.try_emplace(id, Refused{job.uid, is_for_nodes, now}).first->second;
  if (refused.job_uid != job.uid || refused.is_for_nodes != is_for_nodes) {
    refused = {job.uid, is_for_nodes, now};
  }
  due_.emplace(refused.since + kReasonHolds, id);
}

void ConditionWrites::write_conditions(JobId id, const Job& job, const Cluster& cluster,
                                       TimePoint now) {
  const Refused& refused = refused_.at(id);
  bool is_held_up = false;
  for (const TaskId task_id : job.tasks) {
    const Task& task = cluster.task(task_id);
    if (task.status != TaskStatus::pending || task.is_gated) continue;
    const ObservedPod* pod = observed_.pod(task.uid);
    if (pod == nullptr || pod->is_gated) continue;
    const auto written = written_.find(task.uid);
    const std::string& before =
        written == written_.end() ? pod->not_scheduled : written->second.reason;
    const auto wanted = desired_pod_condition(refused.is_for_nodes, before, now);
    if (!wanted) {
      writes_.settle(pod->ref, Aspect::condition);
    } else if (!writes_.may_begin(pod->ref, Aspect::condition, now)) {
      is_held_up = true;
    } else if (left_ == 0) {  // AUTOSCALE-4
      due_.emplace(refused.since + kReasonHolds, id);
      return;
    } else {
      --left_;
      written_[task.uid] = {wanted->scheduled.reason, id};
      writes_.begin(pod->ref, *wanted, now);
    }
  }
  if (is_held_up) due_.emplace(now + kSecond, id);
}

}  // namespace berth::reconcile
