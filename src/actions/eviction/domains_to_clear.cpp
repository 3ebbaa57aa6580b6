#include "actions/eviction/domains_to_clear.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "actions/eviction/offer.h"
#include "berth/base/look_up.h"
#include "berth/engine/fit.h"
#include "engine/seeker.h"

namespace berth::actions {

using namespace engine;

namespace {

// The shape of members that want others near them, which only the job itself can bring.
struct Wanting {
  ShapeId shape;
  TermId term;
  std::int32_t count = 0;
};

// The first of them with the term of most domains.
Wanting wanting_among(const Cluster& cluster, const std::vector<TaskId>& tasks) {
  const PodRelations& relations = cluster.relations();
  std::vector<ShapeId> shapes;
  std::set<TermId> counted;
  for (const TaskId id : tasks) {
    const ShapeId shape = cluster.task(id).shape;
    if (is_any_of(shape, shapes)) continue;
    shapes.push_back(shape);
    const std::vector<TermId>& terms = cluster.shape(shape).terms.counted;
    counted.insert(terms.begin(), terms.end());
  }
  Wanting found;
  std::size_t most = 0;
  for (const ShapeId shape : shapes) {
    for (const TermId term : cluster.shape(shape).terms.affinity) {
      const Counted& total = relations.term(term).counts.total();
      if (total.there - total.leaving + total.promised > 0 || !counted.contains(term)) continue;
      const std::size_t domains = relations.domains().count(relations.term(term).key);
      if (domains <= most) continue;
      most = domains;
      found = {shape, term, 0};
    }
  }
  if (!found.term.is_valid()) return found;
  for (const TaskId id : tasks) found.count += cluster.task(id).shape == found.shape ? 1 : 0;
  return found;
}

struct Room {
  std::int64_t at_most = 0;  // if all candidates left
  std::int64_t vacated = 0;  // if nobody more leaves
};

}  // namespace

std::optional<DomainsToClear> domains_to_clear(Session& session, const EvictionPolicy& policy,
                                               const Candidates& candidates, JobId claimant,
                                               const std::vector<TaskId>& tasks,
                                               bool takes_whole_jobs) {
  const Cluster& cluster = session.cluster();
  const Wanting wanting = wanting_among(cluster, tasks);
  if (!wanting.term.is_valid()) return std::nullopt;
  const PodRelations& relations = cluster.relations();
  const std::vector<std::uint8_t> nobody;
  std::set<std::uint32_t> kept;
  OfferSearch search(session, policy, candidates, nobody, kept);
  const OfferSearch::Terms terms{claimant, wanting.shape, wanting.count, takes_whole_jobs};
  const std::vector<std::uint8_t>& passing = session.passing(wanting.shape);
  std::map<DomainId, Room> rooms;
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    const NodeId node(n);
    const DomainId domain = relations.domain(wanting.term, node);
    if (passing[n] == 0 || !domain.is_valid() || !session.is_open_to(node, claimant)) continue;
    Room& room = rooms[domain];
    room.at_most += search.most_on(node, terms, false);
    room.vacated +=
        std::min(wanting.count, room_for(OnceVacated{cluster}, cluster.shape(wanting.shape), node));
  }
  DomainsToClear found;
  const TopologyKeyId key = relations.term(wanting.term).key;
  std::vector<std::tuple<std::int64_t, std::string, DomainId>> ranked;  // room negated
  for (const auto& [domain, room] : rooms) {
    const std::int64_t most = std::min<std::int64_t>(room.at_most, wanting.count);
    found.most = std::max(found.most, static_cast<std::int32_t>(most));
    if (most < wanting.count) continue;
    ranked.emplace_back(-room.vacated, relations.domains().value(key, domain), domain);
  }
  std::sort(ranked.begin(), ranked.end());
  found.are_all = ranked.size() <= kDomainsTried;
  if (!found.are_all) ranked.resize(kDomainsTried);
  for (const auto& [room, name, domain] : ranked) found.starts.push_back({wanting.term, domain});
  return found;
}

}  // namespace berth::actions
