#include "simulation/simulation.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "berth/base/text.h"
#include "engine/scheduler.h"
#include "simulation/cluster_copy.h"
#include "simulation/explanation.h"
#include "simulation/names.h"
#include "simulation/summary.h"
#include "simulation/trial.h"

namespace berth::simulation {

namespace {

Error no_such_job(const std::string& name, const Cluster& cluster) {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < cluster.job_slots(); ++j) {
    if (const Job& job = cluster.job(JobId(j)); job.exists) names.push_back(job.name);
  }
  return {unknown_name("job", name, std::move(names)), "--explain"};
}

Error not_ours(const Job& job) {
  if (job.owner == GroupOwner::unclaimed) return {unclaimed_text({job.name}), "--explain"};
  return {"job \"" + job.name + "\" belongs to another scheduler, expected one of berth's",
          "--explain"};
}

std::vector<std::string> unclaimed_in(const Cluster& cluster) {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < cluster.job_slots(); ++j) {
    if (const Job& job = cluster.job(JobId(j)); waits_unclaimed(job)) names.push_back(job.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Simulation {
 public:
  Simulation(SimulationRequest request, engine::Scheduler scheduler, TimePoint start)
      : request_(std::move(request)),
        scheduler_(std::move(scheduler)),
        setting_{request_.config.session, mirror_options(request_.config), start},
        copy_(std::move(request_.objects), setting_.mirror, start),
        summary_(request_.config.schedule_period) {
    copy_.set_node_times(request_.node_times);
  }

  Result<Report> run() {
    for (std::size_t cycle = 1; cycle <= request_.cycles; ++cycle) {
      if (request_.on_cycle) request_.on_cycle(cycle);
      copy_.begin_cycle(setting_.now);
      const bool explains = !request_.explain.empty();
      const Explained what = find_explained(request_.explain, copy_);
      const JobId job = what.job;
      if (explains && cycle == 1 && !job.is_valid() && !copy_.comes_at(request_.explain)) {
        return no_such_job(request_.explain, copy_.cluster());
      }
      if (job.is_valid() && !copy_.cluster().job(job).is_ours()) {
        return not_ours(copy_.cluster().job(job));
      }
      run_cycle(cycle, what);
      setting_.now += request_.config.schedule_period;
    }
    if (const auto comes = copy_.comes_at(request_.explain); comes && !report_.explanation) {
      return Error{"job \"" + request_.explain + "\" is created at " + format_time(*comes) +
                       ", expected one that exists in one of the cycles",
                   "--explain"};
    }
    report_.node_count = copy_.cluster().node_count();
    report_.unclaimed = unclaimed_in(copy_.cluster());
    report_.summary = summary_.finish();
    return std::move(report_);
  }

 private:
  void run_cycle(std::size_t cycle, const Explained& what) {
    const JobId explained = what.job;
    std::vector<ClusterEvent> before;
    Line line;
    if (explained.is_valid()) {
      before = copy_.objects();
      line = line_of(explained, scheduler_, copy_, setting_.now);
    }
    const Plan plan = scheduler_.run(copy_.cluster_for_session(), setting_.now);
    copy_.carry_out(plan, setting_.now);
    report_.cycles.push_back(record_cycle(cycle, setting_.now, plan, copy_.cluster()));
    summary_.add(report_.cycles.back(), plan, copy_.cluster());
    if (!explained.is_valid()) return;
    if (cycle != request_.cycles && !leaves(what)) return;
    const CycleRecord record{cycle, setting_.now, before, line, plan, copy_, scheduler_};
    report_.explanation = explain(what, record, report_.cycles, setting_);
  }

  // A job or a pod may be gone by the last cycle. Then its own last cycle counts.
  bool leaves(const Explained& what) const {
    const Cluster& cluster = copy_.cluster();
    const Job& job = cluster.job(what.job);
    if (what.pod.is_valid()) return cluster.task(what.pod).status == TaskStatus::releasing;
    return job.task_count() > 0 && job.count(TaskStatus::releasing) == job.task_count();
  }

  SimulationRequest request_;
  engine::Scheduler scheduler_;
  TrialSetting setting_;
  ClusterCopy copy_;
  SummaryBuilder summary_;
  Report report_;
};

}  // namespace

TimePoint start_of(const std::vector<ClusterEvent>& objects) {
  TimePoint latest;
  for (const ClusterEvent& event : objects) {
    std::visit(
        [&](const auto& object) {
          if constexpr (requires { object.created; }) latest = std::max(latest, object.created);
          if constexpr (requires { object.started; }) {
            latest = std::max(latest, object.started.value_or(latest));
          }
        },
        event);
  }
  return latest;
}

TimePoint date_new_objects(const std::optional<TimePoint>& now,
                           std::vector<ClusterEvent>& objects) {
  std::vector<TimePoint*> missing;
  for (ClusterEvent& event : objects) {
    auto* const pod = std::get_if<PodObject>(&event);
    auto* const group = std::get_if<PodGroupObject>(&event);
    const bool is_new_pod = pod != nullptr && pod->node_name.empty();
    if (is_new_pod && pod->created == TimePoint{}) missing.push_back(&pod->created);
    const bool is_new_group = group != nullptr && group->phase == GroupPhase::pending;
    if (is_new_group && group->created == TimePoint{}) missing.push_back(&group->created);
  }
  TimePoint start = now.value_or(start_of(objects));
  if (!now && !missing.empty() && start > TimePoint{}) start += std::chrono::seconds(1);
  for (TimePoint* const created : missing) *created = start;
  return start;
}

Result<Report> simulate(SimulationRequest request) {
  if (const Status distinct = require_distinct_uids(request.objects); !distinct) {
    return distinct.error();
  }
  Result<engine::Scheduler> scheduler = engine::Scheduler::create(request.config.session);
  if (!scheduler) return scheduler.error();
  const TimePoint start = request.now.value_or(start_of(request.objects));
  return Simulation(std::move(request), std::move(scheduler).value(), start).run();
}

}  // namespace berth::simulation
