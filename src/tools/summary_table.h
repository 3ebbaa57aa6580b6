#pragma once

#include <string>

#include "tools/report_text.h"

namespace berth::tools {

// For people, where there are several cycles: how long targets and all others waited, and what was
// used and kept idle. Empty for one cycle.
std::string summary_table(const simulation::Summary& summary, TableStyle style);

}  // namespace berth::tools
