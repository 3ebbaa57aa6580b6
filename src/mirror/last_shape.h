#pragma once

#include <cstdint>

#include "berth/model/cluster.h"
#include "berth/model/objects.h"

namespace berth::mirror {

// The shape of the last pod. Pods of a job come one after the other, and are of one shape.
class LastShape {
 public:
  // Invalid: it is another, or depends on more than the pod asks for.
  ShapeId of(const Cluster& cluster, const PodObject& pod) const {
    const bool is_there = shape_.is_valid() && shape_.index() < cluster.shape_count() &&
                          cluster.shape(shape_).serial == serial_;
    const bool is_same = is_there && cluster.relations().terms().size() == 0 &&
                         request_ == pod.request && constraints_ == pod.constraints;
    return is_same ? shape_ : ShapeId();
  }

  void note(const Cluster& cluster, const PodObject& pod, ShapeId shape) {
    if (!pod.constraints.relations.are_empty()) return;
    shape_ = shape;
    serial_ = cluster.shape(shape).serial;
    request_ = pod.request;
    constraints_ = pod.constraints;
  }

 private:
  ShapeId shape_;
  std::uint64_t serial_ = 0;
  NamedAmounts request_;
  Constraints constraints_;
};

}  // namespace berth::mirror
