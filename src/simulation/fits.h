#pragma once

#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/event.h"
#include "berth/model/plan.h"
#include "conf/config.h"
#include "engine/fit/in_the_way.h"

namespace berth::simulation {

// Why a node does not take a pod. No reason: it does.
struct NodeFit {
  std::string node;
  std::string reason;   // a code
  std::string message;  // its sentence, with numbers
  std::string lock;     // "locked for target ml/a"; no part of the answer. Empty: it is not locked
  engine::NamedInTheWay in_the_way;  // pods that the reason is about
  bool fits() const { return reason.empty(); }
};

// Which nodes may take a pod, with the cluster as it is, as kube-scheduler's filters would say.
struct PodFits {
  std::string pod;                // namespace/name
  std::vector<std::string> hint;  // sorted: constraints that Berth does not decide
  std::string refused;          // a code: a reason about the pod, which each node has. Empty: none
  std::string refused_message;  // its sentence
  std::vector<NodeFit> nodes;   // by name
  std::vector<NodeRefusals> refusals;  // of these nodes, the most first

  std::size_t fit_count() const;
};

struct FitsRequest {
  std::vector<ClusterEvent> objects;  // no deletions
  conf::Config config;
  std::string pod;  // namespace/name; empty: all that wait
};

// Pods by name: the one that is asked about, or all without a node, of any scheduler, that have not
// ended and are not being deleted. Reads no clock and no file. An Error if two pods have one uid,
// or if the pod that is asked about does not wait.
Result<std::vector<PodFits>> which_nodes_fit(FitsRequest request);

}  // namespace berth::simulation
