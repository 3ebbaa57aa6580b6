#pragma once

#include <string>
#include <vector>

#include "tools/console.h"

namespace berth::tools {

// Runs `berth` with these arguments (without the program's name) and returns its exit code. Bad
// input writes nothing to `out`.
int run_berth(const std::vector<std::string>& arguments, Console& console);

}  // namespace berth::tools
