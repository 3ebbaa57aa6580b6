#pragma once

#include <array>

#include "berth/model/amount_table.h"
#include "berth/model/resources.h"

namespace berth {

// The amounts of nodes, in the units of D4: all, idle, leaving, promised. Cluster keeps them in
// step with its nodes and tasks.
//
// Law: for each node and dimension, allocatable = idle + sum of requests that occupy the node.
class NodeAccounts {
 public:
  const AmountTable& idle() const { return idle_; }
  const AmountTable& releasing() const { return releasing_; }
  const AmountTable& pipelined() const { return pipelined_; }
  const AmountTable& allocatable() const { return allocatable_; }
  // min(idle, idle + releasing - pipelined): what can be given away now without breaking a promise.
  const AmountTable& available() const { return available_; }
  // idle + releasing - pipelined: what will be there once those that leave have left.
  std::int64_t future_idle(NodeId node, Dimension d) const {
    return idle_.at(node, d) + releasing_.at(node, d) - pipelined_.at(node, d);
  }
  const Resources& total_allocatable() const { return total_allocatable_; }
  const Resources& total_used() const { return total_used_; }
  // By tasks of no queue: pods that are not ours, and those whose queue is gone.
  const AmountTable& foreign() const { return foreign_; }
  // By tasks that never leave by themselves. Jobs that wait for a node do not wait for these.
  const AmountTable& staying() const { return staying_; }
  // Of that, by tasks that came with the node.
  const AmountTable& of_nodes() const { return of_nodes_; }
  const Resources& used_nowhere() const { return used_nowhere_; }  // by queued tasks, unknown nodes

 protected:
  std::array<AmountTable*, 8> tables() {
    return {&idle_,      &releasing_, &pipelined_, &allocatable_,
            &available_, &foreign_,   &staying_,   &of_nodes_};
  }
  void update_available(NodeId node, Dimension d) {
    const std::int64_t promised = pipelined_.at(node, d) - releasing_.at(node, d);
    available_.at(node, d) = idle_.at(node, d) - (promised > 0 ? promised : 0);
  }

  AmountTable idle_, releasing_, pipelined_, allocatable_, available_;
  AmountTable foreign_, staying_, of_nodes_;
  Resources total_allocatable_, total_used_, used_nowhere_;
};

}  // namespace berth
