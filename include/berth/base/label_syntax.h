#pragma once

#include <string_view>

namespace berth {

// Does the API server take it for the key of a label? "app", "example.com/app".
bool is_label_key(std::string_view text);

// The same for the value. It may be empty.
bool is_label_value(std::string_view text);

}  // namespace berth
