#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <memory>
#include <mutex>
#include <thread>

#include "berth/base/text.h"
#include "berth/model/quantity.h"
#include "results/html.h"
#include "results/json.h"
#include "results/table.h"
#include "simulation/job_stream.h"
#include "tools/command.h"
#include "tools/flags.h"
#include "tools/progress.h"
#include "tools/simulate/machine.h"
#include "tools/simulate/variants.h"
#include "traces/openb.h"
#include "traces/swf.h"

namespace berth::tools {

namespace {

constexpr const char* kHelp =
    "Runs a trace of jobs on a machine, with one configuration or several.";

constexpr const char* kMore =
    "A trace is in the Standard Workload Format (.swf, also packed by gzip), or a list of pods of\n"
    "Alibaba's openb (.csv). Each job becomes a gang that starts whole: one pod for each node's\n"
    "worth of its processors, which takes the whole node, or for each --pod-processors of them.\n"
    "Jobs end after their run time, and at their limit at the latest. The sessions are the real\n"
    "ones, with the configuration that berthd would have. The same input gives the same output,\n"
    "the time of computing aside. Times are in seconds from the start of the trace. Ctrl-C stops,\n"
    "and shows what is done.\n"
    "\n"
    "Examples:\n"
    "  berth simulate --trace t.swf --nodes 128 --node cpu=1,pods=110 --config easy.yaml -o json\n"
    "  berth simulate --trace t.swf.gz --nodes 100 --node cpu=1 --config fcfs.yaml \\\n"
    "    --config easy.yaml --html report.html\n"
    "  berth simulate --trace t.swf --nodes 64 --node cpu=8 --pod-processors 1 \\\n"
    "    --sweep plugins.reservation.lock=cluster,multi-node\n"
    "\n"
    "Exit status: 0 it was simulated, 2 bad input (with file:line), 1 an internal error.";

struct SimulateFlags {
  std::string trace;
  MachineFlags machine{.node = "cpu=1"};
  VariantFlags variants;
  std::string pod_processors;
  std::string pods_per_job;
  std::string queues;
  std::string jobs;  // the first so many
  std::string html;
  std::string startup, node_mtbf, node_repair;  // durations
  std::string failures;                         // per mille
  std::string seed;
  bool victims_go_on = false;
  bool skip_bad_lines = false;
  bool runs_beyond_limit = false;
  std::optional<std::string> output;
};

std::atomic<bool> is_interrupted = false;  // set by a signal

extern "C" void note_interrupt(int /*signal*/) { is_interrupted.store(true); }

// While it lives, Ctrl-C asks for an early end; a second one ends the program.
class Interrupts {
 public:
  Interrupts() {
    struct sigaction action = {};
    action.sa_handler = note_interrupt;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &before_);
  }
  ~Interrupts() { sigaction(SIGINT, &before_, nullptr); }
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

