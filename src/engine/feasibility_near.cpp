#include <algorithm>

#include "berth/engine/feasibility.h"
#include "berth/engine/fit.h"
#include "berth/engine/session.h"
#include "engine/memory.h"

// Jobs whose pods must be nearer each other than any nodes could take them.

namespace berth::engine {

const std::vector<std::int32_t>& Feasibility::emptied(Session& session, ShapeId id) {
  const Cluster& cluster = session.cluster();
  const Shape& shape = cluster.shape(id);
  OfShape& found = shapes_[id.index()];
  if (found.nodes != nodes_ || found.serial != shape.serial) of_shape(session, id, 1);
  if (!found.emptied.empty()) return found.emptied;
  found.emptied.assign(cluster.node_count(), 0);
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    if (!passes_in_time(may_run_on(session, shape, NodeId(n)))) continue;
    found.emptied[n] = std::max(0, room_for(OnceEmptied{cluster}, shape, NodeId(n)));
  }
  return found.emptied;
}

// TOPO-23. Of rules about all pods of the job. Those that have a place may have taken what is
// missing.
Cause Feasibility::could_be_near(Session& session, const Job& job,
                                 const std::vector<Need::Part>& parts, std::int32_t count) {
  const Cluster& cluster = session.cluster();
  // Pods that do not exist yet are no obstacle.
  std::int64_t waiting = 0;
  for (const Need::Part& part : parts) waiting += part.count;
  const std::int64_t needed = std::min<std::int64_t>(count, waiting);
  if (job.placed_count() > 0 || needed <= 1) return {};
  for (std::size_t r = 0; r < job.topology.rules.size(); ++r) {
    const NearRule& rule = job.topology.rules[r];
    const bool is_about_all = !rule.is_of_parts() && !rule.required.is_none() &&
                              std::all_of(job.tasks.begin(), job.tasks.end(), [&](TaskId id) {
                                return (cluster.task(id).near_rules >> r & 1) != 0;
                              });
    if (!is_about_all) continue;
    const Result<FoundLevel> level = cluster.topologies().find_level(rule.required);
    if (!level || !level->level) continue;
    const TreeNodes& nodes = session.memory().trees.of(cluster, level->topology);
    std::int64_t most = 0;
    for (const TreeDomainId id : nodes.domains(*level->level, nodes.all())) {
      std::int64_t fits = 0;
      for (const Need::Part& part : parts) {
        const std::vector<std::int32_t>& by_node = emptied(session, part.shape);
        std::int64_t room = 0;
        for (const NodeId node : nodes.nodes(nodes.range(id))) room += by_node[node.index()];
        fits += std::min<std::int64_t>(part.count, room);
      }
      most = std::max(most, fits);
    }
    if (most < needed) return {Reason::domains_too_small, most, needed, rule.required.text(), {}};
  }
  return {};
}

}  // namespace berth::engine
