#pragma once

#include <string>

#include "tools/report_text.h"

namespace berth::tools {

// For people, after several cycles: waiting times of targets and others, utilisation, and idle room
// on locks. Empty for one cycle.
std::string summary_table(const simulation::Summary& summary, TableStyle style);

}  // namespace berth::tools
