#include "tools/command_line.h"

#include <CLI/CLI.hpp>

#include "cli/arguments.h"
#include "cli/completion.h"
#include "tools/command.h"
#include "tools/name_completion.h"

namespace berth::tools {

namespace {

constexpr const char* kAbout = "Answers questions about batch scheduling with Berth.";

constexpr const char* kMore =
    "plan, fits, and with --cluster queues, reservations and topology read manifests. why, jobs,\n"
    "queues and topology ask the API server, by a kubeconfig. queues --server and reservations\n"
    "ask a running berthd, and page brings its page to a browser.\n"
    "\n"
    "berth help COMMAND has the details.";

// The command line as CLI11 reads it.
struct CommandLine {
  explicit CommandLine(const std::string& program) : app(kAbout, program) {
    app.footer(kMore);
    app.set_version_flag("--version", "berth " BERTH_VERSION, "Print the version and exit");
    app.require_subcommand(0, 1);  // a job may have the name of a command
    for (auto* const add : {&add_why, &add_jobs, &add_queues, &add_plan, &add_simulate, &add_when,
                            &add_fits, &add_reservations, &add_topology, &add_page, &add_config,
                            &add_completion, &add_man, &add_version}) {
      commands.push_back(add(app));
    }
    app.add_subcommand("help", "Shows the help of a command.");
    app.allow_extras();
    for (CLI::App* const each : app.get_subcommands([](CLI::App*) { return true; })) {
      each->allow_extras();
    }
  }

  CLI::App app;
  std::vector<Command> commands;
};

int complete_words(CommandLine& line, const std::vector<std::string>& words, Console& console) {
  const cli::NameSource names = [&](const std::string& type) { return names_for(type, words); };
  console.out << cli::completion_lines(cli::complete(line.app, words, names)) << std::flush;
  return kExitDone;
}

}  // namespace

int run_berth(const std::vector<std::string>& given, Console& console) {
  CommandLine line(console.program);
  if (!given.empty() && given.front() == "__complete") {
    return complete_words(line, {given.begin() + 1, given.end()}, console);
  }
  const std::vector<std::string> arguments = cli::without_help_word(given);
  try {
    line.app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success& asked) {
    // `help nonsense` is an error, though help was asked for.
    const std::string wrong = given == arguments ? "" : cli::argument_error(line.app);
    if (wrong.empty()) return line.app.exit(asked, console.out, console.err), kExitDone;
    console.err << wrong << "\n";
    return kExitBadInput;
  } catch (const CLI::ParseError& error) {
    console.err << error.what() << "\n";
    return kExitBadInput;
  }
  if (const std::string wrong = cli::argument_error(line.app); !wrong.empty()) {
    console.err << wrong << "\n";
    return kExitBadInput;
  }
  for (const Command& command : line.commands) {
    if (command.app->parsed()) return command.run(console);
  }
  console.err << line.app.help();
  return kExitBadInput;
}

}  // namespace berth::tools
