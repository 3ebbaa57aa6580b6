#include "simulation/stream_pods.h"

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

}  // namespace berth::simulation
