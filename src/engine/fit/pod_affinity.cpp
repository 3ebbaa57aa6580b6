#include <algorithm>

#include "berth/engine/fit.h"

// Pods near it, and none near it. docs/design/pod-affinity.md.

namespace berth::engine::constraints {

namespace {

// RELATION-7, AFFINITY-8. Pods that keep others away.
bool keep_others_away(const Counted& counted, Occupants occupants) {
  switch (occupants) {
    case Occupants::all:
      return counted.there + counted.promised > 0;
    case Occupants::once_vacated:
      return counted.there - counted.leaving + counted.promised > 0;
    case Occupants::staying:
      return counted.staying > 0;
  }
  return false;
}

// RELATION-7. Pods that satisfy those that want them near. Nobody knows who comes later, so with
// `staying` any number does.
bool are_near(const Counted& counted, Occupants occupants) {
  if (occupants == Occupants::once_vacated) return counted.there > counted.leaving;
  return occupants == Occupants::staying || counted.there > 0;
}

bool is_refused_by(const std::vector<TermId>& terms, const Place& place) {
  const PodRelations& relations = place.cluster.relations();
  return std::any_of(terms.begin(), terms.end(), [&](TermId id) {
    const DomainId domain = relations.domain(id, place.node.id);
    return domain.is_valid() &&
           keep_others_away(relations.term(id).counts.at(domain), place.occupants);
  });
}

}  // namespace

// AFFINITY-2, AFFINITY-3.
const Constraint pod_affinity{DependsOn::domain,
                              [](const Place& place) {
                                const PodRelations& relations = place.cluster.relations();
                                const ShapeTerms& terms = place.shape.terms;
                                bool are_all_near = true;
                                bool is_first = true;
                                for (const TermId id : terms.affinity) {
                                  const DomainId domain = relations.domain(id, place.node.id);
                                  if (!domain.is_valid())
                                    return reject(Reason::pod_affinity_mismatch);
                                  const TermCounts& counts = relations.term(id).counts;
                                  are_all_near =
                                      are_all_near && are_near(counts.at(domain), place.occupants);
                                  is_first = is_first && !are_near(counts.total(), place.occupants);
                                }
                                if (are_all_near || (is_first && terms.matches_own_affinity))
                                  return pass();
                                return reject(Reason::pod_affinity_mismatch);
                              },
                              [](const Shape& shape) { return !shape.terms.affinity.empty(); }};

// AFFINITY-4
const Constraint pod_anti_affinity{
    DependsOn::domain,
    [](const Place& place) {
      return is_refused_by(place.shape.terms.anti_affinity, place)
                 ? reject(Reason::pod_anti_affinity_mismatch)
                 : pass();
    },
    [](const Shape& shape) { return !shape.terms.anti_affinity.empty(); }};

// AFFINITY-6
const Constraint existing_pod_anti_affinity{
    DependsOn::domain,
    [](const Place& place) {
      return is_refused_by(place.shape.terms.refused_by, place)
                 ? reject(Reason::existing_pod_anti_affinity)
                 : pass();
    },
    [](const Shape& shape) { return !shape.terms.refused_by.empty(); }};

}  // namespace berth::engine::constraints
