#pragma once

#include <cstddef>
#include <string>

#include "berth/base/result.h"

namespace berth::conf {

// All of a regular file of at most `most` bytes, or why not, with the path. Never waits, as a pipe
// or a device would have it.
Result<std::string> read_regular_file(const std::string& path, std::size_t most);

}  // namespace berth::conf
