#include "actions/domain_search.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "berth/engine/fit.h"

namespace berth::actions {

using namespace engine;

namespace {

constexpr std::size_t kMost = 64;

// The first of its waiting tasks that wants others of its kind near it, and how many are like it.
struct Seeker {
  ShapeId shape;
  TermId term;
  std::int32_t count = 0;
};

Seeker seeker_among(const Cluster& cluster, const std::vector<TaskId>& waiting) {
  Seeker found;
  for (const TaskId id : waiting) {
    const ShapeId shape = cluster.task(id).shape;
    if (cluster.task(id).status != TaskStatus::pending) continue;
    if (!found.shape.is_valid()) {
      found.term = term_to_start_with(cluster, cluster.shape(shape));
      if (found.term.is_valid()) found.shape = shape;
    }
    if (shape == found.shape) ++found.count;
  }
  return found;
}

// Pods of the shape for which the nodes of each domain have idle room.
std::map<DomainId, std::int64_t> room_by_domain(Session& session, const Job& job,
                                                const Seeker& seeker) {
  const Cluster& cluster = session.cluster();
  const Shape& shape = cluster.shape(seeker.shape);
  const std::vector<std::uint8_t>& passing = session.passing(seeker.shape);
  std::map<DomainId, std::int64_t> room;
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    const DomainId domain = cluster.relations().domain(seeker.term, NodeId(n));
    if (passing[n] == 0 || !domain.is_valid() || !session.is_open_to(NodeId(n), job.id)) continue;
    room[domain] += room_for(IdleNow{cluster}, shape, NodeId(n));
  }
  return room;
}

}  // namespace

std::vector<Start> domains_to_start_in(Session& session, const Job& job,
                                       const std::vector<TaskId>& waiting) {
  const Cluster& cluster = session.cluster();
  const Seeker seeker = seeker_among(cluster, waiting);
  if (!seeker.term.is_valid()) return {};
  const std::int32_t lacking = std::max(1, job.min_available - job.placed_count());
  const DomainTable& domains = cluster.relations().domains();
  const TopologyKeyId key = cluster.relations().term(seeker.term).key;
  std::vector<std::tuple<std::int64_t, std::string, DomainId>> ranked;  // score negated
  for (const auto& [domain, room] : room_by_domain(session, job, seeker)) {
    if (room < std::min(lacking, seeker.count)) continue;
    session.start_in(Start{seeker.term, domain});
    const NodeId best = session.best_idle_node(seeker.shape, job.id);
    if (!best.is_valid()) continue;
    ranked.emplace_back(-std::int64_t{session.score_of(seeker.shape, best)},
                        domains.value(key, domain), domain);
  }
  session.start_in(std::nullopt);
  std::sort(ranked.begin(), ranked.end());
  if (ranked.size() > kMost) ranked.resize(kMost);
  std::vector<Start> starts;
  for (const auto& [score, name, domain] : ranked) starts.push_back({seeker.term, domain});
  return starts;
}

}  // namespace berth::actions
