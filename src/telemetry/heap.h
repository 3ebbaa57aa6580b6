#pragma once

#include <cstddef>

namespace berth::telemetry {

// What this process has allocated and not given back. Less than its resident memory, which keeps
// what is free for later.
std::size_t heap_bytes();

}  // namespace berth::telemetry
