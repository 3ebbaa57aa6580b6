#pragma once

#include <string>

#include "berth/base/result.h"
#include "conf/config.h"
#include "tools/console.h"

namespace berth::tools {

struct ConfigFlags {
  std::string check;  // file
  bool show_default = false;
};

int run_config(const ConfigFlags& flags, Console& console);

// Loads a configuration whose plugins accept their arguments. An empty file name means the built-in
// default.
Result<conf::Config> open_config(const std::string& file);

}  // namespace berth::tools
