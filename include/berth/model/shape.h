#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "berth/base/strong_id.h"
#include "berth/model/objects.h"
#include "berth/model/resources.h"

namespace berth {

// What a pod asks for and where it may run. Tasks of one shape are interchangeable to every
// predicate and score, so feasibility and ranking are worked out once per shape.
struct Shape {
  ShapeId id;
  Resources request;
  // The non-zero part of `request`, by dimension; what the hot pass walks.
  std::vector<std::pair<Dimension, std::int64_t>> requested;
  Constraints constraints;
  bool is_best_effort = false;  // asks for nothing but a pod's place
  bool has_host_ports = false;  // feasibility also depends on who else is on the node
  bool is_hint = false;         // has constraints that are not modelled: a plan is a preference
};

// Equal for two pods exactly if they have the same shape. `request` by resource name.
std::string shape_key(const NamedAmounts& request, const Constraints& constraints);

}  // namespace berth
