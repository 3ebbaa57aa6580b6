#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "document/cursor.h"

namespace berth::conf {

// Complains about the first key of `map` that is neither in the table of keys under `section` nor
// in `further`.
void require_known_keys(document::Reading& reading, const document::Cursor& map,
                        std::string_view section, const std::vector<std::string>& further = {});

}  // namespace berth::conf
