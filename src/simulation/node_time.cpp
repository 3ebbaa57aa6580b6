#include "simulation/node_time.h"

#include <algorithm>

namespace berth::simulation {

std::optional<PodObject> without_its_node(const PodObject& pod,
                                          const std::vector<std::string>& our_schedulers) {
  const bool is_ours = std::find(our_schedulers.begin(), our_schedulers.end(),
                                 pod.scheduler_name) != our_schedulers.end();
  if (!is_ours || pod.has_ended() || pod.terminating || pod.is_daemon) return std::nullopt;
  PodObject waiting = pod;
  waiting.node_name.clear();
  waiting.nominated_node.clear();
  waiting.planned_node.clear();
  waiting.phase = PodPhase::pending;
  waiting.started.reset();
  waiting.scheduled.reset();
  return waiting;
}

}  // namespace berth::simulation
