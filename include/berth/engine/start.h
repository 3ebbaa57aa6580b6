#pragma once

#include <optional>
#include <vector>

#include "berth/model/cluster.h"

namespace berth::engine {

// RELATION-9. Pods with this term of affinity go to this domain and to no other, and so do pods
// that match it until one is there. It says where the first goes; the others must follow it anyway.
struct Start {
  TermId term;
  DomainId domain;
};

// Is the node outside of the domain, for a pod of this shape?
bool is_outside(const std::optional<Start>& start, const Cluster& cluster, const Shape& shape,
                NodeId node);

// The term by which pods of this shape want others near them while there are none: of several, the
// one with most domains. Invalid: there is none.
TermId term_to_start_with(const Cluster& cluster, const Shape& shape);

}  // namespace berth::engine
