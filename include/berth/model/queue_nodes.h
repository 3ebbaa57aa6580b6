#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/strong_id.h"
#include "berth/model/spared.h"

// Nodes that a queue has of its own (S3): only pods of the queue, and of queues below it, are
// placed there. The rules are in docs/design/node-reservation.md.

namespace berth {

// Label of such a node, and key of its taint if taints enforce locks. Its value is
// queue_lock_value().
inline constexpr const char* kLockedForQueueLabel = "berth.dev/locked-for-queue";
inline constexpr const char* kLockedForQueueSinceAnnotation = "berth.dev/locked-for-queue-since";
// Before such a value in LockTolerations and ports::PodWrite, which have those for targets, too.
inline constexpr std::string_view kLockedForQueue = "queue.";

// The name of the queue; "uid.UID" if the name is too long for a label.
std::string queue_lock_value(const std::string& name, const std::string& uid);

// The lock of a node for a queue. A node may be locked for a target as well: then only the pods of
// the target are placed there, and it stays the queue's.
struct QueueLock {
  QueueId queue;  // invalid: none
  TimePoint since;
  bool operator==(const QueueLock&) const = default;
};

// How its nodes were chosen, the last time.
struct NodeChoice {
  std::int32_t score_millionths = 0;  // of the set; 0 if it is not enough
  std::string lacks;                  // why there are not enough nodes; empty: there are
  bool operator==(const NodeChoice&) const = default;
};

// The nodes that a queue should have from now on. May be none.
struct QueueNodes {
  QueueId queue;
  std::vector<NodeId> nodes;  // by id
  NodeChoice choice;
  bool operator==(const QueueNodes&) const = default;
};

// A queue that asks for nodes, or has some, after a session.
struct QueueReservation {
  // Of one resource, on its nodes and those of queues below it. Met: idle + own >= asked.
  struct Amount {
    Dimension dimension;
    std::int64_t asked = 0;
    std::int64_t idle = 0;
    std::int64_t own = 0;      // used by its pods, and by those of queues below it
    std::int64_t leaving = 0;  // used by pods of others that terminate
    std::int64_t missing() const { return asked > idle + own ? asked - idle - own : 0; }
    bool operator==(const Amount&) const = default;
  };

  QueueId queue;
  bool evicts = false;           // policy Guaranteed
  std::int32_t asked_nodes = 0;  // that many; 0: it asks for amounts
  std::vector<NodeId> nodes;     // its own; by id
  std::vector<Amount> amounts;   // of the resources that count, by their names
  NodeChoice choice;
  std::vector<Spared> spared;  // policy Guaranteed, in the way: pods that may not leave; most first
  std::string clipped;         // the part of the request without effect, and why; or empty
  bool is_met = false;
  bool operator==(const QueueReservation&) const = default;
};

}  // namespace berth
