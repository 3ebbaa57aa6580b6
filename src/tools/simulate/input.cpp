#include "tools/simulate/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "history/reader.h"
#include "simulation/simulation.h"
#include "tools/option.h"
#include "tools/output.h"
#include "tools/planning.h"
#include "tools/simulate/recorded.h"
#include "tools/simulate/snapshot.h"
#include "tools/simulate/values.h"
#include "tools/what_if/changes.h"
#include "traces/openb.h"
#include "traces/swf.h"

namespace berth::tools {

namespace {

Result<traces::ReadOptions> options_of(const InputFlags& flags) {
  traces::ReadOptions options;
  options.skip_bad_lines = flags.skip_bad_lines;
  const Status read = read_number(flags.jobs, "--jobs", options.most);
  if (!read) return read.error();
  return options;
}

Result<traces::Trace> read_trace(const InputFlags& flags) {
  const Result<traces::ReadOptions> options = options_of(flags);
  if (!options) return options.error();
  const bool is_list = flags.trace.ends_with(".csv") || flags.trace.ends_with(".csv.gz");
  if (is_list) return traces::read_openb_pods_file(flags.trace, *options);
  return traces::read_swf_file(flags.trace, {*options, !flags.runs_beyond_limit});
}

Result<Shaping> shaping_of(const InputFlags& flags) {
  if (!flags.pods_per_job.empty() && !flags.pod_processors.empty()) {
    return Error{"given beside --pod-processors, expected one of them", "--pods-per-job"};
  }
  Shaping shaping{.queue_by = flags.queues};
  for (const Status& read :
       {read_number(flags.pod_processors, "--pod-processors", shaping.processors_per_pod),
        read_number(flags.pods_per_job, "--pods-per-job", shaping.pods_per_job)}) {
    if (!read) return read.error();
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

void note_unending(const history::Recording& dump, Console& console) {
  const auto stay = std::count_if(dump.jobs.begin(), dump.jobs.end(),
                                  [](const auto& job) { return job.started && !job.ended; });
  if (stay == 0) return;
  say(fmt::format("note: jobs that run without a time limit, and so do not end: {}", stay),
      console.err);
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

  Status read(const std::string& config) {
    const bool is_recording = !flags_.trace.empty() && history::is_recording(flags_.trace);
    if (const Status fine = check_flags(flags_, is_recording); !fine) return fine;
    const Status timed = read_duration(flags_.run_time, "--run-time", run_time_);
    if (!timed) return timed;
    if (!flags_.snapshot.empty()) {
      Result<ClusterInput> dump = read_cluster({{flags_.snapshot}, config, {}, {}}, console_);
      if (!dump) return dump.error();
      dump_ = *std::move(dump);
    }
    if (is_recording) return read_history();
    if (!flags_.trace.empty()) return read_log();
    return Done{};
  }

  Result<Input> make(const WhatIf& changes) const {
    Input input;
    if (!changes.is_empty()) input.name = ", with changes";
    history::Recording none;
    std::vector<Error> faults = change_jobs(changes, none);
    Status added = dump_ ? add_dump(changes, faults, input) : Status(Done{});
    if (added && recording_) added = add_recording(changes, faults, input);
    if (added && trace_) added = add_trace(changes, input);
    if (!added) return added.error();
    if (!faults.empty()) return faults.front();
    return input;
  }

 private:
  Status read_history() {
    const Result<traces::ReadOptions> options = options_of(flags_);
    if (!options) return options.error();
    Result<history::Recording> recording = history::read_recording(flags_.trace, *options);
    if (!recording) return recording.error();
    recording_ = *std::move(recording);
    const MachineFlags& machine = flags_.machine;
    const bool is_given = !machine.nodes.empty() || !machine.node_list.empty();
    has_nodes_of_its_own_ = !dump_ && !is_given;
    return is_given ? read_machine() : Status(Done{});
  }

  Status read_log() {
    if (!dump_) {
      if (const Status read = read_machine(); !read) return read;
    }
    Result<Shaping> shaping = shaping_of(flags_);
    if (!shaping) return shaping.error();
    shaping_ = *std::move(shaping);
    Result<traces::Trace> trace = read_trace(flags_);
    if (!trace) return trace.error();
    note_skipped(trace->skipped, console_.err);
    trace_ = *std::move(trace);
    return Done{};
  }

  Status read_machine() {
    Result<std::vector<NodeObject>> nodes = machine_of(flags_.machine);
    if (nodes) machine_ = *std::move(nodes);
    return nodes ? Status(Done{}) : Status(nodes.error());
  }

  Status add_dump(const WhatIf& changes, std::vector<Error>& faults, Input& input) const {
    std::vector<ClusterEvent> objects = dump_->objects;
    const TimePoint now = simulation::date_new_objects({}, objects);
    const auto later = change_nodes(changes, dump_->config.scheduler_names, now, objects);
    if (!later) return later.error();
    Result<history::Recording> snapshot = snapshot_of(std::move(objects), dump_->config, now);
    if (!snapshot) return snapshot.error();
    input.nodes = snapshot->nodes;
    input.node_changes = node_changes_of(*later, input.nodes, now);
    faults = change_jobs(changes, *snapshot);
    if (changes.is_empty()) note_unending(*snapshot, console_);
    std::int64_t left_out = 0;
    return add(*snapshot, true, left_out, input);
  }

  Status add(const history::Recording& recording, bool of_dump, std::int64_t& left_out,
             Input& input) const {
    Result<Workload> workload = workload_of(recording, input.nodes, {run_time_, of_dump}, left_out);
    if (!workload) return workload.error();
    input.workload = joined(std::move(input.workload), std::move(*workload));
    return Done{};
  }

  // Those of a dump stay.
  Status take_nodes(history::Recording of, const WhatIf& changes, Input& input) const {
    if (dump_) return Done{};
    const auto later = change_nodes(changes, of);
    if (!later) return later.error();
    input.node_changes = node_changes_of(*later, of.nodes, of.begin);
    input.nodes = std::move(of.nodes);
    return Done{};
  }

  Status add_recording(const WhatIf& changes, std::vector<Error>& faults, Input& input) const {
    history::Recording recording = *recording_;
    if (!has_nodes_of_its_own_) recording.nodes = machine_;
    if (const Status taken = take_nodes(recording, changes, input); !taken) return taken;
    const std::vector<Error> others = change_jobs(changes, recording);
    std::erase_if(faults, [&](const Error& fault) {  // found here, or in the dump
      return std::none_of(others.begin(), others.end(),
                          [&](const Error& each) { return each.to_string() == fault.to_string(); });
    });
    std::int64_t left_out = 0;
    const Status added = add(recording, false, left_out, input);
    if (added && changes.is_empty()) {
      note_recording(recording, left_out, has_nodes_of_its_own_, console_);
    }
    return added;
  }

  Status add_trace(const WhatIf& changes, Input& input) const {
    history::Recording machine;
    machine.nodes = machine_;
    if (const Status taken = take_nodes(std::move(machine), changes, input); !taken) return taken;
    Result<Workload> workload = workload_of(*trace_, input.nodes, shaping_);
    if (!workload) return workload.error();
    input.workload = joined(std::move(input.workload), std::move(*workload));
    return Done{};
  }

  const InputFlags& flags_;
  Console& console_;
  std::optional<Duration> run_time_;
  std::optional<ClusterInput> dump_;
  std::optional<history::Recording> recording_;
  std::optional<traces::Trace> trace_;
  Shaping shaping_;
  std::vector<NodeObject> machine_;
  bool has_nodes_of_its_own_ = false;
};

}  // namespace

Result<std::vector<Input>> inputs_of(const InputFlags& flags, const std::string& config,
                                     Console& console) {
  Inputs inputs(flags, console);
  if (const Status read = inputs.read(config); !read) return read.error();
  std::vector<WhatIf> all(1);
  if (!flags.what_if.is_empty()) all.push_back(flags.what_if);
  std::vector<Input> made;
  for (const WhatIf& changes : all) {
    Result<Input> input = inputs.make(changes);
    if (!input) return input.error();
    made.push_back(*std::move(input));
  }
  return made;
}

void declare_input(CLI::App& command, InputFlags& flags) {
  flags.machine.node = "cpu=1";
  add_option(command, "--trace", flags.trace, "FILE|DIR",
             "The jobs: a log, or what berthd has recorded");
  add_option(command, "--snapshot", flags.snapshot, "FILE",
             "A dump of a cluster, which comes first");
  add_option(command, "--run-time", flags.run_time, "TIME",
             "Of jobs that wait in a dump or a recording, and have no time limit");
  add_option(command, "--nodes", flags.machine.nodes, "N", "Number of nodes, all alike");
  add_option(command, "--node", flags.machine.node, "RESOURCE=AMOUNT,...",
             "What each of them has; default: cpu=1");
  add_option(command, "--node-list", flags.machine.node_list, "FILE",
             "Nodes of openb, in place of --nodes");
  add_option(command, "--pod-processors", flags.pod_processors, "N",
             "Processors of a pod; default: as many as a node has");
  add_option(command, "--pods-per-job", flags.pods_per_job, "N",
             "Pods of each job, of equal size; default: by their processors");
  command.add_option("--queues", flags.queues, "A queue for each of these; default: one for all")
      ->check(CLI::IsMember({"queue", "user", "group"}));
  add_option(command, "--jobs", flags.jobs, "N", "Only the first so many jobs");
  command.add_flag("--skip-bad-lines", flags.skip_bad_lines,
                   "Leaves out lines that cannot be read, and counts them");
  command.add_flag("--run-beyond-limits", flags.runs_beyond_limit,
                   "Jobs that ran for longer than their limit do so here, too");
  declare_what_if(command, flags.what_if);
  declare_what_if_limits(command, flags.what_if);
}

}  // namespace berth::tools
