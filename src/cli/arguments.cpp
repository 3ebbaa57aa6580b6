#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "berth/base/text.h"

namespace berth::cli {

namespace {

std::vector<std::string> flag_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : command.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// `--conifg` has a suggestion; the other words of an unknown command would repeat all flags.
std::string flag_error(const CLI::App& command, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  const std::string text = name + ": no such flag of " + full_name(command);
  const std::vector<std::string> names = flag_names(command);
  if (const auto near = did_you_mean(name, names))
    return text + "; did you mean \"" + *near + "\"?";
  return text + "; see " + full_name(command) + " --help";
}

std::string error_of(const CLI::App& command) {
  for (const std::string& word : command.remaining()) {
    if (word == "--") continue;
    if (word.starts_with('-')) return flag_error(command, word);
    return "\"" + word + "\" is one argument too many; see " + full_name(command) + " --help";
  }
  return "";
}

}  // namespace

std::string full_name(const CLI::App& command) {
  const std::string own = command.get_name();
  return command.get_parent() == nullptr ? own : full_name(*command.get_parent()) + " " + own;
}

std::string argument_error(const CLI::App& app) {
  for (const CLI::App* const command : app.get_subcommands()) {
    if (const std::string error = error_of(*command); !error.empty()) return error;
  }
  const std::vector<std::string> rest = app.remaining();
  std::vector<std::string> names;
  for (const CLI::App* const command : visible_commands(app)) names.push_back(command->get_name());
  if (rest.empty() || rest.front().starts_with('-') || names.empty()) return error_of(app);
  std::sort(names.begin(), names.end());
  return "\"" + rest.front() + "\" is not a command of " + full_name(app) +
         suggestion(rest.front(), names);
}

std::vector<std::string> without_help_word(std::vector<std::string> arguments) {
  if (arguments.empty() || arguments.front() != "help") return arguments;
  arguments.erase(arguments.begin());
  if (std::find(arguments.begin(), arguments.end(), "--help") == arguments.end()) {
    arguments.emplace_back("--help");
  }
  return arguments;
}

std::vector<const CLI::App*> visible_commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); });
}

const CLI::App* command_named(const CLI::App& app, const std::string& name) {
  const auto found =
      app.get_subcommands([&](const CLI::App* each) { return each->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

std::vector<std::string> values_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const bool is_list =
      type.find('|') != std::string::npos &&
      std::none_of(type.begin(), type.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  return is_list ? split_list(type, '|') : std::vector<std::string>{};
}

bool takes_files(const CLI::Option& option) {
  const std::vector<std::string> words = split_list(option.get_type_name(), '|');
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& word) { return word == "FILE" || word == "DIR"; });
}

std::string program_name(const std::string& called_as, const std::string& name) {
  const std::string own = called_as.substr(called_as.rfind('/') + 1);
  return own == "kubectl-" + name ? "kubectl " + name : name;
}

}  // namespace berth::cli
