#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "traces/lines.h"
#include "traces/numbers.h"

namespace berth::traces {

// TRACE-12: the columns of a CSV file, found by their names in its first line.
class Table {
 public:
  // Reads the first line that is not empty. All of `required` must be in it.
  static Result<Table> read(LineReader& lines, const std::vector<std::string_view>& required);

  // The fields of a line, one for each column. Cells with quotes are refused.
  Result<std::vector<Field>> fields_of(std::string_view line) const;

  // The field of that column; empty if there is no such column, or if the cell is "nan".
  static Field find(const std::vector<Field>& fields, std::string_view name);

 private:
  std::vector<std::string> names_;
};

}  // namespace berth::traces
