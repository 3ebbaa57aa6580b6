#include "simulation/stream_objects.h"

#include <algorithm>
#include <charconv>

#include "berth/model/reservation.h"

namespace berth::simulation {

namespace {

// Numbers as text sort as numbers do: the uid of the PodGroup of the job with that index.
std::string padded(std::size_t number) {
  std::string text = std::to_string(number);
  return std::string(10 - std::min<std::size_t>(10, text.size()), '0') + text;
}

// It comes now.
TargetMarks marks_of(const StreamJob& job, TimePoint now) {
  TargetMarks marks;
  if (job.waited > Duration()) marks.first_seen = now - job.waited;
  if (!job.target) return marks;
  const StreamTarget& target = *job.target;
  marks.elected_at = now - target.since;
  marks.why = target.why;
  marks.is_named = target.is_named;
  marks.is_elected = !target.is_named;
  return marks;
}

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

std::vector<NodeObject> nodes_with_locks(const StreamRequest& request, TimePoint begin) {
  std::vector<NodeObject> nodes = request.nodes;
  for (std::size_t job = 0; job < request.jobs.size(); ++job) {
    if (!request.jobs[job].target) continue;
    for (const auto& kept : request.jobs[job].target->nodes) {
      const auto node = std::find_if(nodes.begin(), nodes.end(), [&](const NodeObject& each) {
        return each.name == kept.first;
      });
      if (node == nodes.end()) continue;
      node->locked_for = lock_text(padded(job));
      node->locked_since = begin - kept.second;
    }
  }
  return nodes;
}

void restore_promises(const StreamRequest& request, std::size_t count, TimePoint begin,
                      mirror::Mirror& mirror) {
  mirror.settle(begin);
  Plan plan;
  for (std::size_t index = 0; index < count; ++index) {
    const StreamJob& job = request.jobs[index];
    const JobId id = mirror.find_group(job.name_space + "/" + job.name);
    if (job.promised_start && id.is_valid()) {
      plan.promises.push_back({id, begin + *job.promised_start});
    }
  }
  if (!plan.promises.empty()) mirror.assume(plan, begin);
}

}  // namespace berth::simulation
