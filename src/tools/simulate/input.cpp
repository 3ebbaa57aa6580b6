#include "tools/simulate/input.h"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <utility>

#include "history/reader.h"
#include "tools/output.h"
#include "tools/simulate/recorded.h"
#include "tools/simulate/snapshot.h"
#include "tools/simulate/values.h"
#include "traces/openb.h"
#include "traces/swf.h"

namespace berth::tools {

namespace {

Result<std::size_t> most_jobs(const InputFlags& flags) {
  if (flags.jobs.empty()) return std::numeric_limits<std::size_t>::max();
  const Result<std::int64_t> number = number_of(flags.jobs, "--jobs");
  if (!number) return number.error();
  return static_cast<std::size_t>(*number);
}

Result<traces::Trace> read_trace(const InputFlags& flags, std::size_t most) {
  const bool is_list = flags.trace.ends_with(".csv") || flags.trace.ends_with(".csv.gz");
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

Result<Shaping> shaping_of(const InputFlags& flags) {
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

void note_recording(const history::Recording& recording, std::int64_t left_out,
                    bool has_nodes_of_its_own, Console& console) {
  note_skipped(recording.skipped, console.err);
  const auto note = [&](std::int64_t count, const char* text) {
    if (count > 0) say(fmt::format("note: {}: {}", text, count), console.err);
  };
  note(recording.cut, "lines that were not finished");
  note(left_out, "jobs that wait at the end, of unknown run time (see --run-time), left out");
  if (has_nodes_of_its_own) {
    note(recording.node_changes, "changes of nodes that are not simulated");
  }
}

// HISTORY-14
Status check_flags(const InputFlags& flags, bool is_recording) {
  const MachineFlags& machine = flags.machine;
  const bool has_machine = !machine.nodes.empty() || !machine.node_list.empty();
  if (flags.trace.empty() && flags.snapshot.empty()) {
    return Error{"missing, expected a file, or --snapshot", "--trace"};
  }
  if (!flags.snapshot.empty() && has_machine) {
    return Error{"given with --nodes or --node-list, expected one of them", "--snapshot"};
  }
  if (!flags.run_time.empty() && flags.snapshot.empty() && !is_recording) {
    return Error{"given with a trace that has run times, expected a recording or --snapshot",
                 "--run-time"};
  }
  const auto refuse = [](const char* flag) {
    return Error{"given with a recording, which has pods and queues of its own", flag};
  };
  if (is_recording && !flags.queues.empty()) return refuse("--queues");
  if (is_recording && !flags.pod_processors.empty()) return refuse("--pod-processors");
  if (is_recording && !flags.pods_per_job.empty()) return refuse("--pods-per-job");
  return Done{};
}

class Inputs {
 public:
  Inputs(const InputFlags& flags, Console& console) : flags_(flags), console_(console) {}

  Result<Input> read(const std::string& config) {
    const bool is_recording = !flags_.trace.empty() && history::is_recording(flags_.trace);
    if (const Status fine = check_flags(flags_, is_recording); !fine) return fine.error();
    if (!flags_.run_time.empty()) {
      Duration time{};
      if (const Status read = read_duration(flags_.run_time, "--run-time", time); !read) {
        return read.error();
      }
      run_time_ = time;
    }
    if (!flags_.snapshot.empty()) {
      if (const Status added = add_snapshot(config); !added) return added.error();
    }
    Status added = Done{};
    if (is_recording) {
      added = add_recording();
    } else if (!flags_.trace.empty()) {
      added = add_trace();
    }
    if (!added) return added.error();
    return std::move(input_);
  }

 private:
  Status add_snapshot(const std::string& config) {
    Result<history::Recording> snapshot = read_snapshot(flags_.snapshot, config, console_);
    if (!snapshot) return snapshot.error();
    input_.nodes = std::move(snapshot->nodes);
    return add(*snapshot, true);
  }

  Status add(const history::Recording& recording, bool of_dump) {
    Result<Workload> workload =
        workload_of(recording, input_.nodes, {run_time_, of_dump}, left_out_);
    if (!workload) return workload.error();
    input_.workload = joined(std::move(input_.workload), std::move(*workload));
    return Done{};
  }

  Status add_recording() {
    const Result<std::size_t> most = most_jobs(flags_);
    if (!most) return most.error();
    traces::ReadOptions options;
    options.skip_bad_lines = flags_.skip_bad_lines;
    options.most = *most;
    Result<history::Recording> recording = history::read_recording(flags_.trace, options);
    if (!recording) return recording.error();
    const bool is_given = !flags_.machine.nodes.empty() || !flags_.machine.node_list.empty();
    const bool has_own = flags_.snapshot.empty() && !is_given;
    if (has_own) input_.nodes = recording->nodes;
    if (const Status read = read_nodes(is_given); !read) return read;
    const Status added = add(*recording, false);
    if (added) note_recording(*recording, left_out_, has_own, console_);
    return added;
  }

  Status add_trace() {
    if (const Status read = read_nodes(flags_.snapshot.empty()); !read) return read;
    const Result<Shaping> shaping = shaping_of(flags_);
    if (!shaping) return shaping.error();
    const Result<std::size_t> most = most_jobs(flags_);
    if (!most) return most.error();
    const Result<traces::Trace> trace = read_trace(flags_, *most);
    if (!trace) return trace.error();
    note_skipped(trace->skipped, console_.err);
    Result<Workload> workload = workload_of(*trace, input_.nodes, *shaping);
    if (!workload) return workload.error();
    input_.workload = joined(std::move(input_.workload), std::move(*workload));
    return Done{};
  }

  Status read_nodes(bool are_wanted) {
    if (!are_wanted) return Done{};
    Result<std::vector<NodeObject>> nodes = machine_of(flags_.machine);
    if (!nodes) return nodes.error();
    input_.nodes = *std::move(nodes);
    return Done{};
  }

  const InputFlags& flags_;
  Console& console_;
  std::optional<Duration> run_time_;
  std::int64_t left_out_ = 0;
  Input input_;
};

}  // namespace

Result<Input> input_of(const InputFlags& flags, const std::string& config, Console& console) {
  return Inputs(flags, console).read(config);
}

void declare_input(CLI::App& command, InputFlags& flags) {
  flags.machine.node = "cpu=1";
  command.add_option("--trace", flags.trace, "The jobs: a log, or what berthd has recorded")
      ->type_name("FILE|DIR");
  command.add_option("--snapshot", flags.snapshot, "A dump of a cluster, which comes first")
      ->type_name("FILE");
  command
      .add_option("--run-time", flags.run_time,
                  "Of jobs that wait in a dump or a recording, and have no time limit")
      ->type_name("TIME");
  command.add_option("--nodes", flags.machine.nodes, "Number of nodes, all alike")->type_name("N");
  command.add_option("--node", flags.machine.node, "What each of them has; default: cpu=1")
      ->type_name("RESOURCE=AMOUNT,...");
  command.add_option("--node-list", flags.machine.node_list, "Nodes of openb, in place of --nodes")
      ->type_name("FILE");
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
}

}  // namespace berth::tools
