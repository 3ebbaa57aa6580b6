#include "simulation/trial.h"

#include <algorithm>
#include <utility>

namespace berth::simulation {

namespace {

std::vector<NodeObject> nodes_like(const NodeObject& example, std::size_t count) {
  std::vector<NodeObject> nodes(count, example);
  for (std::size_t i = 0; i < count; ++i) {
    NodeObject& node = nodes[i];
    node.name += "-added-" + std::to_string(i);
    node.uid = node.name;
    node.locked_for.clear();
    node.locked_for_queue.clear();
    if (node.labels.contains(kHostname)) node.labels[kHostname] = node.name;
  }
  return nodes;
}

}  // namespace

mirror::Options mirror_options(const conf::Config& config) {
  return {.managed_schedulers = config.scheduler_names,
          .default_queue = config.default_queue,
          .default_queue_is_fifo = config.default_queue_is_fifo,
          .gangs = config.jobs.gang,
          .owners = config.jobs.owners,
          .default_spreads = config.constraints.default_spreads,
          .topology_levels = config.topology.levels,
          .usage_half_life = config.fair_share.half_life};
}

Trial::Trial(const TrialSetting& setting, std::vector<ClusterEvent> objects)
    : now_(setting.now),
      copy_(std::move(objects), setting.mirror, setting.now),
      scheduler_(engine::Scheduler::create(setting.session).value()) {
  copy_.begin_cycle(now_);
}

std::size_t Trial::placed_of(const std::string& job) {
  const Plan plan = scheduler_.run(copy_.cluster_for_session(), now_);
  const JobId id = copy_.find_job(job);
  const auto of_job = [&](const Placement& each) {
    return copy_.cluster().task(each.task).job == id;
  };
  return static_cast<std::size_t>(
      std::count_if(plan.binds.begin(), plan.binds.end(), of_job) +
      std::count_if(plan.pipelined.begin(), plan.pipelined.end(), of_job));
}

std::size_t Trial::placed_of(const std::string& job, const NodeObject& example, std::size_t count) {
  const std::vector<NodeObject> added = nodes_like(example, count);
  copy_.add_nodes(added, now_);
  const std::size_t placed = placed_of(job);
  copy_.remove_nodes(added, now_);
  return placed;
}

}  // namespace berth::simulation
