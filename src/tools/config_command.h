#pragma once

#include <string>

#include "berth/base/result.h"
#include "conf/config.h"

namespace berth::tools {

// Loads a configuration whose plugins accept their arguments. An empty file name means the built-in
// default.
Result<conf::Config> open_config(const std::string& file);
// The same of a text; `source` is its name in errors.
Result<conf::Config> read_config(const std::string& text, const std::string& source);

}  // namespace berth::tools
