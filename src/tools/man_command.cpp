#include <CLI/CLI.hpp>
#include <memory>

#include "cli/arguments.h"
#include "cli/manual.h"
#include "tools/command.h"
#include "tools/output.h"

// Hidden: the build makes manual pages with it.

namespace berth::tools {

namespace {

std::string see_also(const CLI::App& berth, const std::string& command) {
  std::string text = command.empty() ? "" : "berth(1), ";
  for (const CLI::App* const each : cli::visible_commands(berth)) {
    const std::string name = each->get_name();
    if (name != command && name != "help") text += "berth-" + name + "(1), ";
  }
  return text + "berthd(8)";
}

}  // namespace

Command add_man(CLI::App& berth) {
  CLI::App* const command = berth.add_subcommand("man", "Prints a manual page.");
  command->group("");
  const auto name = std::make_shared<std::string>();
  command->add_option("COMMAND", *name, "A command; none: berth itself");
  return {command, [name, &berth](Console& console) -> Result<int> {
            const CLI::App* const about = name->empty() ? &berth : cli::command_named(berth, *name);
            if (about == nullptr) {
              return Error{"\"" + *name + "\" is not a command of berth", "man"};
            }
            return finish(cli::manual_page(*about, 1, see_also(berth, *name)), console);
          }};
}

}  // namespace berth::tools
