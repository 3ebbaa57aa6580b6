#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "results/measures.h"

namespace berth::results {

struct TableStyle {
  bool bold_headings = false;  // with terminal control sequences
  std::size_t width = 0;       // of the terminal, in columns; 0: any
};

// RESULT-14: one column for each run, one row for each measure. Runs for which the width does not
// suffice follow below, in a table of their own. A long name has several lines.
std::string table_text(std::span<const JudgedRun> runs, const TableStyle& style = {});

}  // namespace berth::results
