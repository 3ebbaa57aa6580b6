#pragma once

#include <cstddef>
#include <string>

#include "tools/report_text.h"

namespace berth::tools {

// Names in one line.
inline constexpr std::size_t kNodesShown = 6;

// For people: one job, or one pod of it, and why it waits.
std::string explanation_table(const simulation::Explanation& explanation, TableStyle style);

// A line feed is at its end; empty if all are shown.
std::string more_line(std::size_t all, std::size_t shown);
// "whole_job" -> "whole job"
std::string words_of(std::string label);
// The message of a job that waits, or the code of its reason.
std::string reason_text(const simulation::JobRow& row);

}  // namespace berth::tools
