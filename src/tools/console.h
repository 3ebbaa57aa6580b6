#pragma once

#include <ostream>

namespace berth::tools {

// Exit codes of `berth`.
inline constexpr int kExitDone = 0;
inline constexpr int kExitInternal = 1;
inline constexpr int kExitBadInput = 2;

// Where a command speaks: results on `out` and nothing else there, all other words on `err`.
struct Console {
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool may_style = false;  // bold headings are welcome on `out`
  bool is_utf8 = false;    // `out` can show more than ASCII
};

}  // namespace berth::tools
