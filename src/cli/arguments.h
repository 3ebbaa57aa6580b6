#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

// Parts of a command line that CLI11 does not have, for berth and berthd.

namespace berth::cli {

// "berth plan"
std::string full_name(const CLI::App& command);

// The error about the first argument that CLI11 did not accept: a flag with a suggestion, or a word
// too many. Empty if there is none. `app` allows extras, and so do its subcommands.
std::string argument_error(const CLI::App& app);

// "help", "help plan" -> "--help", "plan --help".
std::vector<std::string> without_help_word(std::vector<std::string> arguments);

// The subcommands that are not hidden.
std::vector<const CLI::App*> visible_commands(const CLI::App& app);

// The subcommand of that name; null if there is none.
const CLI::App* command_named(const CLI::App& app, const std::string& name);

// The values of an option or positional whose type is "table|json"; empty if it is another type.
std::vector<std::string> values_of(const CLI::Option& option);

// True if a file is expected: the type has FILE or DIR.
bool takes_files(const CLI::Option& option);

// "kubectl berth" for kubectl's plugin, else `name`. `called_as` is the program's path.
std::string program_name(const std::string& called_as, const std::string& name);

}  // namespace berth::cli
