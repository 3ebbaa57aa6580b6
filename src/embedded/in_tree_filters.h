#pragma once

#include <vector>

#include "berth/model/objects.h"

// What kube-scheduler's own filter plugins think of a pod on a node, apart from how full it is.
// Written from the API's rules and on purpose not shared with the session's predicates.

namespace berth::embedded {

// NodeUnschedulable, TaintToleration, NodeAffinity.
bool node_admits(const NodeObject& node, const PodObject& pod);

// NodePorts: one of `wanted` cannot be opened beside `taken`.
bool ports_clash(const std::vector<HostPort>& wanted, const std::vector<HostPort>& taken);

}  // namespace berth::embedded
