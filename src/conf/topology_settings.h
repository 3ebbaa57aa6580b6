#pragma once

#include "conf/config.h"
#include "document/cursor.h"

namespace berth::conf {

void read_topology(document::Reading& reading, const document::Cursor& from, TopologySettings& to);

}  // namespace berth::conf
