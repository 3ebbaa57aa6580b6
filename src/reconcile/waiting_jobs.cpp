#include "reconcile/waiting_jobs.h"

#include <algorithm>
#include <utility>

#include "berth/base/printable.h"
#include "reconcile/start_moves.h"

namespace berth::reconcile {

std::vector<JobId> WaitingJobs::refresh(const Plan& plan, const Cluster& cluster, TimePoint now) {
  static const std::string kNoTask;
  constexpr Duration kLogInterval = std::chrono::seconds(30);
  std::vector<JobId> changed;
  ++session_;
  if (plan.order) {
    order_.refresh(*plan.order, cluster);
    ordered_at_ = now;
  }
  for (const Refusal& refusal : plan.refusals) {
    const Job& job = cluster.job(refusal.job);
    const std::string& task = refusal.task.is_valid() ? cluster.task(refusal.task).name : kNoTask;
    Entry& entry = entries_[refusal.job];
    entry.session = session_;
    const bool is_same_job = entry.job == job.name && entry.job_uid == job.uid;
    if (entry.refusal == refusal && is_same_job && entry.task == task) continue;
    const bool is_same_reason = is_same_job && entry.refusal.reason == refusal.reason;
    entry.refusal = refusal;
    entry.job = job.name;
    entry.job_uid = job.uid;
    entry.task = task;
    entry.message = refusal.message(task);
    if (!job.gang_advice.empty()) entry.message += "; " + printable(job.gang_advice);
    changed.push_back(refusal.job);
    // Amounts in a message change with every pod that comes or goes.
    if (is_same_reason && now - entry.logged_at < kLogInterval) continue;
    entry.logged_at = now;
    events_.log("job " + job.name + " waits: " + entry.message);
  }
  std::erase_if(entries_, [&](const auto& entry) {
    if (entry.second.session == session_) return false;
    changed.push_back(entry.first);
    return true;
  });
  return changed;
}

std::vector<JobId> WaitingJobs::take_starts(std::shared_ptr<const views::StartTable> table,
                                            const Cluster& cluster, TimePoint now) {
  starts_ = std::move(table);
  std::unordered_map<JobId, WrittenStart> before = std::exchange(looked_at_, {});
  std::vector<JobId> moved;
  for (const auto& [id, entry] : entries_) {
    const views::StartTable::Row* const row = starts_->find(entry.job_uid);
    if (row == nullptr || cluster.job(id).uid != entry.job_uid) continue;
    const auto known = before.find(id);
    const bool moves = known == before.end() || is_moved(row->start, known->second, now);
    looked_at_.emplace(id, moves ? row->start : known->second);
    if (moves) moved.push_back(id);
  }
  return moved;
}

bool WaitingJobs::wants_order(const Plan& plan, const Cluster& cluster, TimePoint now) const {
  if (now - ordered_at_ >= std::chrono::seconds(1)) return true;
  return std::any_of(plan.refusals.begin(), plan.refusals.end(), [&](const Refusal& refusal) {
    if (refusal.reason == Reason::none) return false;
    const auto found = entries_.find(refusal.job);
    if (found == entries_.end() || found->second.job_uid != cluster.job(refusal.job).uid) {
      return true;
    }
    const Reason before = found->second.refusal.reason;
    return before != refusal.reason && volcano_reason(std::string(code(before))) !=
                                           volcano_reason(std::string(code(refusal.reason)));
  });
}

Waiting WaitingJobs::of(JobId job) const {
  const auto found = entries_.find(job);
  if (found == entries_.end()) return {};
  Waiting waiting{std::string(code(found->second.refusal.reason)), found->second.message,
                  order_.position_of(job)};
  if (starts_ == nullptr) return waiting;
  const views::StartTable::Row* const row = starts_->find(found->second.job_uid);
  waiting.start = row == nullptr ? WrittenStart() : row->start;
  return waiting;
}

std::optional<Reason> WaitingJobs::reason_of(JobId job) const {
  const auto found = entries_.find(job);
  if (found == entries_.end()) return std::nullopt;
  return found->second.refusal.reason;
}

}  // namespace berth::reconcile
