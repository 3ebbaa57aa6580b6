#pragma once

#include "berth/engine/eviction_limits.h"
#include "document/cursor.h"

namespace berth::conf {

// Reads the section `evictionLimit`.
void read_eviction_limits(document::Reading& reading, const document::Cursor& from,
                          engine::EvictionLimits& to);

}  // namespace berth::conf
