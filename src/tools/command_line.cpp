#include "tools/command_line.h"

#include <CLI/CLI.hpp>
#include <set>

#include "berth/base/dns_name.h"
#include "cli/arguments.h"
#include "cli/completion.h"
#include "document/cursor.h"
#include "tools/command.h"
#include "tools/live/api_reader.h"
#include "tools/live/live_jobs.h"
#include "tools/output.h"

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

constexpr std::chrono::seconds kPageTime{3};

// The value of a flag on an unfinished command line.
std::string value_of(const std::vector<std::string>& words, const std::string& flag,
                     const std::string& short_flag = {}) {
  std::string value;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].starts_with(flag + "=")) value = words[i].substr(flag.size() + 1);
    const bool is_flag = words[i] == flag || (!short_flag.empty() && words[i] == short_flag);
    if (is_flag && i + 2 < words.size()) value = words[i + 1];
  }
  return value;
}

std::vector<std::string> names_of(const Objects& objects) {
  std::vector<std::string> names;
  for (const document::Value& object : objects.items) {
    document::Reading reading(object, "the API server", document::Strictness::lenient);
    names.push_back(reading.root()["metadata"]["name"].text());
  }
  return names;
}

std::vector<std::string> names_of(const LiveJobs& jobs) {
  std::set<std::string> names;
  for (const LiveJob& job : jobs.jobs) {
    names.insert(job.name);
    if (!job.owner.name.empty()) names.insert(job.owner.name);
  }
  return {names.begin(), names.end()};
}

// The names that the live cluster has for a flag or positional of this type: "JOB", "QUEUE" or
// "NAMESPACE". `words` are the command line so far; its --kubeconfig, --context and --namespace
// count. Empty for another type, and if the API server does not answer.
std::vector<std::string> names_for(const std::string& type, const std::vector<std::string>& words) {
  if (type != "JOB" && type != "QUEUE" && type != "NAMESPACE") return {};
  const KubeFlags flags{value_of(words, "--kubeconfig"), value_of(words, "--context"),
                        value_of(words, "--namespace", "-n")};
  if (!has_access(flags)) return {};
  const auto reader = ApiReader::open(flags, kPageTime);
  if (!reader) return {};
  std::vector<std::string> names;
  if (type == "JOB") {
    names = names_of(read_jobs(**reader, (*reader)->name_space(), {}));
  } else {
    const Resource resource = type == "QUEUE"
                                  ? Resource{"scheduling.volcano.sh", "v1beta1", "queues"}
                                  : Resource{"", "v1", "namespaces"};
    names = names_of((*reader)->list(resource, ""));
  }
  // A shell takes a candidate as if it were typed. Nobody checks the names in ownerReferences, so
  // one may be a command.
  std::erase_if(names, [](const std::string& name) { return !is_dns_name(name); });
  return names;
}

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
    if (!command.app->parsed()) continue;
    const Result<int> code = command.run(console);
    if (code) return *code;
    say(code.error().to_string(), console.err);
    return kExitBadInput;
  }
  console.err << line.app.help();
  return kExitBadInput;
}

}  // namespace berth::tools
