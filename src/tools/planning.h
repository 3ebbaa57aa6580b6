#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/result.h"
#include "simulation/report.h"
#include "tools/console.h"

// The common part of the commands that run sessions on manifests.

namespace berth::tools {

// Flags as given. Empty or absent means the default.
struct PlanningFlags {
  std::vector<std::string> cluster;
  std::string config;
  std::optional<std::string> cycles;
  std::optional<std::string> now;
};

enum class Form : std::uint8_t { table, json };

// `given` is the value of -o. Absent: a table on a terminal, else JSON.
Result<Form> read_form(const std::optional<std::string>& given, const Console& console);

// Reads the manifests and runs the sessions. Progress and warnings go to `err`. `explain`: a job,
// see simulation.h. Every error is bad input.
Result<simulation::Report> plan_manifests(const PlanningFlags& flags, const std::string& explain,
                                          Console& console);

// Prints the error to `err` and returns exit code 2.
int complain(const Error& error, Console& console);
// Writes a command's result and returns the exit code.
int finish(const std::string& text, Console& console);

}  // namespace berth::tools
