#pragma once

#include <string>

#include "simulation/report.h"

namespace berth::tools {

// The JSON document of docs/plan.md, with a line feed at its end.
std::string report_json(const simulation::Report& report);

struct TableStyle {
  bool bold_headings = false;  // with terminal control sequences
};

// A table for people: placed pods, waiting jobs with reasons, the queues; or only the job to
// explain. Long lists are cut to one screen, with a note.
std::string report_table(const simulation::Report& report, TableStyle style = {});

}  // namespace berth::tools
