#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <string_view>

#include "cli/arguments.h"
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

// COLUMNS, as a shell exports it, else the terminal's.
std::size_t columns() {
  if (const char* const value = std::getenv("COLUMNS"); value != nullptr) {
    const long count = std::strtol(value, nullptr, 10);
    if (count > 0) return static_cast<std::size_t>(count);
  }
  winsize size{};
  const bool is_known = isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  return is_known ? size.ws_col : 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  berth::tools::Console console{.out = std::cout,
                                .err = std::cerr,
                                .out_is_terminal = isatty(STDOUT_FILENO) != 0,
                                .err_is_terminal = isatty(STDERR_FILENO) != 0,
                                .may_style = may_style(),
                                .is_utf8 = is_utf8(),
                                .columns = columns(),
                                .program = berth::cli::program_name(argv[0], "berth")};
  try {
    return berth::tools::run_berth({argv + 1, argv + argc}, console);
  } catch (const std::exception& failure) {
    std::cerr << "internal error: " << failure.what() << "\n";
    return berth::tools::kExitInternal;
  }
}
