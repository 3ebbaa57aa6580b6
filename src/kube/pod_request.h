#pragma once

#include "berth/model/objects.h"
#include "conf/cursor.h"

namespace berth::kube {

// What a node must have free for this pod: the larger of all its containers together and of each
// step of its start-up, and the overhead. `spec` and `status` are the pod's.
NamedAmounts read_pod_request(const conf::Cursor& spec, const conf::Cursor& status);

// An init container that keeps running beside the others.
bool is_sidecar(const conf::Cursor& init_container);

}  // namespace berth::kube
