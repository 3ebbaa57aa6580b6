#pragma once

#include "conf/config.h"
#include "document/cursor.h"

namespace berth::conf {

// Reads the section `constraints`.
void read_constraints(document::Reading& reading, const document::Cursor& from,
                      ConstraintsSettings& to);

}  // namespace berth::conf
