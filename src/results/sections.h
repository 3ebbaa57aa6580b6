#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "results/measures.h"

namespace berth::results {

// One measure of all runs, as text for people.
struct MeasureRow {
  std::string label;
  std::vector<std::string> values;  // one of each run
};

struct Section {
  std::string title;
  std::string definition;  // whole sentences
  std::vector<MeasureRow> rows;
};

// The contents of the table and of the page's table, in their order. Sections without rows are left
// out.
std::vector<Section> sections_of(std::span<const JudgedRun> runs);

enum class ClassOf : std::uint8_t { size, run_time };

// "up to 1 node", "over 2, up to 4 nodes", "over 1h, up to 4h", "over 1d"
std::string class_label(ClassOf kind, const ClassMeasures& its_class);

// The classes that occur in any of the runs, by size, without their measures.
std::vector<ClassMeasures> classes_of(std::span<const JudgedRun> runs,
                                      std::vector<ClassMeasures> Measures::*list);
// Null if no job of this run is in it.
const ClassMeasures* find_class(const std::vector<ClassMeasures>& list, double above);

}  // namespace berth::results
