#pragma once

#include "conf/config.h"
#include "document/cursor.h"

namespace berth::conf {

void read_constraints(document::Reading& reading, const document::Cursor& from,
                      ConstraintsSettings& to);
// Reads the section `evictionLimit`.
void read_eviction_limits(document::Reading& reading, const document::Cursor& from,
                          engine::EvictionLimits& to);
void read_history(document::Reading& reading, const document::Cursor& from, HistorySettings& to);
void read_topology(document::Reading& reading, const document::Cursor& from, TopologySettings& to);

}  // namespace berth::conf
