#include "traces/table.h"

#include <algorithm>

#include "berth/base/printable.h"
#include "berth/base/text.h"

namespace berth::traces {

namespace {

constexpr std::size_t kColumnsMost = 100;

// Empty cells count. A cell too many is the last one, with the rest of the line.
std::vector<std::string_view> cells_of(std::string_view line, std::size_t most) {
  std::vector<std::string_view> cells;
  while (true) {
    const std::size_t end = cells.size() < most ? line.find(',') : std::string_view::npos;
    cells.push_back(trimmed(line.substr(0, end)));
    if (end == std::string_view::npos) return cells;
    line.remove_prefix(end + 1);
  }
}

Error missing_column(std::string_view name, const std::vector<std::string_view>& required) {
  std::string all;
  for (const std::string_view each : required) all.append(all.empty() ? "" : ", ").append(each);
  return Error{"column \"" + std::string(name) + "\" is missing, expected the columns " + all, ""};
}

}  // namespace

// TRACE-12
Result<Table> Table::read(LineReader& lines, const std::vector<std::string_view>& required) {
  Table table;
  std::string_view line;
  while (line.empty()) {
    const auto next = lines.next();
    if (!next) return next.error();
    if (!*next) break;
    line = (*next)->text;
  }
  for (const std::string_view name : cells_of(line, kColumnsMost)) table.names_.emplace_back(name);
  for (const std::string_view name : required) {
    if (std::find(table.names_.begin(), table.names_.end(), name) != table.names_.end()) continue;
    return Error{missing_column(name, required).message, lines.place()};
  }
  return table;
}

Result<std::vector<Field>> Table::fields_of(std::string_view line) const {
  const std::vector<std::string_view> cells = cells_of(line, names_.size());
  std::vector<Field> fields;
  for (std::size_t i = 0; i < std::min(cells.size(), names_.size()); ++i) {
    fields.push_back({i + 1, names_[i], cells[i]});
    if (cells[i].find('"') != cells[i].npos) return unexpected(fields[i], "a cell without quotes");
  }
  if (cells.size() == names_.size()) return fields;
  if (cells.size() > names_.size()) {
    return unexpected({cells.size(), "beyond the last", cells.back()}, "the end of the line");
  }
  return Error{"field " + std::to_string(cells.size() + 1) + " (" +
                   printable(shortened(names_[cells.size()], 60)) + "): missing, expected " +
                   count_text(names_.size(), "field"),
               ""};
}

Field Table::find(const std::vector<Field>& fields, std::string_view name) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const Field& field) { return field.name == name; });
  if (found == fields.end()) return {0, name, ""};
  return found->text == "nan" ? Field{found->number, found->name, ""} : *found;
}

}  // namespace berth::traces
