#pragma once

#include "berth/model/owner.h"
#include "document/cursor.h"

namespace berth::kube {

// Reads how many pods the object wants at once and at first, if it is of a kind that makes gangs.
// Complaints go to the cursor's Reading.
void read_counts(const document::Cursor& object, OwnerObject& owner);

}  // namespace berth::kube