 private:
  struct sigaction before_ = {};
};

Result<std::int64_t> number_of(const std::string& text, const char* flag) {
  const Result<std::int64_t> number = parse_quantity(text, Scale::one);
  if (number && *number > 0) return *number;
  return Error{"\"" + text + "\" is no number above 0", flag};
}

Status read_duration(const std::string& text, const char* flag, Duration& time) {
  if (text.empty()) return Done{};
  const auto read = parse_duration(text);
  if (!read || *read <= Duration()) {
    return Error{"\"" + text + "\" is no time above 0, such as 90s or 1h30m", flag};
  }
  time = *read;
  return Done{};
}

Result<simulation::StreamTroubles> troubles_of(const SimulateFlags& flags) {
  simulation::StreamTroubles troubles;
  troubles.victims_go_on = flags.victims_go_on;
  for (const Status& read :
       {read_duration(flags.startup, "--startup", troubles.startup),
        read_duration(flags.node_mtbf, "--node-mtbf", troubles.between_node_failures),
        read_duration(flags.node_repair, "--node-repair", troubles.repair)}) {
    if (!read) return read.error();
  }
  if (!flags.failures.empty()) {
    const Result<std::int64_t> number = number_of(flags.failures, "--failures");
    if (!number) return number.error();
    if (*number > 900) return Error{"more than 900 of 1000 starts, expected fewer", "--failures"};
    troubles.failures_per_mille = static_cast<std::int32_t>(*number);
  }
  if (!flags.seed.empty()) {
    const Result<std::int64_t> number = number_of(flags.seed, "--seed");
    if (!number) return number.error();
    troubles.seed = static_cast<std::uint64_t>(*number);
  }
  return troubles;
}

Result<traces::Trace> read_trace(const SimulateFlags& flags) {
  if (flags.trace.empty()) return Error{"missing, expected a file", "--trace"};
  const bool is_list = flags.trace.ends_with(".csv") || flags.trace.ends_with(".csv.gz");
  std::size_t most = std::numeric_limits<std::size_t>::max();
  if (!flags.jobs.empty()) {
    const Result<std::int64_t> number = number_of(flags.jobs, "--jobs");
    if (!number) return number.error();
    most = static_cast<std::size_t>(*number);
  }
  if (is_list) {
    traces::OpenbOptions options;
    options.skip_bad_lines = flags.skip_bad_lines;
    options.most = most;
    return traces::read_openb_pods_file(flags.trace, options);
  }
  traces::SwfOptions options;
  options.skip_bad_lines = flags.skip_bad_lines;
  options.most = most;
  options.ends_at_limit = !flags.runs_beyond_limit;
  return traces::read_swf_file(flags.trace, options);
}

Result<Shaping> shaping_of(const SimulateFlags& flags) {
  if (!flags.pods_per_job.empty() && !flags.pod_processors.empty()) {
    return Error{"given beside --pod-processors, expected one of them", "--pods-per-job"};
  }
  Shaping shaping{.queue_by = flags.queues};
  if (!flags.pod_processors.empty()) {
    const Result<std::int64_t> number = number_of(flags.pod_processors, "--pod-processors");
    if (!number) return number.error();
    shaping.processors_per_pod = *number;
  }
  if (!flags.pods_per_job.empty()) {
    const Result<std::int64_t> number = number_of(flags.pods_per_job, "--pods-per-job");
    if (!number) return number.error();
    shaping.pods_per_job = *number;
  }
  return shaping;
}

void note_skipped(const traces::Skipped& skipped, std::ostream& err) {
  if (skipped.bad > 0) say(fmt::format("note: bad lines left out: {}", skipped.bad), err);
  for (const Error& each : skipped.first) say("note: " + each.to_string(), err);
  if (skipped.partial > 0) {
    say(fmt::format("note: lines of pieces of jobs left out: {}", skipped.partial), err);
  }
}

// Runs the variants, several at once.
class Runs {
 public:
  Runs(const std::vector<Variant>& variants, const Workload& workload,
       const std::vector<NodeObject>& nodes, const simulation::StreamTroubles& troubles,
       Console& console)
      : variants_(variants),
        workload_(workload),
        nodes_(nodes),
        troubles_(troubles),
        progress_(console),
        done_(variants.size(), 0),
        results_(variants.size()) {}

  Result<std::vector<results::JudgedRun>> run() {
    begun_ = std::chrono::steady_clock::now();
    const std::size_t threads =
        std::min<std::size_t>(variants_.size(), std::max(1U, std::thread::hardware_concurrency()));
    std::vector<std::thread> others;
    for (std::size_t t = 1; t < threads; ++t) others.emplace_back([this] { work(); });
    work();
    for (std::thread& each : others) each.join();
    progress_.clear();
    if (failure_) return *failure_;
    std::vector<results::JudgedRun> judged;
    for (results::RunResult& each : results_) judged.push_back(results::judged(std::move(each)));
    return judged;
  }

 private:
  void work() {
    for (std::size_t i = next_++; i < variants_.size(); i = next_++) run_one(i);
  }

  void run_one(std::size_t i) {
    simulation::StreamRequest request;
    request.jobs = workload_.jobs;
    request.nodes = nodes_;
    request.others = workload_.queues;
    request.config = variants_[i].config;
    request.troubles = troubles_;
    request.on_progress = [&](std::size_t done) { return note_progress(i, done); };
    const auto begun = std::chrono::steady_clock::now();
    Result<simulation::StreamResult> result = simulation::run_stream(std::move(request));
    const std::lock_guard lock(mutex_);
    if (!result) {
      failure_ = result.error();
      return;
    }
    results_[i] = result_of(workload_, nodes_, *result);
    results_[i].name = variants_[i].name + (result->was_stopped ? " (stopped)" : "");
    results_[i].seconds_of_computing =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  }

  bool note_progress(std::size_t run, std::size_t done) {
    const std::lock_guard lock(mutex_);
    done_[run] = done;
    std::size_t sum = 0;
    for (const std::size_t each : done_) sum += each;
    const std::size_t all = workload_.jobs.size() * variants_.size();
    const auto past = std::chrono::steady_clock::now() - begun_;
    const double seconds = std::chrono::duration<double>(past).count();
    const double left =
        sum == 0 ? 0 : seconds * static_cast<double>(all - sum) / static_cast<double>(sum);
    progress_.show(fmt::format("simulating: {} of {} jobs ({} %), {:.0f} s left", sum, all,
                               all == 0 ? 100 : 100 * sum / all, left));
    return !is_interrupted.load();
  }

