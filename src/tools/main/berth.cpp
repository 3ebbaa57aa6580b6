#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <string_view>

#include "tools/command_line.h"

namespace {

bool may_style() {
  const char* const terminal = std::getenv("TERM");
  return std::getenv("NO_COLOR") == nullptr && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

// Reads the locale from the environment, in the order of setlocale().
bool is_utf8() {
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* const value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string_view locale(value);
    return locale.find("UTF-8") != locale.npos || locale.find("utf8") != locale.npos ||
           locale.find("utf-8") != locale.npos;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  berth::tools::Console console{.out = std::cout,
                                .err = std::cerr,
                                .out_is_terminal = isatty(STDOUT_FILENO) != 0,
                                .err_is_terminal = isatty(STDERR_FILENO) != 0,
                                .may_style = may_style(),
                                .is_utf8 = is_utf8()};
  try {
    return berth::tools::run_berth({argv + 1, argv + argc}, console);
  } catch (const std::exception& failure) {
    std::cerr << "internal error: " << failure.what() << "\n";
    return berth::tools::kExitInternal;
  }
}
