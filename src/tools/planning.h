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

// What the commands have in common that run sessions on manifests.

namespace berth::tools {

// As they were given; empty or absent: the default.
struct PlanningFlags {
  std::vector<std::string> cluster;
  std::string config;
  std::optional<std::string> cycles;
  std::optional<std::string> now;
};

enum class Form : std::uint8_t { table, json };

// `given` is what -o said; absent: a table for a terminal, else JSON.
Result<Form> read_form(const std::optional<std::string>& given, const Console& console);

// Reads the manifests, runs the sessions, and meanwhile says on `err` how far it is and what a user
// may not have meant. `explain`: a job, see simulation.h. Any error is bad input.
Result<simulation::Report> plan_manifests(const PlanningFlags& flags, const std::string& explain,
                                          Console& console);

// Exit code 2, with the words on `err`.
int complain(const Error& error, Console& console);
// Writes a command's result. The exit code.
int finish(const std::string& text, Console& console);

}  // namespace berth::tools
