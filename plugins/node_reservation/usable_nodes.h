#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "berth/engine/session.h"
#include "plugins/node_reservation/node_set.h"
#include "plugins/node_reservation/queue_demand.h"
#include "plugins/node_reservation/staying_pods.h"

namespace berth::plugins {

// The nodes that a queue could have, and what each is worth to it: rules NODES-6 and NODES-7 of
// docs/design/node-reservation.md.
struct UsableNodes {
  NodeChoices choices;          // dimensions as QueueDemand::counts
  std::vector<NodeId> nodes;    // by candidate
  std::int32_t locked = 0;      // nodes that are left out: for another queue or a target
  std::int32_t claimed = 0;     // pods of others are planned there, or claim them
  std::int32_t closed = 0;      // they take no pods
  std::int32_t without = 0;     // they lack what counts
  std::int32_t filled = 0;      // with pods that stay
  std::int32_t unsuitable = 0;  // no pod of the queue may run there
};

// Reads all tasks once, for all queues that ask.
class NodeUse {
 public:
  NodeUse(engine::Session& session, const std::vector<QueueDemand>& demands,
          const std::set<std::string>& tolerated_taints);

  // Of the queue of demands[index]. `owners`: the queue that has each node now, by node.
  UsableNodes usable_for(std::size_t index, const std::vector<QueueId>& owners,
                         StayingPods::Count staying) const;
  bool has_pods(std::size_t index) const { return !queues_[index].shapes.empty(); }

 private:
  struct OfQueue {
    std::vector<TaskId> on_nodes;  // its tasks there
    std::vector<ShapeId> shapes;   // of all its tasks; each once
  };

  void read_tasks();
  void keep_unlike(std::vector<ShapeId>& shapes) const;
  void read_claims();
  bool is_locked(const QueueDemand& demand, NodeId node, QueueId owner) const;
  bool is_claimed(const QueueDemand& demand, NodeId node, QueueId owner) const;
  bool may_use(const OfQueue& queue, NodeId node, bool is_held) const;
  bool has_untolerated_taint(const Node& node) const;
  void add_node(const QueueDemand& demand, NodeId node, StayingPods::Count staying,
                NodeChoices& choices) const;
  void add_own(const QueueDemand& demand, const OfQueue& queue, StayingPods::Count staying,
               UsableNodes& usable) const;
  UsableNodes nodes_for(std::size_t index, const std::vector<QueueId>& owners,
                        StayingPods::Count staying) const;
  void keep_whole_nodes(const QueueDemand& demand, StayingPods::Count staying,
                        UsableNodes& usable) const;

  engine::Session& session_;
  const Cluster& cluster_;
  const std::vector<QueueDemand>& demands_;
  const std::set<std::string>& tolerated_taints_;
  std::vector<OfQueue> queues_;                     // by demand
  std::vector<std::vector<std::uint32_t>> takers_;  // by queue: the demands of it and those above
  StayingPods staying_;
  std::vector<std::vector<QueueId>> in_flight_;  // by node: queues with planned pods or claims
};

}  // namespace berth::plugins
