#pragma once

#include "berth/base/clock.h"
#include "berth/model/written_status.h"

namespace berth::reconcile {

// START-2. Is a start that was written another one now, by more than a tenth of the time until then
// and a minute? A likely time that has begun is not moved because time goes on.
bool is_moved(const WrittenStart& wanted, const WrittenStart& before, TimePoint now);

}  // namespace berth::reconcile
