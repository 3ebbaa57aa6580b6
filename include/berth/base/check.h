#pragma once

namespace berth {

// Prints the broken invariant and aborts. All state is rebuilt from the API server, so dying is
// cheap and a wrong placement is not.
[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace berth

// For a programmer's mistake only; on in release builds too. Never reachable by user input.
#define BERTH_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::berth::check_failed(#condition, __FILE__, __LINE__))
