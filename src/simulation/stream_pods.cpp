#include "simulation/stream_pods.h"

#include <charconv>

#include "simulation/stream_targets.h"

namespace berth::simulation {

namespace {

// On nodes with one of these labels.
void require_models(Constraints& constraints, const std::vector<std::string>& models) {
  if (models.empty()) return;
  constraints.has_required_terms = true;
  constraints.required_terms = {{{{kModelLabel, Operator::in, models}}, {}}};
}

void give(const NamedAmounts& request, const Constraints& constraints, PodObject& pod) {
  pod.request = request;
  pod.request["pods"] = 1;
  pod.constraints = constraints;
}

}  // namespace

void give_shape(const StreamJob& job, std::int32_t number, PodObject& pod) {
  if (job.shapes.empty()) {
    if (number > 0) return;
    give(job.request, {}, pod);
    return require_models(pod.constraints, job.models);
  }
  std::int32_t first = 0;
  for (const StreamPods& each : job.shapes) {
    if (number == first) return give(each.request, each.constraints, pod);
    first += each.count;
  }
}

PodGroupObject group_of(const StreamJob& job, std::size_t index, TimePoint begin) {
  PodGroupObject group;
  group.name_space = job.name_space;
  group.name = job.name;
  group.uid = padded(index);
  group.created = begin + job.submit - job.waited;
  group.queue = job.queue;
  group.min_member = job.pods;
  group.marks = marks_of(job, begin + job.submit);
  return group;
}

std::string pod_uid(std::size_t job, std::uint32_t epoch, std::int32_t pod) {
  return padded(job) + "-" + std::to_string(epoch) + "-" + padded(static_cast<std::size_t>(pod));
}

std::size_t job_of(const std::string& pod_uid) {
  std::size_t job = 0;
  std::from_chars(pod_uid.data(), pod_uid.data() + pod_uid.size(), job);
  return job;
}

}  // namespace berth::simulation
