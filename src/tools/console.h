#pragma once

#include <ostream>

namespace berth::tools {

// Exit codes of `berth`.
inline constexpr int kExitDone = 0;
inline constexpr int kExitInternal = 1;
inline constexpr int kExitBadInput = 2;

// The streams of a command: only results go to `out`, and all messages to `err`.
struct Console {
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool may_style = false;  // `out` may get bold headings
  bool is_utf8 = false;    // `out` can show UTF-8
};

}  // namespace berth::tools
