#pragma once

#include <functional>

#include "berth/base/result.h"
#include "tools/console.h"

namespace CLI {
class App;
}

namespace berth::tools {

// A subcommand of `berth`: its flags in CLI11's tree, and its work once they are parsed. Each
// command's file declares both.
struct Command {
  CLI::App* app = nullptr;
  std::function<Result<int>(Console&)> run;  // the exit code; an Error is bad input
};

Command add_plan(CLI::App& berth);
Command add_simulate(CLI::App& berth);
Command add_when(CLI::App& berth);
Command add_fits(CLI::App& berth);
Command add_why(CLI::App& berth);
Command add_jobs(CLI::App& berth);
Command add_queues(CLI::App& berth);
Command add_reservations(CLI::App& berth);
Command add_page(CLI::App& berth);
Command add_topology(CLI::App& berth);
Command add_config(CLI::App& berth);
Command add_version(CLI::App& berth);
Command add_completion(CLI::App& berth);
Command add_man(CLI::App& berth);

}  // namespace berth::tools
