#pragma once

#include "berth/engine/fit.h"

namespace berth::engine {

// Would kube-scheduler's filters let a pod of this shape onto the node, with the cluster as it is?
// A refusal is the first one in the order of its default profile, of the constraints that Berth
// decides. Room is what no pod has: a promise keeps nobody away, and neither do locks, queues and
// vetoes. A free volume that a plan has taken is free. The texts of the verdict live as long as the
// cluster.
Verdict fits_on(const Cluster& cluster, const Shape& shape, NodeId node);

}  // namespace berth::engine
