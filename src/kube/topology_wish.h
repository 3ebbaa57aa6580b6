#pragma once

#include "berth/model/objects.h"
#include "document/cursor.h"

// How near pods are to be, in the words of several systems: TOPO-9 of docs/design/topology.md. Each
// value that cannot be meant is a sentence of the wish, and the rest counts.

namespace berth::kube {

// By the annotations of a pod: ours, KAI's and Kueue's.
TopologyWish read_pod_wish(const document::Cursor& pod);

// By the annotations of an object that controls pods: ours and KAI's.
TopologyWish read_owner_wish(const document::Cursor& owner);

// Of a PodGroup: by its annotations, and by its spec as that API has it.
TopologyWish read_group_wish(const document::Cursor& group, GroupApi api);

}  // namespace berth::kube
