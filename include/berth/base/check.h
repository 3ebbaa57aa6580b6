#pragma once

namespace berth {

// Prints the broken invariant and aborts. The API server holds all state, so a crash is cheap; a
// wrong placement is not.
[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace berth

// For a programmer's mistake only; on in release builds, too. User input must never reach it.
#define BERTH_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::berth::check_failed(#condition, __FILE__, __LINE__))
