#pragma once

#include "berth/model/objects.h"
#include "document/cursor.h"

namespace berth::kube {

// What a node must have free for this pod: the larger of all its containers together and of each
// step of its start-up, and the overhead. `spec` and `status` are the pod's.
NamedAmounts read_pod_request(const document::Cursor& spec, const document::Cursor& status);

// An init container that keeps running beside the others.
bool is_sidecar(const document::Cursor& init_container);

}  // namespace berth::kube
