#pragma once

#include <string>

#include "simulation/report.h"

namespace berth::tools {

// The document of docs/plan.md, with a line feed at its end.
std::string report_json(const simulation::Report& report);

struct TableStyle {
  bool bold_headings = false;  // with terminal control sequences
};

// For people: what was placed, who waits and why, the queues; or, if a job was to be explained,
// that job alone. Long lists are cut to one screen and say so.
std::string report_table(const simulation::Report& report, TableStyle style = {});

}  // namespace berth::tools
