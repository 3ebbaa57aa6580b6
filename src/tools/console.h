#pragma once

#include <cstddef>
#include <ostream>
#include <string>

namespace berth::tools {

// Exit codes of `berth`.
inline constexpr int kExitDone = 0;
inline constexpr int kExitInternal = 1;
inline constexpr int kExitBadInput = 2;  // also: no answer
inline constexpr int kExitForbidden = 3;
inline constexpr int kExitNotFound = 4;

// The streams of a command: only results go to `out`, and all messages to `err`.
struct Console {
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool may_style = false;         // `out` may get bold headings
  bool is_utf8 = false;           // `out` can show UTF-8
  std::size_t columns = 0;        // of `out`; 0: any
  std::string program = "berth";  // as it was called: "kubectl berth"
};

}  // namespace berth::tools
