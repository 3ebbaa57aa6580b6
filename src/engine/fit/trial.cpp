#include "engine/fit/trial.h"

#include <algorithm>

#include "berth/base/look_up.h"
#include "engine/seeker.h"

namespace berth::engine {

std::int32_t Trial::tried(TermId term, DomainId domain) const {
  return value_or(tried_, std::pair(term, domain));
}

bool Trial::is_any_tried(const std::vector<TermId>& terms) const {
  return std::any_of(terms.begin(), terms.end(), [this](TermId term) {
    const auto first = tried_.lower_bound({term, DomainId(0)});
    return first != tried_.end() && first->first.first == term;
  });
}

std::int32_t Trial::most(const Shape& shape, NodeId node, std::int32_t count) const {
  std::int32_t most = concerns(shape) ? most_by_terms(shape, node, count) : count;
  if (most > 0 && shape.has_volumes) {
    const Node& at = cluster_.node(node);
    most = volumes_.most(shape.constraints.volumes, at.name, at.labels, most);
  }
  return most;
}

bool Trial::is_any_tried_near(const std::vector<TermId>& terms, NodeId node) const {
  return std::any_of(terms.begin(), terms.end(), [&](TermId term) {
    const DomainId domain = cluster_.relations().domain(term, node);
    return domain.is_valid() && tried(term, domain) > 0;
  });
}

bool Trial::is_outside(const Shape& shape, NodeId node) const {
  return std::any_of(starts_.begin(), starts_.end(), [&](const Start& start) {
    const bool is_concerned =
        wants_near(shape, start.term) ||
        (is_wanted_near(shape, start.term) && tried(start.term, start.domain) == 0);
    return is_concerned && cluster_.relations().domain(start.term, node) != start.domain;
  });
}

// AFFINITY-3. Before those that it wants near it.
bool Trial::may_come_first(const Shape& shape) const {
  const std::vector<TermId>& terms = shape.terms.affinity;
  // The first of its kind chooses the domain for all.
  if (is_any_tried(terms)) return false;
  // Nobody knows who comes later.
  if (occupants_ == Occupants::staying) return true;
  const auto is_decided = [&](const Start& start) { return wants_near(shape, start.term); };
  const auto is_new = [&](TermId term) {
    return cluster_.relations().term(term).counts.total().there == 0;
  };
  return std::any_of(starts_.begin(), starts_.end(), is_decided) ||
         (shape.terms.matches_own_affinity && std::all_of(terms.begin(), terms.end(), is_new));
}

bool Trial::lacks_near(const Shape& shape, NodeId node) const {
  const std::vector<TermId>& terms = shape.terms.affinity;
  if (terms.empty()) return false;
  const PodRelations& relations = cluster_.relations();
  const bool may_be_anywhere = may_come_first(shape);
  return std::any_of(terms.begin(), terms.end(), [&](TermId term) {
    const DomainId domain = relations.domain(term, node);
    if (!domain.is_valid()) return true;
    const bool is_near =
        relations.term(term).counts.at(domain).there > 0 || tried(term, domain) > 0;
    return !may_be_anywhere && !is_near;
  });
}

Reason Trial::refusal(const Shape& shape, NodeId node) const {
  const ShapeTerms& terms = shape.terms;
  if (shape.has_volumes) {
    const Node& at = cluster_.node(node);
    const Reason refusal = volumes_.refusal(shape.constraints.volumes, at.name, at.labels);
    if (refusal != Reason::none) return refusal;
  }
  for (std::size_t i = 0; i < terms.spread.size(); ++i) {
    if (most_of_spread(shape, i, node, 1) == 0) return Reason::topology_spread;
  }
  if (is_outside(shape, node) || lacks_near(shape, node)) {
    return Reason::pod_affinity_mismatch;
  }
  if (is_any_tried_near(terms.anti_affinity, node)) return Reason::pod_anti_affinity_mismatch;
  if (is_any_tried_near(terms.refused_by, node)) return Reason::existing_pod_anti_affinity;
  return Reason::none;
}

std::int32_t Trial::most_by_terms(const Shape& shape, NodeId node, std::int32_t count) const {
  const ShapeTerms& terms = shape.terms;
  const bool is_refused = is_outside(shape, node) || is_any_tried_near(terms.anti_affinity, node) ||
                          is_any_tried_near(terms.refused_by, node) || lacks_near(shape, node);
  if (is_refused) return 0;
  const PodRelations& relations = cluster_.relations();
  // AFFINITY-4. Only in domains that the node is in: elsewhere the term refuses nobody.
  const bool refuses_next =
      terms.refuses_itself &&
      std::any_of(terms.anti_affinity.begin(), terms.anti_affinity.end(), [&](TermId term) {
        return relations.domain(term, node).is_valid() &&
               std::binary_search(terms.matched.begin(), terms.matched.end(), term);
      });
  std::int32_t most = refuses_next ? std::min(count, 1) : count;
  for (std::size_t i = 0; i < terms.spread.size() && most > 0; ++i) {
    most = most_of_spread(shape, i, node, most);
  }
  return most;
}

std::int32_t Trial::pods_in(TermId term, DomainId domain) const {
  if (occupants_ != Occupants::staying) return level_of(term, domain);
  return tried(term, domain) + cluster_.relations().term(term).counts.at(domain).staying;
}

std::int32_t Trial::level_of(TermId term, DomainId domain) const {
  const Counted counted = cluster_.relations().term(term).counts.at(domain);
  return tried(term, domain) + counted.there - counted.leaving + counted.promised;
}

const CountsOfDomains& Trial::counts_of(TermId term) const {
  const auto [at, is_new] = spreads_.try_emplace(term);
  if (!is_new) return at->second;
  const SpreadDomains& domains = cluster_.relations().spread(term);
  for (std::size_t d = 0; d < domains.by_domain().size(); ++d) {
    if (domains.has(DomainId(d))) at->second.add(level_of(term, DomainId(d)));
  }
  return at->second;
}

// SPREAD-6. Members on this node raise the lowest count only until another domain has it.
std::int32_t Trial::most_of_spread(const Shape& shape, std::size_t spread, NodeId node,
                                   std::int32_t count) const {
  const PodRelations& relations = cluster_.relations();
  const TermId term = shape.terms.spread[spread];
  const SpreadConstraint& wanted = shape.constraints.relations.spread[spread];
  const DomainId domain = relations.domain(term, node);
  if (!domain.is_valid()) return 0;
  const CountsOfDomains& counts = counts_of(term);
  const bool has_domains =
      relations.spread(term).size() >= static_cast<std::size_t>(wanted.min_domains);
  const std::int32_t here = pods_in(term, domain);
  const bool counts_itself =
      std::binary_search(shape.terms.matched.begin(), shape.terms.matched.end(), term);
  const bool is_counted =
      counts_itself && relations.node_sets().has(relations.term(term).spec.nodes, node);
  if (!is_counted) {
    const std::int32_t own = counts_itself || wanted.is_empty ? 1 : 0;
    return here + own - (has_domains ? counts.lowest() : 0) <= wanted.max_skew ? count : 0;
  }
  const std::optional<std::int32_t> others = counts.lowest_beside(level_of(term, domain));
  if (has_domains && !others) return count;
  const std::int64_t lowest = has_domains ? *others : 0;
  const std::int64_t allowed = wanted.max_skew + lowest - here;  // may be beyond 32 bits
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(allowed, 0, count));
}

