#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/when/search.h"
#include "views/text_table.h"

namespace berth::tools {

// The member `search` of the kind Forecast, docs/when.md.
nlohmann::ordered_json search_json(const SearchResult& result, TimePoint now);
std::string search_table(const SearchResult& result, TimePoint now, views::TextStyle style);

}  // namespace berth::tools
