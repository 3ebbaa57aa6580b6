#pragma once

#include <map>
#include <string>
#include <vector>

#include "berth/model/cluster.h"
#include "berth/model/plan.h"

namespace berth::support {

// A plan without ids. Plans of clusters with another history can be compared.
struct NamedRefusal {
  Reason reason = Reason::none;
  std::int64_t have = 0;
  std::int64_t need = 0;
  std::string what;
  std::string message;
  bool operator==(const NamedRefusal&) const = default;
};

// The demand of a queue for nodes of its own, and its nodes.
struct NamedQueueNodes {
  bool evicts = false;
  std::int32_t asked_nodes = 0;
  std::vector<std::string> nodes;
  // "asked", "idle", "own", "leaving", "missing", by the names of resources.
  std::map<std::string, NamedAmounts> amounts;
  NodeChoice choice;
  std::string clipped;
  bool is_met = false;
  bool operator==(const NamedQueueNodes&) const = default;
  std::string to_string() const;
};

struct NamedPlan {
  std::vector<std::string> binds;  // "ns/pod on node", in the order of decision
  std::vector<std::string> pipelined;
  // "ns/pod from node for ns/job by action as surplus"; or "for queue q"
  std::vector<std::string> evictions;
  std::vector<std::string> considered;  // "ns/job by preempt not_enough_leave 3/5 of 3 pods"
  std::vector<std::string> spared;      // "ns/job by preempt not_lower 3 pods"
  std::vector<std::string> admitted;
  std::vector<std::string> returned;
  std::vector<std::string> reservations;               // "ns/job by multi-node on n1 n2"
  std::vector<std::string> ended;                      // "ns/job started"
  std::vector<std::string> relocked;                   // "n1 for q", "n1 for nobody"; by node
  std::map<std::string, NamedQueueNodes> queue_nodes;  // by queue
  std::map<std::string, NamedRefusal> refusals;        // by job
  std::vector<std::string> order;
  // "deserved", "guarantee", "capability" -> queue -> amounts that are not 0.
  std::map<std::string, std::map<std::string, NamedAmounts>> shares;
  bool operator==(const NamedPlan&) const = default;

  bool changes_nothing() const {
    return binds.empty() && evictions.empty() && admitted.empty() && returned.empty() &&
           relocked.empty();
  }
  // For people, with a line for each item.
  std::string to_string() const;
};

NamedPlan by_names(const Cluster& cluster, const Plan& plan);

}  // namespace berth::support
