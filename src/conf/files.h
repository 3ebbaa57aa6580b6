#pragma once

#include <cstddef>
#include <string>

#include "berth/base/result.h"

namespace berth::conf {

// Reads a regular file of at most `most` bytes. An Error names the path. It never waits, not even
// for a pipe or a device.
Result<std::string> read_regular_file(const std::string& path, std::size_t most);

}  // namespace berth::conf
