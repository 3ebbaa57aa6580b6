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

// A configuration that sessions can be run with: its plugins take their arguments too. An empty
// file name stands for the built-in default.
Result<conf::Config> open_config(const std::string& file);

}  // namespace berth::tools
