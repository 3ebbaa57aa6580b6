#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

#include "berth/engine/fit.h"
#include "berth/engine/scarcity.h"
#include "berth/engine/session.h"
#include "berth/model/cluster.h"

// The missing resources of a job that can never start, and their texts.

namespace berth::engine {

// Of several resources that are short, the scarcest: the one with the smallest part available.
// Ties go by name, since ids of dimensions follow arrival.
class Scarcest {
 public:
  explicit Scarcest(const Cluster& cluster) : cluster_(cluster) {}
  Scarcest(const Cluster& cluster, const Shape& shape)
      : cluster_(cluster), unknown_(shape.unknown) {}

  void consider(Dimension dimension, std::int64_t have, std::int64_t need) {
    if (have >= need) return;
    if (is_found_) {
      const auto order = by_scarcity(have, need, have_, need_);
      if (order > 0 || (order == 0 && name_of(dimension) > name())) return;
    }
    is_found_ = true;
    dimension_ = dimension;
    have_ = have;
    need_ = need;
  }
  bool is_none() const { return !is_found_; }
  Verdict refusal() const { return reject(Reason::insufficient_resource, have(), need(), name()); }
  Dimension dimension() const { return dimension_; }
  const std::string& name() const { return name_of(dimension_); }
  std::int64_t have() const { return std::max<std::int64_t>(0, have_); }
  std::int64_t need() const { return need_; }

 private:
  // DIMENSION-3
  const std::string& name_of(Dimension d) const {
    const bool is_unknown = d == kUnknown && !unknown_.empty();
    return is_unknown ? unknown_.begin()->first : cluster_.dimensions().name(d);
  }

  const Cluster& cluster_;
  static inline const NamedAmounts kNone;
  const NamedAmounts& unknown_ = kNone;
  Dimension dimension_{0};
  bool is_found_ = false;
  std::int64_t have_ = 0;
  std::int64_t need_ = 1;
};

// Of the resources that the node lacks now for a pod of this shape.
inline Scarcest scarcest_on(const Cluster& cluster, const Shape& shape, NodeId node) {
  Scarcest scarcest(cluster, shape);
  const IdleNow room{cluster};
  for (const auto& [dimension, amount] : shape.requested) {
    scarcest.consider(dimension, room.at(node, dimension), amount);
  }
  return scarcest;
}

// "each needs 2 nvidia.com/gpu": of what it asks for, the largest part of what nodes have.
std::string what_each_needs(const Cluster& cluster, const Shape& shape);

// "3 unschedulable, 1 too small": so many nodes for each text, the most first.
std::string listed(const std::map<std::string, std::int32_t>& counts);

// "3 too small, 1 taint team not tolerated": each node once.
std::string refusals_text(Session& session, const Shape& shape);

// "not counted: 1 unschedulable": nodes that the pod may not run on; or empty. `all`: also those on
// which pods that never leave are in its way, room aside.
enum class NotCounted : std::uint8_t { by_specification, all };
std::string not_counted_text(Session& session, const Shape& shape, NotCounted which);

// The hint on a resource that no node has: "did you mean nvidia.com/gpu?", of those
// that nodes have, else that it may be a DeviceClass's; or empty.
std::string unknown_text(const Cluster& cluster, const std::string& name);

}  // namespace berth::engine
