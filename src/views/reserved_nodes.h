#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berth/model/cluster.h"
#include "berth/model/plan.h"
#include "berth/model/written_status.h"

namespace berth::views {

// The nodes that a queue has of its own, or asks for: a QueueReservation with names instead of ids.
// A value; amounts are in the units of D4.
struct ReservedNodes {
  // Of one resource, on its nodes and those of queues below it.
  struct Amount {
    std::string resource;
    std::int64_t asked = 0;
    std::int64_t idle = 0;
    std::int64_t own = 0;      // used by its pods, and by those of queues below it
    std::int64_t leaving = 0;  // used by pods of others that terminate
    std::int64_t missing = 0;  // of what is asked; neither idle nor its own
    bool operator==(const Amount&) const = default;
  };

  bool is_guaranteed = false;         // guarantee.policy Guaranteed
  bool evicts = false;                // and an action makes room on its nodes
  std::int32_t asked_nodes = 0;       // that many; 0: it asks for amounts
  std::vector<std::string> nodes;     // its own; by name
  std::vector<Amount> amounts;        // of the resources that count, by name
  bool is_met = false;                // it has the nodes, and no amount is missing
  std::int32_t score_millionths = 0;  // of the set of nodes; 0 if it is not enough
  std::string in_the_way;             // why pods of others there are not evicted; or empty
  std::string lacks;                  // why there are not enough nodes; empty: there are
  std::string clipped;                // the part of the request without effect, and why; or empty
  bool operator==(const ReservedNodes&) const = default;

  // The idle room on its nodes, of the resources that count. Amounts of 0 are left out.
  NamedAmounts idle() const;
};

ReservedNodes make_reserved_nodes(const Cluster& cluster, const Plan& plan,
                                  const QueueReservation& reservation);

}  // namespace berth::views
