#pragma once

#include <string>

#include "simulation/report.h"
#include "tools/what_if/plan_difference.h"
#include "views/text_table.h"

namespace berth::tools {

// The JSON document of docs/plan.md, with a line feed at its end. `difference`: from the plan
// without changes that were asked for; null: none were.
std::string report_json(const simulation::Report& report,
                        const PlanDifference* difference = nullptr);

using TableStyle = views::TextStyle;

// A table for people: placed pods, waiting jobs with reasons, the queues; or only the job to
// explain. Long lists are cut to one screen, with a note. `sort` is the order of the waiting jobs:
// "priority" (also if empty), "name" or "queue".
std::string report_table(const simulation::Report& report, TableStyle style = {},
                         const std::string& sort = {});

// For people, after several cycles: waiting times of targets and others, utilisation, and idle room
// on locks. Empty for one cycle.
std::string summary_table(const simulation::Summary& summary, TableStyle style);

}  // namespace berth::tools
