#include "engine/fit/relation_bound.h"

#include <algorithm>

namespace berth::engine {

ApartBound::ApartBound(const Cluster& cluster, const Shape& shape) : cluster_(cluster) {
  const ShapeTerms& terms = shape.terms;
  for (const TermId term : terms.anti_affinity) {
    const bool is_own = std::binary_search(terms.matched.begin(), terms.matched.end(), term);
    if (is_own) terms_.push_back({term, {}});
  }
}

void ApartBound::add(NodeId node, std::int64_t pods) {
  all_ += pods;
  for (OfTerm& each : terms_) {
    const DomainId domain = cluster_.relations().domain(each.term, node);
    if (domain.is_valid()) {
      each.domains.insert(domain);
    } else {
      each.outside += pods;
    }
  }
}

const ApartBound::OfTerm* ApartBound::least() const {
  const auto found = std::min_element(
      terms_.begin(), terms_.end(),
      [](const OfTerm& left, const OfTerm& right) { return left.pods() < right.pods(); });
  return found == terms_.end() ? nullptr : &*found;
}

std::int64_t ApartBound::pods() const {
  const OfTerm* const term = least();
  return term == nullptr ? all_ : std::min(all_, term->pods());
}

std::string ApartBound::why() const {
  const OfTerm* const term = least();
  if (term == nullptr) return {};
  return sentence(Reason::pod_anti_affinity_mismatch, 0, 0, {}) + ": one for each " +
         cluster_.relations().term(term->term).spec.topology_key;
}

// --- spreads ----------------------------------------------------------------------------------

SpreadBound::SpreadBound(const Cluster& cluster, const Shape& shape, std::size_t spread)
    : cluster_(cluster),
      wanted_(shape.constraints.relations.spread[spread]),
      term_(shape.terms.spread[spread]) {
  const PodRelations& relations = cluster_.relations();
  const Term& term = relations.term(term_);
  domains_.resize(relations.domains().count(term.key));
  for (std::size_t d = 0; d < domains_.size(); ++d) {
    const Counted counted = term.counts.at(DomainId(d));
    domains_[d].is_counted = relations.spread(term_).has(DomainId(d));
    domains_[d].there = counted.there + counted.promised;
    domains_[d].others = domains_[d].there;
    domains_[d].staying = counted.staying;
  }
}

bool SpreadBound::does_count(NodeId node, DomainId domain) const {
  const PodRelations& relations = cluster_.relations();
  return domain.is_valid() && relations.node_sets().has(relations.term(term_).spec.nodes, node);
}

void SpreadBound::add(NodeId node, std::int64_t pods) {
  const DomainId domain = cluster_.relations().domain(term_, node);
  (does_count(node, domain) ? domains_[domain.index()].own : outside_) += pods;
}

void SpreadBound::add_others(NodeId node, std::int64_t pods) {
  const DomainId domain = cluster_.relations().domain(term_, node);
  if (does_count(node, domain)) domains_[domain.index()].others += pods;
}

bool SpreadBound::has_domains() const {
  return cluster_.relations().spread(term_).size() >= static_cast<std::size_t>(wanted_.min_domains);
}

const SpreadBound::Domain* SpreadBound::lowest() const {
  const Domain* lowest = nullptr;
  const auto value = [this](const Domain& domain) -> const std::string& {
    const PodRelations& relations = cluster_.relations();
    return relations.domains().value(relations.term(term_).key,
                                     DomainId(static_cast<std::size_t>(&domain - domains_.data())));
  };
  for (const Domain& each : domains_) {
    if (!each.is_counted) continue;
    const std::int64_t more =
        lowest == nullptr ? -1 : each.own + each.others - (lowest->own + lowest->others);
    if (more < 0 || (more == 0 && value(each) < value(*lowest))) lowest = &each;
  }
  return lowest;
}

// SPREAD-12. Members that are there already may be more than the skew would admit now.
std::int64_t SpreadBound::pods() const {
  const Domain* const least = lowest();
  const std::int64_t lowest =
      has_domains() && least != nullptr ? least->own + least->others : std::int64_t{0};
  std::int64_t pods = outside_;
  for (const Domain& each : domains_) {
    const std::int64_t most = std::max(each.there, lowest + wanted_.max_skew - each.staying);
    pods += std::clamp<std::int64_t>(most, 0, each.own);
  }
  return pods;
}

std::string SpreadBound::why() const {
  const PodRelations& relations = cluster_.relations();
  const std::string& key = relations.term(term_).spec.topology_key;
  const std::string skew = "maxSkew is " + std::to_string(wanted_.max_skew);
  const std::string words = sentence(Reason::topology_spread, 0, 0, {}) + ": ";
  const std::string domains = std::to_string(relations.spread(term_).size());
  const Domain* const least = lowest();
  if (!has_domains() || least == nullptr) {
    return words + key + " has " + domains + " domains, minDomains is " +
           std::to_string(wanted_.min_domains) + ", and " + skew;
  }
  const DomainId id(static_cast<std::size_t>(least - domains_.data()));
  return words + key + " " + relations.domains().value(relations.term(term_).key, id) +
         " can have " + std::to_string(least->own + least->others) + " of such pods, and " + skew;
}

}  // namespace berth::engine
