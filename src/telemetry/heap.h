#pragma once

#include <cstddef>

namespace berth::telemetry {

// The bytes that this process has allocated and not freed. Less than its resident memory, which
// keeps free room for later.
std::size_t heap_bytes();

}  // namespace berth::telemetry
