#include <memory>

#include "berth/base/text.h"
#include "cli/completion.h"
#include "tools/command.h"
#include "tools/option.h"
#include "tools/output.h"

namespace berth::tools {

namespace {

constexpr const char* kCompletionMore =
    "Packages install these scripts. kubectl completes `kubectl berth` by the program\n"
    "kubectl_complete-berth beside it.\n"
    "\n"
    "Examples:\n"
    "  source <(berth completion bash)\n"
    "  berth completion zsh > ~/.zfunc/_berth\n"
    "  berth completion fish > ~/.config/fish/completions/berth.fish\n"
    "\n"
    "Exit status: 0 done, 2 bad input, 1 an internal error.";

}  // namespace

Command add_completion(CLI::App& berth) {
  CLI::App* const command =
      berth.add_subcommand("completion", "Prints a shell's script for completion.");
  const auto shell = std::make_shared<std::string>();
  command->footer(kCompletionMore);
  add_option(*command, "SHELL", *shell, "bash|zsh|fish", "The shell")->required();
  return {command, [shell](Console& console) -> Result<int> {
            const auto script = cli::completion_script(*shell, "berth");
            if (script) return finish(*script, console);
            const std::vector<std::string> known{"bash", "fish", "zsh"};
            return Error{"\"" + *shell + "\" is no shell that has completion here" +
                             suggestion(*shell, known),
                         "completion"};
          }};
}

}  // namespace berth::tools
