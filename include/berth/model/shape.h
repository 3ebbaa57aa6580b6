#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "berth/base/strong_id.h"
#include "berth/model/images.h"
#include "berth/model/objects.h"
#include "berth/model/resources.h"

namespace berth {

// The terms that a pod has, and those of any pod that match it.
struct ShapeTerms {
  std::vector<TermId> matched;           // that match it; sorted
  std::vector<TermId> counted;           // of these, those that count it
  std::vector<TermId> refused_by;        // of these, those that others hold against it
  std::vector<TermId> affinity;          // its own, one for each key
  std::vector<TermId> anti_affinity;     // its own
  std::vector<TermId> held;              // its own, as others meet them
  std::vector<TermId> spread;            // its own, as Relations::spread
  std::vector<TermId> preferred;         // its own, as Relations::preferred
  std::vector<TermId> preferred_spread;  // its own, as Relations::preferred_spread
  std::vector<TermId> drawn_by;          // of those that match it: preferences of others
  bool matches_own_affinity = false;
  bool refuses_itself = false;  // by a term of its own anti-affinity: one in each domain

  // Do placements of such a pod change counts?
  bool are_counted() const { return !counted.empty() || !held.empty(); }
  // Do counts decide where such a pod may go?
  bool decide() const {
    return !affinity.empty() || !anti_affinity.empty() || !refused_by.empty() || !spread.empty();
  }
  bool are_empty() const {
    return matched.empty() && !decide() && held.empty() && preferred_spread.empty();
  }
};

// The request and the constraints of a pod. Tasks of one shape are interchangeable to every
// predicate and score, so feasibility and ranking are computed once for each shape.
struct Shape {
  ShapeId id;
  // Never given twice. Ids of shapes that no task has any more are given again.
  std::uint64_t serial = 0;
  // RELATION-1. The same without relations and images. Its own id: it has none.
  ShapeId base;
  std::uint32_t uses = 0;  // by tasks, and by shapes of which it is the base
  Resources request;
  // The non-zero part of `request`, by dimension. The hot pass reads it.
  std::vector<std::pair<Dimension, std::int64_t>> requested;
  NamedAmounts unknown;     // what kUnknown stands for in `request`
  NamedAmounts of_classes;  // DIMENSION-4: devices that only kube-scheduler can find
  Constraints constraints;
  ShapeTerms terms;
  std::vector<ImageId> images;  // as Constraints::images
  std::string key;              // shape_key() of it
  std::size_t checks = 0;       // bounds::checks_of() it
  bool is_best_effort = false;  // requests nothing but a pod's place
  bool has_host_ports = false;  // feasibility also depends on the node's other tasks
  bool has_volumes = false;     // VolumeTable has what they take on nodes
  // Has constraints that are not modelled, so its plan is a preference.
  bool is_hint = false;

  // All that its base lacks are preferences: where it fits, its base does, and the reverse.
  bool only_prefers = false;
  // Of its own request and requirements. By this, vetoes and refused plans know it.
  std::uint64_t lasting_key = 0;

  bool has_relations() const { return base != id && !only_prefers; }
  // HINT-1. It is a hint because of these: "resourceClaims", "example.com/gpu of a DeviceClass".
  std::vector<std::string> unmodelled() const;
};

// Equal for two pods exactly if they have the same request and constraints. `request` by resource
// name.
std::string shape_key(const NamedAmounts& request, const Constraints& constraints);

}  // namespace berth
