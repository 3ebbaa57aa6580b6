#pragma once

#include <string>
#include <vector>

#include "conf/config.h"
#include "document/cursor.h"

namespace berth::conf {

// Complains of names that a list has twice.
void require_no_doubles(const document::Cursor& list, const std::vector<std::string>& names);

// Reads the section `jobs`. `old_owners`: `reservation.owners`, which adds resources, with a
// warning.
void read_jobs(const document::Cursor& from, const document::Cursor& old_owners,
               document::Reading& reading, Config& config);

}  // namespace berth::conf
