#include "simulation/room_near.h"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/memory.h"

namespace berth::simulation {

namespace {

constexpr std::size_t kDomainsShown = 5;

// The level that must hold all pods of the job; the first such rule.
std::optional<FoundLevel> level_of_all(const Cluster& cluster, const Job& job) {
  for (const NearRule& rule : job.topology.rules) {
    if (rule.required.is_none() || rule.is_of_parts() || rule.pods != PodsOfRule()) continue;
    const Result<FoundLevel> found = cluster.topologies().find_level(rule.required);
    if (found && found->level) return *found;
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> room_near(JobId id, const CycleRecord& record) {
  const Cluster& cluster = record.after.cluster();
  const Job& job = cluster.job(id);
  const std::optional<FoundLevel> level = level_of_all(cluster, job);
  if (!level) return {};
  std::map<ShapeId, std::int64_t> counts;
  for (const TaskId task : job.tasks) {
    if (cluster.task(task).status == TaskStatus::pending) ++counts[cluster.task(task).shape];
  }
  std::vector<std::pair<std::int64_t, std::string>> domains;
  record.scheduler.inspect(
      record.after.cluster_for_session(), record.now, [&](engine::Session& session) {
        const engine::TreeNodes& nodes = session.memory().trees.of(cluster, level->topology);
        for (const TreeDomainId domain : nodes.domains(*level->level, nodes.all())) {
          std::int64_t fitting = 0;
          for (const auto& [shape, count] : counts) {
            fitting +=
                std::min(count, session.memory().room.idle(session, nodes, shape)->in(domain));
          }
          domains.emplace_back(-fitting, nodes.tree().path_of(domain));
        }
      });
  std::sort(domains.begin(), domains.end());
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(domains.size(), kDomainsShown); ++i) {
    texts.push_back(domains[i].second + " has room for " + std::to_string(-domains[i].first) +
                    " of " + std::to_string(job.unplaced_count()) + " pods");
  }
  if (domains.size() > kDomainsShown) {
    texts.push_back("other domains of the level, " +
                    std::to_string(domains.size() - kDomainsShown) + ", have no more");
  }
  return texts;
}

}  // namespace berth::simulation