  const std::vector<Variant>& variants_;
  const Workload& workload_;
  const std::vector<NodeObject>& nodes_;
  const simulation::StreamTroubles& troubles_;
  std::chrono::steady_clock::time_point begun_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;  // guards what follows
  Progress progress_;
  std::vector<std::size_t> done_;
  std::vector<results::RunResult> results_;
  std::optional<Error> failure_;
};

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

int print(const std::vector<results::JudgedRun>& runs, Form form, Console& console) {
  if (form == Form::json) return finish(results::json_text(runs), console);
  const std::size_t width = form == Form::wide ? 0 : console.columns;
  return finish(results::table_text(runs, {console.may_style, width}), console);
}

int run(const SimulateFlags& flags, Console& console) {
  const Result<Form> form = read_form(flags.output, console);
  if (!form) return complain(form.error(), console);
  const Result<std::vector<NodeObject>> nodes = machine_of(flags.machine);
  if (!nodes) return complain(nodes.error(), console);
  const Result<Shaping> shaping = shaping_of(flags);
  if (!shaping) return complain(shaping.error(), console);
  const Result<simulation::StreamTroubles> troubles = troubles_of(flags);
  if (!troubles) return complain(troubles.error(), console);
  const Result<std::vector<Variant>> variants = variants_of(flags.variants);
  if (!variants) return complain(variants.error(), console);
  const Result<traces::Trace> trace = read_trace(flags);
  if (!trace) return complain(trace.error(), console);
  note_skipped(trace->skipped, console.err);
  const Result<Workload> workload = workload_of(*trace, *nodes, *shaping);
  if (!workload) return complain(workload.error(), console);
  if (const Status possible = try_html(flags.html); !possible) {
    return complain(possible.error(), console);
  }
  is_interrupted.store(false);
  const Interrupts interrupts;
  const auto runs = Runs(*variants, *workload, *nodes, *troubles, console).run();
  if (!runs) return complain(runs.error(), console);
  if (!flags.html.empty()) {
    if (const Status written = write_html(flags.html, *runs); !written) {
      return complain(written.error(), console);
    }
  }
  return print(*runs, *form, console);
}

void declare(CLI::App& command, SimulateFlags& flags) {
  command.add_option("--trace", flags.trace, "The jobs")->type_name("FILE");
  command.add_option("--nodes", flags.machine.nodes, "Number of nodes, all alike")->type_name("N");
  command.add_option("--node", flags.machine.node, "What each of them has; default: cpu=1")
      ->type_name("RESOURCE=AMOUNT,...");
  command.add_option("--node-list", flags.machine.node_list, "Nodes of openb, in place of --nodes")
      ->type_name("FILE");
  command
      .add_option("--config", flags.variants.configs,
                  "Configuration; default: the built-in one. May be repeated")
      ->type_name("FILE");
  command
      .add_option("--set", flags.variants.set,
                  "An argument of a plugin or an action, in each configuration. May be repeated")
      ->type_name("plugins.NAME.ARGUMENT=VALUE");
  command
      .add_option("--sweep", flags.variants.sweep,
                  "The same with several values: one run with each. May be repeated")
      ->type_name("plugins.NAME.ARGUMENT=A,B");
  command
      .add_option("--pod-processors", flags.pod_processors,
                  "Processors of a pod; default: as many as a node has")
      ->type_name("N");
  command
      .add_option("--pods-per-job", flags.pods_per_job,
                  "Pods of each job, of equal size; default: by their processors")
      ->type_name("N");
  command.add_option("--queues", flags.queues, "A queue for each of these; default: one for all")
      ->check(CLI::IsMember({"queue", "user", "group"}));
  command.add_option("--jobs", flags.jobs, "Only the first so many jobs")->type_name("N");
  command.add_flag("--skip-bad-lines", flags.skip_bad_lines,
                   "Leaves out lines that cannot be read, and counts them");
  command.add_flag("--run-beyond-limits", flags.runs_beyond_limit,
                   "Jobs that ran for longer than their limit do so here, too");
  command.add_option("--startup", flags.startup, "Time from a start to the work; default: none")
      ->type_name("TIME");
  command.add_option("--failures", flags.failures, "Of 1000 starts, so many fail at some time")
      ->type_name("N");
  command
      .add_option("--node-mtbf", flags.node_mtbf,
                  "Time between failures of a node, on average; default: none fails")
      ->type_name("TIME");
  command.add_option("--node-repair", flags.node_repair, "Until it is back; default: 1h")
      ->type_name("TIME");
  command.add_flag("--victims-go-on", flags.victims_go_on,
                   "Work before an eviction or a failure counts; default: jobs start anew");
  command.add_option("--seed", flags.seed, "Of failures; default: 1")->type_name("N");
  command.add_option("--html", flags.html, "Also writes a report to look at")->type_name("FILE");
  declare_output(command, flags.output);
}

}  // namespace

Command add_simulate(CLI::App& berth) {
  CLI::App* const command = berth.add_subcommand("simulate", kHelp);
  const auto flags = std::make_shared<SimulateFlags>();
  command->footer(kMore);
  declare(*command, *flags);
  return {command, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace berth::tools
