#pragma once

#include "conf/config.h"
#include "document/cursor.h"

namespace berth::conf {

// Reads the section `history`.
void read_history(document::Reading& reading, const document::Cursor& from, HistorySettings& to);

}  // namespace berth::conf
