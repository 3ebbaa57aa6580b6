#include "berth/engine/kept_out.h"

#include <algorithm>
#include <utility>

namespace berth::engine {

namespace {

// Nothing but its tasks, its queue and its priority decides about the job.
bool is_plain(const Cluster& cluster, const Job& job) {
  const bool all_wait = job.count(TaskStatus::pending) == job.task_count() && job.gated == 0;
  if (!all_wait || job.roles_bind() || job.election || job.attempt || job.claims_ended_at ||
      job.waiting_limit || !job.topology.rules.empty()) {
    return false;
  }
  const Task& first = cluster.task(job.tasks.front());
  return std::all_of(job.tasks.begin(), job.tasks.end(), [&](TaskId id) {
    const Task& task = cluster.task(id);
    return task.shape == first.shape && task.never_preempts == first.never_preempts &&
           task.is_preemptable == first.is_preemptable && task.cools_down == first.cools_down;
  });
}

}  // namespace

std::uint32_t KeptOut::line_for(const Cluster& cluster, const Job& job) {
  const auto next = static_cast<std::uint32_t>(lines_.size());
  if (job.tasks.empty() || !is_plain(cluster, job)) return next;
  const Task& first = cluster.task(job.tasks.front());
  const std::string_view name = job.name;
  const std::int32_t protection = (first.is_preemptable ? 1 : 0) + (first.cools_down ? 2 : 0);
  const Key key{job.queue,
                job.priority,
                first.shape,
                job.min_available,
                4 * job.task_count() + protection,
                first.never_preempts || job.never_preempts,
                name.substr(0, name.find('/'))};
  return line_of_kind_.try_emplace(key, next).first->second;
}

void KeptOut::add(const Cluster& cluster, const Job& job) {
  if (line_of_.empty()) line_of_.assign(cluster.job_slots(), kNone);
  const std::uint32_t line = line_for(cluster, job);
  if (line == lines_.size()) lines_.emplace_back();
  lines_[line].jobs.push_back(job.id);
  line_of_[job.id.index()] = line;
}

void KeptOut::remove(JobId job) {
  if (!contains(job)) return;
  std::uint32_t& number = line_of_[job.index()];
  Line& line = lines_[number];
  const auto found =
      std::find(line.jobs.begin() + static_cast<std::ptrdiff_t>(line.first), line.jobs.end(), job);
  if (found == line.jobs.begin() + static_cast<std::ptrdiff_t>(line.first)) {
    ++line.first;
  } else {
    line.jobs.erase(found);
  }
  admitted_[job] = std::exchange(number, kNone);
}

JobId KeptOut::first_like(JobId job) const {
  const auto found = admitted_.find(job);
  if (found == admitted_.end()) return JobId();
  const Line& line = lines_[found->second];
  return line.first < line.jobs.size() ? line.jobs[line.first] : JobId();
}

}  // namespace berth::engine
