#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "tools/console.h"
#include "tools/simulate/machine.h"

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
};

void declare_input(CLI::App& command, InputFlags& flags);

struct Input {
  std::vector<NodeObject> nodes;
  Workload workload;
};

// `config`: by which a dump is read. Every error is bad input; notes go to the console.
Result<Input> input_of(const InputFlags& flags, const std::string& config, Console& console);

}  // namespace berth::tools
