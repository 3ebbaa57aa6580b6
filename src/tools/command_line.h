#pragma once

#include <string>
#include <vector>

#include "tools/console.h"

namespace berth::tools {

// Runs `berth` with these arguments, the program's name left out, and returns its exit code. Bad
// input leaves nothing on `out`.
int run_berth(const std::vector<std::string>& arguments, Console& console);

}  // namespace berth::tools
