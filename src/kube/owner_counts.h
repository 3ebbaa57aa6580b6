#pragma once

#include <string_view>

#include "berth/model/owner.h"
#include "document/cursor.h"

namespace berth::kube {

// Reads how many pods the object wants at once and at first, if it is of a kind that makes gangs.
// Complaints go to the cursor's Reading.
void read_counts(const document::Cursor& object, OwnerObject& owner);

// The field in the spec of one of Kubeflow's jobs that has its replicas; empty: of another kind.
std::string_view replica_specs_of(std::string_view kind);

}  // namespace berth::kube
