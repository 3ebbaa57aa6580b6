#pragma once

#include "berth/model/objects.h"
#include "conf/cursor.h"

namespace berth::kube {

// What a node must have free for this pod: the larger of all its containers together and of each
// step of its start-up, and the overhead. `spec` is the pod's spec.
NamedAmounts read_pod_request(const conf::Cursor& spec);

// An init container that keeps running beside the others.
bool is_sidecar(const conf::Cursor& init_container);

}  // namespace berth::kube