void Trial::change(const Place& place, std::int32_t by) {
  const auto spread = spreads_.find(place.first);
  if (spread != spreads_.end()) {
    const std::int32_t level = level_of(place.first, place.second);
    spread->second.move(level, level + by);
  }
  const auto at = tried_.try_emplace(place).first;
  at->second += by;
  if (at->second == 0) tried_.erase(at);
}

void Trial::put(const Shape& shape, NodeId node, std::int32_t count) {
  if (shape.has_volumes) {
    log_.push_back({{}, 0, volumes_.mark()});
    const Node& at = cluster_.node(node);
    volumes_.put(shape.constraints.volumes, at.name, at.labels, count);
  }
  if (!shape.terms.are_counted()) return;
  const PodRelations& relations = cluster_.relations();
  const auto add = [&](TermId term) {
    const DomainId domain = relations.domain(term, node);
    const NodeSetId among = relations.term(term).spec.nodes;
    if (!domain.is_valid() || (among.is_valid() && !relations.node_sets().has(among, node))) return;
    change({term, domain}, count);
    log_.push_back({{term, domain}, count, 0});
  };
  for (const TermId term : shape.terms.counted) add(term);
  for (const TermId term : shape.terms.held) add(term);
}

void Trial::take_back_to(std::size_t mark) {
  for (; log_.size() > mark; log_.pop_back()) {
    const Step& step = log_.back();
    if (step.count == 0) {
      volumes_.take_back_to(step.volumes);
    } else {
      change(step.place, -step.count);
    }
  }
}

}  // namespace berth::engine
