#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "berth/base/look_up.h"
#include "berth/engine/start.h"
#include "berth/model/cluster.h"

namespace berth::engine {

// RELATION-9. The domains that are tried: for the first seeker; for each further one, within a
// domain of those before; and all attempts together.
inline constexpr std::size_t kDomainsTried = 64;
inline constexpr std::size_t kDomainsTriedWithin = 8;
inline constexpr int kAttemptsMost = 128;

// RELATION-9. A shape whose pods want others near them. There are none yet, and some of those that
// wait are such pods: the first of them chooses the domain.
struct Seeker {
  ShapeId shape;
  ShapeId leader;  // of the first; a shape may be its own
  TermId term;
};

// The one to be given a domain next, among these shapes in the order of placement: its leader waits
// for no other shape, and of several its key has most domains. `decided`: they have theirs already.
std::optional<Seeker> next_seeker(const Cluster& cluster, const std::vector<ShapeId>& shapes,
                                  const std::vector<Start>& decided = {});

// The shapes of those that are pending, in their order.
std::vector<ShapeId> shapes_pending(const Cluster& cluster, const std::vector<TaskId>& tasks);

// Moves the first task of each leader to the front: the others could not be placed before it.
void leaders_first(const Cluster& cluster, std::vector<TaskId>& tasks);

inline bool wants_near(const Shape& shape, TermId term) {
  const std::vector<TermId>& wanted = shape.terms.affinity;
  return is_any_of(term, wanted);
}

inline bool is_wanted_near(const Shape& shape, TermId term) {
  return std::binary_search(shape.terms.matched.begin(), shape.terms.matched.end(), term);
}

}  // namespace berth::engine
