#pragma once

#include <string>

namespace CLI {
class App;
}

namespace berth::cli {

// The manual page of a program or a subcommand, in roff (man(7)), from the same tree as its --help.
// `section`: 1 for commands, 8 for daemons. `see_also`: "berthd(8)", ...
std::string manual_page(const CLI::App& command, int section, const std::string& see_also);

}  // namespace berth::cli
