#pragma once

#include "berth/model/objects.h"
#include "document/cursor.h"

namespace berth::kube {

// The room that this pod needs on a node: the larger of all containers together and each step of
// the start-up, plus the overhead. Takes the pod's spec and status.
NamedAmounts read_pod_request(const document::Cursor& spec, const document::Cursor& status);

// An init container that keeps running beside the others.
bool is_sidecar(const document::Cursor& init_container);

}  // namespace berth::kube
