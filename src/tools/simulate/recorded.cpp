#include "tools/simulate/recorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "tools/simulate/values.h"

namespace berth::tools {

namespace {

using history::RecordedJob;
using history::Recording;

constexpr Duration kMoment = std::chrono::seconds(1);

// HISTORY-12. Jobs that run at the beginning find their room before others ask for it.
Duration submission_of(const RecordedJob& job, const Recording& recording) {
  if (job.started && *job.started <= recording.begin) return Duration();
  return job.submitted <= recording.begin ? kMoment : job.submitted - recording.begin;
}

// HISTORY-13. None: nobody knows it.
std::optional<Duration> run_of(const RecordedJob& job, const Recording& recording,
                               const RunTimes& times) {
  if (job.started) {
    const TimePoint end = job.ended.value_or(recording.end);
    return std::max(Duration(), end - std::max(*job.started, recording.begin));
  }
  if (job.ended) return Duration();
  if (job.run_time) return job.run_time;
  return job.limit ? job.limit : times.unknown;
}

// Sizes of pods: many ask for the same.
class Sizes {
 public:
  explicit Sizes(const std::vector<NodeObject>& nodes) : nodes_(nodes) {}
  double of(const NamedAmounts& request) {
    const auto [at, is_new] = known_.try_emplace(request, 0);
    if (is_new) at->second = size_of(request, nodes_);
    return at->second;
  }

 private:
  const std::vector<NodeObject>& nodes_;
  std::map<NamedAmounts, double> known_;
};

// Returns their size.
double give_pods(const RecordedJob& from, Sizes& sizes, simulation::StreamJob& job) {
  double size = 0;
  job.pods = 0;
  for (const history::RecordedPods& pods : from.pods) {
    job.shapes.push_back({pods.count, pods.request, pods.constraints});
    job.pods += pods.count;
    size += pods.count * sizes.of(pods.request);
  }
  return size;
}

simulation::StreamTarget stream_target(const history::RecordedTarget& from, TimePoint now) {
  simulation::StreamTarget target{now - from.since, from.why, from.is_named, {}};
  for (const auto& [node, since] : from.nodes) target.nodes.emplace_back(node, now - since);
  return target;
}

simulation::StreamJob stream_job(const RecordedJob& from, const Recording& recording,
                                 const RunTimes& times, std::optional<Duration> run) {
  simulation::StreamJob job;
  job.submit = submission_of(from, recording);
  if (from.started) job.ran = std::max(Duration(), recording.begin - *from.started);
  job.waited = std::max(Duration(), recording.begin - from.submitted);
  job.run = run.value_or(Duration());
  job.never_ends = !run || (times.of_dump && from.started && !from.ended);
  job.queue = from.queue;
  job.priority = from.priority;
  job.places = from.places;
  job.name_space = from.name.substr(0, from.name.find('/'));
  if (from.target) job.target = stream_target(*from.target, recording.begin);
  if (!from.started && from.ended) {
    job.cancelled_after =
        std::max(Duration(), *from.ended - std::max(from.submitted, recording.begin));
  }
  if (from.limit) {
    const TimePoint began = from.started.value_or(recording.begin);
    const Duration past = std::max(Duration(), recording.begin - began);
    job.limit = std::max(kMoment, *from.limit - past);
  }
  return job;
}

results::JobResult known_of(const RecordedJob& from, const simulation::StreamJob& job,
                            double size) {
  results::JobResult known;
  known.id = from.name;
  known.user = from.name.substr(0, from.name.find('/'));
  known.queue = job.queue;
  known.submit = in_seconds(job.submit);
  known.run = in_seconds(job.run);
  if (job.limit) known.limit = in_seconds(*job.limit);
  known.pods = job.pods;
  known.size = size;
  return known;
}

const std::string& name_of(const ClusterEvent& queue) { return std::get<QueueObject>(queue).name; }

void sort_by_submission(Workload& workload) {
  std::vector<std::size_t> order(workload.jobs.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    return workload.jobs[left].submit < workload.jobs[right].submit;
  });
  Workload sorted;
  for (const std::size_t i : order) {
    sorted.jobs.push_back(std::move(workload.jobs[i]));
    sorted.jobs.back().name = fmt::format("job-{}", sorted.known.size());
    sorted.known.push_back(std::move(workload.known[i]));
  }
  workload.jobs = std::move(sorted.jobs);
  workload.known = std::move(sorted.known);
}

}  // namespace

Result<Workload> workload_of(const Recording& recording, const std::vector<NodeObject>& nodes,
                             const RunTimes& times, std::int64_t& left_out) {
  Workload workload;
  Sizes sizes(nodes);
  for (const RecordedJob& from : recording.jobs) {
    if (from.ended && *from.ended <= recording.begin) continue;
    const std::optional<Duration> run = run_of(from, recording, times);
    if (!run && times.of_dump && !times.may_never_end) {
      return Error{"job \"" + from.name +
                       "\" has no time limit and no annotation berth.dev/run-time, expected "
                       "either, or this flag",
                   "--run-time"};
    }
    if (!run && !times.may_never_end) {
      ++left_out;
      continue;
    }
    simulation::StreamJob job = stream_job(from, recording, times, run);
    const double size = give_pods(from, sizes, job);
    workload.known.push_back(known_of(from, job, size));
    workload.jobs.push_back(std::move(job));
  }
  for (QueueObject queue : recording.queues) workload.queues.emplace_back(std::move(queue));
  sort_by_submission(workload);
  return workload;
}

Workload joined(Workload first, Workload second) {
  std::set<std::string> names;
  for (const ClusterEvent& queue : first.queues) names.insert(name_of(queue));
  for (ClusterEvent& queue : second.queues) {
    if (names.insert(name_of(queue)).second) first.queues.push_back(std::move(queue));
  }
  for (std::size_t i = 0; i < second.jobs.size(); ++i) {
    first.jobs.push_back(std::move(second.jobs[i]));
    first.known.push_back(std::move(second.known[i]));
  }
  sort_by_submission(first);
  return first;
}

}  // namespace berth::tools
