#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "berth/base/strong_id.h"
#include "berth/model/objects.h"
#include "berth/model/resources.h"

namespace berth {

// The request and the constraints of a pod. Tasks of one shape are interchangeable to every
// predicate and score, so feasibility and ranking are computed once for each shape.
struct Shape {
  ShapeId id;
  Resources request;
  // The non-zero part of `request`, by dimension. The hot pass reads it.
  std::vector<std::pair<Dimension, std::int64_t>> requested;
  Constraints constraints;
  bool is_best_effort = false;  // requests nothing but a pod's place
  bool has_host_ports = false;  // feasibility also depends on the node's other tasks
  // Has constraints that are not modelled, so its plan is a preference.
  bool is_hint = false;
};

// Equal for two pods exactly if they have the same shape. `request` by resource name.
std::string shape_key(const NamedAmounts& request, const Constraints& constraints);

}  // namespace berth
