#pragma once

#include <vector>

#include "berth/model/objects.h"

// The verdict of kube-scheduler's own filter plugins on a pod and a node, without the node's use.
// Written from the API's rules; on purpose not shared with the session's predicates.

namespace berth::embedded {

// NodeUnschedulable, TaintToleration, NodeAffinity.
bool node_admits(const NodeObject& node, const PodObject& pod);

// NodePorts: true if one of `wanted` conflicts with `taken`.
bool ports_clash(const std::vector<HostPort>& wanted, const std::vector<HostPort>& taken);

}  // namespace berth::embedded
