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
  return refuses_next ? std::min(count, 1) : count;
}

void Trial::put(const Shape& shape, NodeId node, std::int32_t count) {
  if (!shape.terms.are_counted()) return;
  const auto add = [&](TermId term) {
    const DomainId domain = cluster_.relations().domain(term, node);
    if (!domain.is_valid()) return;
    tried_[{term, domain}] += count;
    log_.push_back({{term, domain}, count});
  };
  for (const TermId term : shape.terms.counted) add(term);
  for (const TermId term : shape.terms.held) add(term);
}

void Trial::take_back_to(std::size_t mark) {
  for (; log_.size() > mark; log_.pop_back()) {
    const auto at = tried_.find(log_.back().first);
    at->second -= log_.back().second;
    if (at->second == 0) tried_.erase(at);
  }
}

}  // namespace berth::engine
