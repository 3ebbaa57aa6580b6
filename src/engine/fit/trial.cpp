#include "engine/fit/trial.h"

#include <algorithm>

namespace berth::engine {

std::int32_t Trial::tried(TermId term, DomainId domain) const {
  const auto found = tried_.find({term, domain});
  return found == tried_.end() ? 0 : found->second;
}

bool Trial::is_any_tried(const std::vector<TermId>& terms) const {
  return std::any_of(terms.begin(), terms.end(), [this](TermId term) {
    const auto first = tried_.lower_bound({term, DomainId(0)});
    return first != tried_.end() && first->first.first == term;
  });
}

std::int32_t Trial::most(const Shape& shape, NodeId node, std::int32_t count) const {
  const ShapeTerms& terms = shape.terms;
  if (!terms.decide()) return count;
  if (is_outside(start_, cluster_, shape, node)) return 0;
  const PodRelations& relations = cluster_.relations();
  const auto refuses = [&](TermId term) {
    const DomainId domain = relations.domain(term, node);
    return domain.is_valid() && tried(term, domain) > 0;
  };
  if (std::any_of(terms.anti_affinity.begin(), terms.anti_affinity.end(), refuses)) return 0;
  if (std::any_of(terms.refused_by.begin(), terms.refused_by.end(), refuses)) return 0;
  // AFFINITY-3. The first of its kind chooses the domain for all.
  const bool chosen = is_any_tried(terms.affinity);
  for (const TermId term : terms.affinity) {
    const DomainId domain = relations.domain(term, node);
    if (!domain.is_valid()) return 0;
    const bool is_near =
        relations.term(term).counts.at(domain).there > 0 || tried(term, domain) > 0;
    if (chosen && !is_near) return 0;
  }
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
  const Counted there = cluster_.relations().term(term).counts.at(domain);
  const bool only_staying = occupants_ == Occupants::staying;
  return tried(term, domain) +
         (only_staying ? there.staying : there.there - there.leaving + there.promised);
}

const CountsOfDomains& Trial::counts_of(TermId term) const {
  const auto [at, is_new] = spreads_.try_emplace(term);
  if (!is_new) return at->second;
  const SpreadDomains& domains = cluster_.relations().spread(term);
  for (std::size_t d = 0; d < domains.by_domain().size(); ++d) {
    if (domains.has(DomainId(d))) at->second.add(pods_in(term, DomainId(d)));
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
  if (!has_domains) return std::clamp(wanted.max_skew - here, 0, count);
  const std::optional<std::int32_t> others = counts.lowest_beside(here);
  return others ? std::clamp(wanted.max_skew + *others - here, 0, count) : count;
}

void Trial::change(const Place& place, std::int32_t by) {
  const auto spread = spreads_.find(place.first);
  if (spread != spreads_.end()) {
    const std::int32_t pods = pods_in(place.first, place.second);
    spread->second.move(pods, pods + by);
  }
  const auto at = tried_.try_emplace(place).first;
  at->second += by;
  if (at->second == 0) tried_.erase(at);
}

void Trial::put(const Shape& shape, NodeId node, std::int32_t count) {
  if (!shape.terms.are_counted()) return;
  const PodRelations& relations = cluster_.relations();
  const auto add = [&](TermId term) {
    const DomainId domain = relations.domain(term, node);
    const NodeSetId among = relations.term(term).spec.nodes;
    if (!domain.is_valid() || (among.is_valid() && !relations.node_sets().has(among, node))) return;
    change({term, domain}, count);
    log_.push_back({{term, domain}, count});
  };
  for (const TermId term : shape.terms.counted) add(term);
  for (const TermId term : shape.terms.held) add(term);
}

void Trial::take_back_to(std::size_t mark) {
  for (; log_.size() > mark; log_.pop_back()) change(log_.back().first, -log_.back().second);
}

}  // namespace berth::engine
