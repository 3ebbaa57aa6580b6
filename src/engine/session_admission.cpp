#include <algorithm>
#include <map>

#include "berth/engine/session.h"
#include "engine/memory.h"

namespace berth::engine {

void Session::admit(JobId job) {
  const std::uint64_t before = cluster_.stamp();
  ledger_.set_phase(job, GroupPhase::inqueue);
  memory_.admissions().admitted(cluster_, queues(), cluster_.job(job), before);
  plan_.admitted.push_back(job);
  if (kept_out_.contains(job)) let_in(job);
  ask(points::job_enqueued, cluster_.job(job));
}

void Session::send_back(JobId job) {
  ledger_.set_phase(job, GroupPhase::pending);
  plan_.returned.push_back(job);
}

// ENQUEUE-8
void Session::let_in(JobId job) {
  std::erase(plan_.returned, job);
  kept_out_.remove(job);
  const JobId next = kept_out_.first_like(job);
  if (next.is_valid() && is_refused(job)) refuse_alike(next, refusal_of(job));
}

void Session::refuse_alike(JobId job, Refusal refusal) {
  const std::vector<TaskId>& tasks = cluster_.job(refusal.job).tasks;
  const auto at = std::find(tasks.begin(), tasks.end(), refusal.task) - tasks.begin();
  refusal.job = job;
  if (refusal.task.is_valid()) {
    refusal.task = cluster_.job(job).tasks[static_cast<std::size_t>(at)];
  }
  record(std::move(refusal));
}

void Session::refuse_those_alike() {
  std::multimap<JobId, std::size_t> of_job;
  for (std::size_t i = 0; i < plan_.considered.size(); ++i) {
    of_job.emplace(plan_.considered[i].job, i);
  }
  for (const KeptOut::Line& line : kept_out_.lines()) {
    if (line.first + 1 >= line.jobs.size() || !is_refused(line.jobs[line.first])) continue;
    const Refusal refusal = refusal_of(line.jobs[line.first]);
    std::vector<ConsideredEvictions> considered;
    const auto [begin, end] = of_job.equal_range(refusal.job);
    for (auto each = begin; each != end; ++each)
      considered.push_back(plan_.considered[each->second]);
    for (std::size_t i = line.first + 1; i < line.jobs.size(); ++i) {
      refuse_alike(line.jobs[i], refusal);
      for (ConsideredEvictions& each : considered) {
        each.job = line.jobs[i];
        plan_.considered.push_back(each);
      }
    }
  }
}

}  // namespace berth::engine
