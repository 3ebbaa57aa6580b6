#pragma once

#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "views/start_table.h"

// The document of berthd's /starts (docs/forecast.md), of kind Starts.

namespace berth::views {

// One JSON object, ending in a line feed.
std::string write_start_table(const StartTable& table);
// Reads such a document. An Error has file:line:column.
Result<StartTable> read_start_table(std::string text, std::string_view file);

}  // namespace berth::views
