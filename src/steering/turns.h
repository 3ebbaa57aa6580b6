#pragma once

#include <vector>

#include "berth/model/cluster.h"

// Which pods of a job kube-scheduler may try now, where it matters who comes first (RELATION-12).

namespace berth::steering {

// Does kube-scheduler's answer for such a pod depend on which of its job came before? Anti-affinity
// does not: it holds in any order.
bool depends_on_order(const Cluster& cluster, const Shape& shape);

// SPREAD-10. kube-scheduler would count the pods of one node alone, if the pod required its node.
bool is_shown_by_nomination(const Shape& shape);

// SPREAD-11. A nomination of such a pod is in the way of others of its spread.
bool is_counted_by_spread(const Cluster& cluster, const Shape& shape);

// STEER-16. Such planned pods of one shape may exchange their places. A pod tolerates the taint of
// a lock only where it is planned.
bool is_exchangeable(const Cluster& cluster, const Task& task, bool locks_are_taints);

// A pod that is planned and not bound.
struct Turn {
  TaskId task;
  bool may_exchange = false;  // with those of its shape, which get their places in the plan's order
  bool has_come = false;      // its bind call is there
  bool is_its = false;        // kube-scheduler may try it
};

// Gives a turn to those that may come now. `pods`: those among which the order matters, in the
// order of the plan. `is_order_kept`: kube-scheduler tries them in the order in which they get
// their turns; else in any. If nobody is on the way, one gets a turn at least.
void give_turns(const Cluster& cluster, bool is_order_kept, std::vector<Turn>& pods);

}  // namespace berth::steering
