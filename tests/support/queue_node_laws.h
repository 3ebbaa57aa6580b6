#pragma once

#include <string>
#include <vector>

#include "support/laws.h"

namespace berth::support {

// The queue that has each node after the plan. Invalid: none.
std::vector<QueueId> queues_of_nodes(const Cluster& before, const Plan& plan);

// Is the queue this one, or below it? By the names of parents alone.
bool is_of_queue(const Cluster& cluster, QueueId queue, QueueId above);

// The laws of nodes of queues that a plan breaks: each has one queue and no target of another; no
// pod of others is newly placed there; who leaves for a queue is on its nodes, and needed.
std::vector<std::string> broken_queue_node_laws(const Cluster& before, const Plan& plan,
                                                const LawBook& book);

}  // namespace berth::support
