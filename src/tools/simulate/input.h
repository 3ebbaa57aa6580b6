#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "simulation/job_stream.h"
#include "tools/console.h"
#include "tools/simulate/machine.h"
#include "tools/what_if/flags.h"

// The input of a simulation: a machine, and jobs from a trace, a recording or a dump.

namespace berth::tools {

struct InputFlags {
  std::string trace;
  std::string snapshot;
  std::string run_time;
  MachineFlags machine;
  std::string pod_processors;
  std::string pods_per_job;
  std::string queues;
  std::string jobs;  // the first so many
  bool skip_bad_lines = false;
  bool runs_beyond_limit = false;
  WhatIf what_if;
};

void declare_input(CLI::App& command, InputFlags& flags);

struct Input {
  std::string name;  // of the runs, behind that of their configuration: ", with changes"
  std::vector<NodeObject> nodes;
  std::vector<simulation::NodeChange> node_changes;
  Workload workload;
};

// As it is; and with changes, if any are asked for. `config`: by which a dump is read. Every error
// is bad input; notes go to the console.
Result<std::vector<Input>> inputs_of(const InputFlags& flags, const std::string& config,
                                     Console& console);

}  // namespace berth::tools
