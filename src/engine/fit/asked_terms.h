#pragma once

#include <vector>

#include "berth/base/look_up.h"
#include "berth/engine/fit.h"

namespace berth::engine {

// The terms of a shape that a question is about: all, or those with one of these topology keys.
class AskedTerms {
 public:
  AskedTerms() = default;
  explicit AskedTerms(const std::vector<TopologyKeyId>& keys) : keys_(&keys) {}
  bool include(const Term& term) const { return keys_ == nullptr || is_any_of(term.key, *keys_); }

 private:
  const std::vector<TopologyKeyId>* keys_ = nullptr;
};

// Does one of them refuse the node? Then it refuses all nodes that are alike in their keys.
bool lacks_pods_near(const Place& place, AskedTerms asked);
bool is_kept_away(const Place& place, const std::vector<TermId>& terms, AskedTerms asked);
Verdict check_spread(const Place& place, AskedTerms asked);

inline bool do_terms_refuse(const Place& place, AskedTerms asked) {
  const ShapeTerms& terms = place.shape.terms;
  return !check_spread(place, asked) || lacks_pods_near(place, asked) ||
         is_kept_away(place, terms.anti_affinity, asked) ||
         is_kept_away(place, terms.refused_by, asked);
}

}  // namespace berth::engine
