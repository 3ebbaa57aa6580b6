#include <algorithm>

#include "engine/fit/asked_terms.h"

// Pods near it, and none near it. docs/design/pod-affinity.md.

namespace berth::engine {

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

// RELATION-7. Pods that satisfy those that want them near: promised ones once all have left. Nobody
// knows who comes later, so with `staying` any number does.
bool are_near(const Counted& counted, Occupants occupants) {
  switch (occupants) {
    case Occupants::all:
      return counted.there > 0;
    case Occupants::once_vacated:
      return counted.there - counted.leaving + counted.promised > 0;
    case Occupants::staying:
      return true;
  }
  return false;
}

}  // namespace

// AFFINITY-2, AFFINITY-3.
bool lacks_pods_near(const Place& place, AskedTerms asked) {
  const PodRelations& relations = place.cluster.relations();
  const ShapeTerms& terms = place.shape.terms;
  const auto is_new = [&](TermId id) {
    const Counted& total = relations.term(id).counts.total();
    return !are_near(total, place.occupants) && total.promised == 0;  // that is the first
  };
  const bool is_first = terms.matches_own_affinity &&
                        std::all_of(terms.affinity.begin(), terms.affinity.end(), is_new);
  return std::any_of(terms.affinity.begin(), terms.affinity.end(), [&](TermId id) {
    const Term& term = relations.term(id);
    if (!asked.include(term)) return false;
    const DomainId domain = relations.domains().at(term.key, place.node.id);
    if (!domain.is_valid()) return true;
    return !is_first && !are_near(term.counts.at(domain), place.occupants);
  });
}

bool is_kept_away(const Place& place, const std::vector<TermId>& terms, AskedTerms asked) {
  const PodRelations& relations = place.cluster.relations();
  return std::any_of(terms.begin(), terms.end(), [&](TermId id) {
    const Term& term = relations.term(id);
    if (!asked.include(term)) return false;
    const DomainId domain = relations.domains().at(term.key, place.node.id);
    return domain.is_valid() && keep_others_away(term.counts.at(domain), place.occupants);
  });
}

namespace constraints {

const Constraint pod_affinity{
    DependsOn::domain,
    [](const Place& place) {
      return lacks_pods_near(place, AskedTerms()) ? reject(Reason::pod_affinity_mismatch) : pass();
    },
    [](const Shape& shape) { return !shape.terms.affinity.empty(); }};

// AFFINITY-4
const Constraint pod_anti_affinity{
    DependsOn::domain,
    [](const Place& place) {
      return is_kept_away(place, place.shape.terms.anti_affinity, AskedTerms())
                 ? reject(Reason::pod_anti_affinity_mismatch)
                 : pass();
    },
    [](const Shape& shape) { return !shape.terms.anti_affinity.empty(); }};

// AFFINITY-6
const Constraint existing_pod_anti_affinity{
    DependsOn::domain,
    [](const Place& place) {
      return is_kept_away(place, place.shape.terms.refused_by, AskedTerms())
                 ? reject(Reason::existing_pod_anti_affinity)
                 : pass();
    },
    [](const Shape& shape) { return !shape.terms.refused_by.empty(); }};

}  // namespace constraints

}  // namespace berth::engine
