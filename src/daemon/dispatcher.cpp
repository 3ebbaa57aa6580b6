#include "daemon/dispatcher.h"

#include <algorithm>
#include <utility>

namespace berth::daemon {

std::pair<std::string, std::string> split_name(const std::string& full_name) {
  const std::size_t slash = full_name.find('/');
  return {full_name.substr(0, slash), full_name.substr(slash + 1)};
}

Dispatcher::Dispatcher(ports::StatusSink& status, ports::Evictor& evictor, Tell tell)
    : status_(status), evictor_(evictor), tell_(std::move(tell)) {}

void Dispatcher::carry_out(const Plan& plan, const mirror::Mirror& mirror) {
  const Cluster& cluster = mirror.cluster();
  written_.clear();
  for (const auto& [id, node] : plan.binds) {
    const Task& task = cluster.task(id);
    // Given back already, if its gang stayed incomplete.
    if (task.status == TaskStatus::binding) status_.nominate(task.uid, cluster.node(node).name);
  }
  for (const PlannedEviction& eviction : plan.evictions) {
    const Task& task = cluster.task(eviction.task);
    auto [name_space, name] = split_name(task.name);
    evictor_.evict(
        {std::move(name_space), std::move(name), task.uid,
         std::string(eviction.action) + " for " + cluster.job(eviction.beneficiary).name});
  }
  report_waiting(plan, mirror);
  report_placed(plan, mirror);
}

void Dispatcher::report_waiting(const Plan& plan, const mirror::Mirror& mirror) {
  const Cluster& cluster = mirror.cluster();
  static const std::string no_task;
  ++round_;
  for (const Refusal& refusal : plan.refusals) {
    const Job& job = cluster.job(refusal.job);
    const std::string& task = refusal.task.is_valid() ? cluster.task(refusal.task).name : no_task;
    Said& said = said_[refusal.job];
    said.round = round_;
    const bool is_same_job = said.job == job.name && said.job_uid == job.uid;
    if (said.refusal == refusal && is_same_job && said.task == task) continue;
    said.refusal = refusal;
    said.job = job.name;
    said.job_uid = job.uid;
    said.task = task;
    said.message = refusal.message(task);
    tell_("job " + job.name + " waits: " + said.message);
    write(refusal.job, job, std::string(code(refusal.reason)), said.message);
  }
  report_no_longer_waiting(cluster);
}

void Dispatcher::report_no_longer_waiting(const Cluster& cluster) {
  for (auto entry = said_.begin(); entry != said_.end();) {
    const auto& [id, said] = *entry;
    if (said.round == round_) {
      ++entry;
      continue;
    }
    if (const Job& job = cluster.job(id); job.exists) write(id, job, "", "");
    entry = said_.erase(entry);
  }
}

void Dispatcher::report_placed(const Plan& plan, const mirror::Mirror& mirror) {
  const Cluster& cluster = mirror.cluster();
  std::map<std::string, std::map<std::string, int>> nodes_of_job;
  for (const auto& [task, node] : plan.binds) {
    const JobId job = cluster.task(task).job;
    ++nodes_of_job[cluster.job(job).name][cluster.node(node).name];
  }
  for (const auto& [job, nodes] : nodes_of_job) {
    constexpr std::size_t kShown = 8;
    int pods = 0;
    std::size_t shown = 0;
    std::string where;
    for (const auto& [node, count] : nodes) {
      pods += count;
      if (shown++ < kShown) where += " " + node + " (" + std::to_string(count) + ")";
    }
    if (nodes.size() > kShown) where += " and " + std::to_string(nodes.size() - kShown) + " more";
    tell_("job " + job + " planned: " + std::to_string(pods) + " pods on" + where);
  }
}

void Dispatcher::report_phases(const std::vector<JobId>& changed, const mirror::Mirror& mirror) {
  for (const JobId id : std::set<JobId>(changed.begin(), changed.end())) {
    const Job& job = mirror.cluster().job(id);
    if (!job.exists) continue;
    const std::int32_t running = job.count(TaskStatus::bound) + job.count(TaskStatus::running);
    tell_("job " + job.name + " is " + to_string(job.phase) + ": " + std::to_string(running) +
          " of " + std::to_string(job.task_count()) + " pods run, minimum " +
          std::to_string(job.min_available));
    if (written_.contains(id)) continue;  // with this phase
    const auto said = said_.find(id);
    if (said == said_.end()) {
      write(id, job, "", "");
    } else {
      write(id, job, std::string(code(said->second.refusal.reason)), said->second.message);
    }
  }
}

void Dispatcher::write(JobId id, const Job& job, const std::string& reason,
                       const std::string& message) {
  if (job.is_single || !job.has_group) return;
  written_.insert(id);
  auto [name_space, name] = split_name(job.name);
  status_.write({std::move(name_space), std::move(name), job.phase, reason, message});
}

}  // namespace berth::daemon
