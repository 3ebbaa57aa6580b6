#include <algorithm>

#include "engine/fit/asked_terms.h"

// An even spread over domains. docs/design/topology-spread.md.

namespace berth::engine {

namespace {

struct SpreadCounts {
  std::int32_t here = 0;
  std::int32_t lowest = 0;
};

// RELATION-7. Promised pods keep others away. They raise the lowest count once room is vacated.
// Nobody knows who comes later, so with `staying` the lowest count may be any number.
SpreadCounts count(const Counted& here, const SpreadDomains& domains, Occupants occupants) {
  switch (occupants) {
    case Occupants::all:
      return {here.there - here.leaving + here.promised, domains.lowest_that_stay()};
    case Occupants::once_vacated:
      return {here.there - here.leaving + here.promised, domains.lowest_that_stay_or_come()};
    case Occupants::staying:
      return {here.staying, here.staying};
  }
  return {};
}

bool matches_itself(const ShapeTerms& terms, std::size_t i, const SpreadConstraint& spread) {
  return spread.is_empty ||
         std::binary_search(terms.matched.begin(), terms.matched.end(), terms.spread[i]);
}

}  // namespace

// SPREAD-2, SPREAD-5, SPREAD-6.
Verdict check_spread(const Place& place, AskedTerms asked) {
  const PodRelations& relations = place.cluster.relations();
  const ShapeTerms& terms = place.shape.terms;
  for (std::size_t i = 0; i < terms.spread.size(); ++i) {
    const Term& term = relations.term(terms.spread[i]);
    if (!asked.include(term)) continue;
    const SpreadConstraint& spread = place.shape.constraints.relations.spread[i];
    const DomainId domain = relations.domains().at(term.key, place.node.id);
    if (!domain.is_valid()) return reject(Reason::topology_label_missing);
    const SpreadDomains& domains = relations.spread(terms.spread[i]);
    auto [here, lowest] = count(term.counts.at(domain), domains, place.occupants);
    if (domains.size() < static_cast<std::size_t>(spread.min_domains)) lowest = 0;
    const std::int32_t own = matches_itself(terms, i, spread) ? 1 : 0;
    if (here + own - lowest > spread.max_skew) return reject(Reason::topology_spread);
  }
  return pass();
}

const Constraint constraints::topology_spread{
    DependsOn::domain, [](const Place& place) { return check_spread(place, AskedTerms()); },
    [](const Shape& shape) { return !shape.terms.spread.empty(); }};

}  // namespace berth::engine
