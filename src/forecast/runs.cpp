#include "forecast/runs.h"

#include <algorithm>
#include <cctype>

#include "berth/base/text.h"

namespace berth::forecast {

namespace {

constexpr std::string_view kSuffixLetters = "bcdfghjklmnpqrstvwxz2456789";  // of Kubernetes' names

// Numbers, and what Kubernetes' controllers add: "28391820", "x7k2p", "5d9f6c7b8".
bool is_made_up(std::string_view part) {
  if (std::all_of(part.begin(), part.end(), is_digit)) return true;
  const std::size_t size = part.size();
  const bool is_suffix = size == 5 || (size >= 8 && size <= 10);
  return is_suffix && part.find_first_not_of(kSuffixLetters) == std::string_view::npos;
}

// "...-3f2a91c0-77aa-4c1e-9b1d-0123456789ab"
bool ends_in_uuid(std::string_view name) {
  constexpr std::string_view kForm = "-00000000-0000-0000-0000-000000000000";
  if (name.size() < kForm.size()) return false;
  const std::string_view end = name.substr(name.size() - kForm.size());
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool is_hex = std::isxdigit(static_cast<unsigned char>(end[i])) != 0;
    if (kForm[i] == '-' ? end[i] != '-' : !is_hex) return false;
  }
  return true;
}

// The time at which the last pod of its minimum had its node.
TimePoint start_of(const Job& job, const Cluster& cluster, TimePoint now) {
  TimePoint latest = TimePoint::min();
  for (const TaskId id : job.tasks) latest = std::max(latest, cluster.task(id).scheduled_at);
  return latest == TimePoint::min() ? now : std::min(latest, now);
}

}  // namespace

std::optional<Duration> limit_of(const Job& job, const Cluster& cluster, LimitTrust trust) {
  std::optional<Duration> longest;
  for (const TaskId id : job.tasks) {
    const Task& task = cluster.task(id);
    std::optional<TimeLimit> limit = time_limit_of(cluster, task, trust);
    if (!limit && task.job_deadline) limit = TimeLimit{task.job_deadline->length, {}};
    if (!limit) return std::nullopt;
    longest = std::max(longest.value_or(Duration()), limit->length);
  }
  return longest;
}

std::string template_of(const std::string& name) {
  std::string_view stem = name;
  const std::size_t begin = name.find('/') + 1;
  constexpr std::size_t kUuid = 37;  // with its dash
  if (ends_in_uuid(stem) && stem.size() - kUuid > begin) stem = stem.substr(0, stem.size() - kUuid);
  for (;;) {
    const std::size_t at = stem.find_last_of("-._");
    if (at == std::string_view::npos || at <= begin || !is_made_up(stem.substr(at + 1))) break;
    stem = stem.substr(0, at);
  }
  return std::string(stem);
}

RunKeys keys_of(const Job& job, std::optional<Duration> limit) {
  const std::string size = "/" + std::to_string(job.min_available);
  const std::string name_space = job.name.substr(0, job.name.find('/'));
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limit.value_or(Duration()));
  return {template_of(job.name) + size, name_space + size + "/" + std::to_string(seconds.count()),
          job.queue_name};
}

void Runs::look_at(const std::vector<JobId>& changed, const Cluster& cluster, TimePoint now) {
  for (const JobId id : changed) look_at(id, cluster, now);
}

void Runs::look_at(JobId id, const Cluster& cluster, TimePoint now) {
  const Job& job = cluster.job(id);
  auto run = runs_.find(id);
  if (run != runs_.end() && (!job.exists || job.uid != run->second.uid)) {
    runs_.erase(run);
    run = runs_.end();
  }
  if (!job.exists || !job.is_ours() || job.task_count() == 0) return;
  const std::int32_t on_nodes = job.count(TaskStatus::bound) + job.count(TaskStatus::running);
  if (run == runs_.end()) {
    if (on_nodes == 0 || job.bound_count() < job.min_available) return;
    const TimePoint start = start_of(job, cluster, now);
    runs_.emplace(id, Run{job.uid, start, limit_of(job, cluster, trust_)});
    return on_start_(job, start);
  }
  if (on_nodes > 0) return;
  const bool succeeds = job.count(TaskStatus::succeeded) == job.task_count();
  if (succeeds) on_end_(job, run->second.limit, now - run->second.start);
  runs_.erase(run);
}

}  // namespace berth::forecast
