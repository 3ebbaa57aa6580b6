#include <fstream>
#include <memory>

#include "results/html.h"
#include "results/json.h"
#include "results/table.h"
#include "simulation/job_stream.h"
#include "tools/command.h"
#include "tools/flags.h"
#include "tools/option.h"
#include "tools/simulate/input.h"
#include "tools/simulate/runs.h"
#include "tools/simulate/values.h"
#include "tools/simulate/variants.h"

namespace berth::tools {

namespace {

constexpr const char* kSimulateHelp =
    "Runs a trace of jobs on a machine, with one configuration or several.";

constexpr const char* kSimulateMore =
    "A trace is in the Standard Workload Format (.swf, also packed by gzip), a list of pods of\n"
    "Alibaba's openb (.csv), or what berthd has recorded of a cluster (its directory, or a file).\n"
    "With --snapshot, a dump of a cluster comes before it, or alone. A job of a log becomes a "
    "gang\n"
    "that starts whole: one pod for each node's worth of its processors, which takes the whole\n"
    "node, or for each --pod-processors of them. Jobs end after their run time, and at their "
    "limit\n"
    "at the latest. The sessions are the real ones, with the configuration that berthd would "
    "have.\n"
    "The same input gives the same output, the time of computing aside. Times are in seconds from\n"
    "the start of the trace. With changes (--add-nodes, --remove-node, --drain, --cordon,\n"
    "--without-job), each configuration runs as it is and with them. Ctrl-C stops, and shows what "
    "is done.\n"
    "\n"
    "Examples:\n"
    "  berth simulate --trace t.swf --nodes 128 --node cpu=1,pods=110 --config easy.yaml -o json\n"
    "  berth simulate --trace t.swf.gz --nodes 100 --node cpu=1 --config fcfs.yaml \\\n"
    "    --config easy.yaml --html report.html\n"
    "  berth simulate --trace /var/lib/berth/history --config new.yaml\n"
    "  kubectl get nodes,pods,podgroups,queues,priorityclasses -A -o json > now.json\n"
    "  berth simulate --snapshot now.json --run-time 1h --drain n1@+2h\n"
    "  berth simulate --trace t.swf --nodes 64 --node cpu=8 --pod-processors 1 \\\n"
    "    --sweep plugins.reservation.lock=cluster,multi-node\n"
    "\n"
    "Exit status: 0 it was simulated, 2 bad input (with file:line), 1 an internal error.";

struct SimulateFlags {
  InputFlags input;
  VariantFlags variants;
  std::string html;
  std::string startup, node_mtbf, node_repair;  // durations
  std::string failures;                         // per mille
  std::string seed;
  bool victims_go_on = false;
  bool forecasts = false;
  std::optional<std::string> output;
};

Result<simulation::StreamTroubles> troubles_of(const SimulateFlags& flags) {
  simulation::StreamTroubles troubles;
  troubles.victims_go_on = flags.victims_go_on;
  for (const Status& read :
       {read_duration(flags.startup, "--startup", troubles.startup),
        read_duration(flags.node_mtbf, "--node-mtbf", troubles.between_node_failures),
        read_duration(flags.node_repair, "--node-repair", troubles.repair)}) {
    if (!read) return read.error();
  }
  std::int64_t failures = 0;
  const Status failing = read_number(flags.failures, "--failures", failures);
  if (!failing) return failing.error();
  if (failures > 900) return Error{"more than 900 of 1000 starts, expected fewer", "--failures"};
  troubles.failures_per_mille = static_cast<std::int32_t>(failures);
  const Status seeded = read_number(flags.seed, "--seed", troubles.seed);
  if (!seeded) return seeded.error();
  return troubles;
}

// Before the work: can the report be written after it?
Status try_html(const std::string& file) {
  if (file.empty() || std::ofstream(file, std::ios::app)) return Done{};
  return Error{"cannot be written", file};
}

Status write_html(const std::string& file, const std::vector<results::JudgedRun>& runs) {
  std::ofstream out(file, std::ios::binary);
  out << results::html_text(runs);
  out.close();
  return out ? Status(Done{}) : Status(Error{"cannot be written", file});
}

Result<int> print(const std::vector<results::JudgedRun>& runs, Form form, Console& console) {
  if (form == Form::json) return finish(results::json_text(runs), console);
  const views::TextStyle style = style_of(form, console);
  return finish(results::table_text(runs, {style.bold_headings, style.width}), console);
}

Result<int> run(const SimulateFlags& flags, Console& console) {
  const Result<Form> form = read_form(flags.output, console);
  if (!form) return form.error();
  const Result<simulation::StreamTroubles> troubles = troubles_of(flags);
  if (!troubles) return troubles.error();
  const Result<std::vector<Variant>> variants = variants_of(flags.variants);
  if (!variants) return variants.error();
  const auto& configs = flags.variants.configs;
  const Result<std::vector<Input>> inputs =
      inputs_of(flags.input, configs.empty() ? "" : configs.front(), console);
  if (!inputs) return inputs.error();
  if (const Status possible = try_html(flags.html); !possible) return possible.error();
  const auto runs = run_all(*variants, *inputs, *troubles, flags.forecasts, console);
  if (!runs) return runs.error();
  if (!flags.html.empty()) {
    if (const Status written = write_html(flags.html, *runs); !written) return written.error();
  }
  return print(*runs, *form, console);
}

void declare(CLI::App& command, SimulateFlags& flags) {
  declare_input(command, flags.input);
  add_option(command, "--config", flags.variants.configs, "FILE",
             "Configuration; default: the built-in one. May be repeated");
  add_option(command, "--set", flags.variants.set, "plugins.NAME.ARGUMENT=VALUE",
             "An argument of a plugin or an action, in each configuration. May be repeated");
  add_option(command, "--sweep", flags.variants.sweep, "plugins.NAME.ARGUMENT=A,B",
             "The same with several values: one run with each. May be repeated");
  add_option(command, "--startup", flags.startup, "TIME",
             "Time from a start to the work; default: none");
  add_option(command, "--failures", flags.failures, "N",
             "Of 1000 starts, so many fail at some time");
  add_option(command, "--node-mtbf", flags.node_mtbf, "TIME",
             "Time between failures of a node, on average; default: none fails");
  add_option(command, "--node-repair", flags.node_repair, "TIME", "Until it is back; default: 1h");
  command.add_flag("--victims-go-on", flags.victims_go_on,
                   "Work before an eviction or a failure counts; default: jobs start anew");
  command.add_flag("--forecasts", flags.forecasts,
                   "Forecasts the start of each job that waits, and compares with what came");
  add_option(command, "--seed", flags.seed, "N", "Of failures; default: 1");
  add_option(command, "--html", flags.html, "FILE", "Also writes a report to look at");
  declare_output(command, flags.output);
}

}  // namespace

Command add_simulate(CLI::App& berth) {
  CLI::App* const command = berth.add_subcommand("simulate", kSimulateHelp);
  const auto flags = std::make_shared<SimulateFlags>();
  command->footer(kSimulateMore);
  declare(*command, *flags);
  return {command, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace berth::tools
