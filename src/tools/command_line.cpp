#include "tools/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "berth/base/text.h"
#include "tools/config_command.h"
#include "tools/plan_command.h"
#include "tools/queues_command.h"
#include "tools/reservations_command.h"

namespace berth::tools {

namespace {

constexpr const char* kPlanHelp =
    "Shows where a session would place the pods of manifests, and why others wait.";

constexpr const char* kPlanMore =
    "Reads Node, Pod, PodGroup, Queue, PriorityClass and Namespace objects; other kinds\n"
    "are counted and ignored. Plans are carried out on a copy: bound pods run, and end after the\n"
    "time in their annotation berth.dev/run-time; evicted pods are gone in the next cycle. The\n"
    "same input gives the same output.\n"
    "\n"
    "Examples:\n"
    "  berth plan --cluster docs/examples/first-gang\n"
    "  berth plan --cluster docs/examples/first-gang --explain ml/big-model\n"
    "  kubectl get nodes,pods,podgroups,queues,priorityclasses,namespaces,pdb -A -o json |\n"
    "    berth plan --cluster - --config new.yaml --cycles 10 -o json\n"
    "\n"
    "Exit status: 0 there is a plan, 2 bad input (with file:line:column), 1 an internal error.";

constexpr const char* kQueuesHelp =
    "Shows the guarantee, the fair share, the use and the limit of each queue.";

constexpr const char* kQueuesMore =
    "Asks a running berthd. With --cluster, runs sessions on manifests, as berth plan does, and\n"
    "shows the queues after the last one.\n"
    "\n"
    "Examples:\n"
    "  kubectl -n berth-system port-forward deployment/berth 8890 &\n"
    "  berth queues\n"
    "  berth queues --resource nvidia.com/gpu\n"
    "  berth queues --cluster docs/examples/queues -o json\n"
    "\n"
    "Exit status: 0 done, 2 bad input or no answer, 1 an internal error.";

constexpr const char* kReservationsHelp =
    "Shows the jobs that nodes are kept for, these nodes, and the cost.";

constexpr const char* kReservationsMore =
    "Asks a running berthd. With --cluster, runs sessions on manifests, as berth plan does, and\n"
    "shows the reservations after the last one.\n"
    "\n"
    "Examples:\n"
    "  kubectl -n berth-system port-forward deployment/berth 8890 &\n"
    "  berth reservations\n"
    "  berth reservations --cluster docs/examples/reservation --cycles 60\n"
    "\n"
    "Exit status: 0 done, 2 bad input or no answer, 1 an internal error.";

struct Commands {
  CLI::App app{"berth answers questions about batch scheduling with Berth.", "berth"};
  CLI::App* plan = nullptr;
  CLI::App* queues = nullptr;
  CLI::App* reservations = nullptr;
  CLI::App* config = nullptr;
  CLI::App* version = nullptr;
  PlanFlags plan_flags;
  QueuesFlags queues_flags;
  ReservationsFlags reservations_flags;
  ConfigFlags config_flags;
};

void declare_planning(CLI::App& command, PlanningFlags& flags) {
  command
      .add_option("--cluster", flags.cluster,
                  "Manifests in YAML or JSON: a file, a directory with all below it, or - for "
                  "standard input. May be repeated")
      ->type_name("FILE|DIR");
  command.add_option("--config", flags.config, "Configuration; default: the built-in one")
      ->type_name("FILE");
  command
      .add_option("--cycles", flags.cycles,
                  "Number of sessions, one schedulePeriod apart; default: 1")
      ->type_name("N");
  command
      .add_option("--now", flags.now,
                  "Time of the first session, such as 2026-11-21T09:00:00Z; default: the latest "
                  "creation or start among the manifests")
      ->type_name("RFC3339");
}

void declare_output(CLI::App& command, std::optional<std::string>& output) {
  command
      .add_option("-o,--output", output, "table or json; default: table on a terminal, else json")
      ->type_name("FORM");
}

void declare_server(CLI::App& command, ServerFlags& flags) {
  command
      .add_option("--server", flags.url,
                  "A running berthd; default: http://127.0.0.1:8890, unless --cluster is given")
      ->type_name("URL");
  const auto file = [&](const char* name, std::string& into, const char* help) {
    command.add_option(name, into, help)->type_name("FILE");
  };
  file("--tls-ca", flags.tls_ca, "For https: the CA of berthd's certificate");
  file("--tls-cert", flags.tls_cert, "For https: the client certificate");
  file("--tls-key", flags.tls_key, "For https: the key of the client certificate");
}

void declare_plan(Commands& commands) {
  CLI::App* const plan = commands.app.add_subcommand("plan", kPlanHelp);
  PlanFlags& flags = commands.plan_flags;
  plan->footer(kPlanMore);
  declare_planning(*plan, flags.planning);
  plan->add_option(
          "--explain", flags.explain,
          "One job in full, or one pod of it: the jobs before it, what would let it start, "
          "and evictions")
      ->type_name("NS/NAME");
  declare_output(*plan, flags.output);
  commands.plan = plan;
}

void declare_queues(Commands& commands) {
  CLI::App* const queues = commands.app.add_subcommand("queues", kQueuesHelp);
  QueuesFlags& flags = commands.queues_flags;
  queues->footer(kQueuesMore);
  declare_server(*queues, flags.server);
  queues
      ->add_option("--resource", flags.resource,
                   "The resource to show; default: the dominant resource of each queue")
      ->type_name("NAME");
  declare_planning(*queues, flags.planning);
  declare_output(*queues, flags.output);
  commands.queues = queues;
}

void declare_reservations(Commands& commands) {
  CLI::App* const reservations = commands.app.add_subcommand("reservations", kReservationsHelp);
  ReservationsFlags& flags = commands.reservations_flags;
  reservations->footer(kReservationsMore);
  declare_server(*reservations, flags.server);
  declare_planning(*reservations, flags.planning);
  declare_output(*reservations, flags.output);
  commands.reservations = reservations;
}

void declare(Commands& commands) {
  commands.app.footer("berth COMMAND --help has the details.");
  declare_plan(commands);
  declare_queues(commands);
  declare_reservations(commands);
  commands.config =
      commands.app.add_subcommand("config", "Checks a configuration, or shows the default.");
  commands.config
      ->add_option("--check", commands.config_flags.check,
                   "Prints ok, or the first error with its line and column")
      ->type_name("FILE");
  commands.config->add_flag("--default", commands.config_flags.show_default,
                            "Prints the built-in configuration, to start from");
  commands.version = commands.app.add_subcommand("version", "Prints the version.");
  for (CLI::App* const each : {&commands.app, commands.plan, commands.queues, commands.reservations,
                               commands.config, commands.version}) {
    each->allow_extras();
  }
}

std::vector<std::string> flag_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The error about arguments that CLI11 did not accept. Empty if there are none.
std::string argument_error(const Commands& commands) {
  for (const CLI::App* const command :
       {commands.plan, commands.queues, commands.reservations, commands.config, commands.version}) {
    if (!command->parsed()) continue;
    for (const std::string& word : command->remaining()) {
      const std::string name = word.substr(0, word.find('='));
      if (!word.starts_with('-')) {
        return "\"" + word + "\" is one argument too many; see berth " + command->get_name() +
               " --help";
      }
      return name + ": no such flag of berth " + command->get_name() +
             suggestion(name, flag_names(*command));
    }
  }
  const std::vector<std::string> rest = commands.app.remaining();
  if (rest.empty()) return "";
  const std::vector<std::string> names{"config", "plan", "queues", "reservations", "version"};
  return "\"" + rest.front() + "\" is not a command of berth" + suggestion(rest.front(), names);
}

}  // namespace

int run_berth(const std::vector<std::string>& arguments, Console& console) {
  Commands commands;
  declare(commands);
  try {
    commands.app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success& asked) {
    return commands.app.exit(asked, console.out, console.err), kExitDone;
  } catch (const CLI::ParseError& error) {
    console.err << error.what() << "\n";
    return kExitBadInput;
  }
  if (const std::string complaint = argument_error(commands); !complaint.empty()) {
    console.err << complaint << "\n";
    return kExitBadInput;
  }
  if (commands.plan->parsed()) return run_plan(commands.plan_flags, console);
  if (commands.queues->parsed()) return run_queues(commands.queues_flags, console);
  if (commands.reservations->parsed()) {
    return run_reservations(commands.reservations_flags, console);
  }
  if (commands.config->parsed()) return run_config(commands.config_flags, console);
  if (commands.version->parsed()) {
    console.out << "berth " BERTH_VERSION "\n";
    return kExitDone;
  }
  console.err << commands.app.help();
  return kExitBadInput;
}

}  // namespace berth::tools
