#include "views/start_document.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "berth/base/text.h"
#include "document/readers.h"
#include "kube/fields.h"
#include "views/document_head.h"

namespace berth::views {

namespace {

using StartJson = nlohmann::ordered_json;

constexpr std::int64_t kCountMost = std::numeric_limits<std::int64_t>::max();

std::int64_t milliseconds(Duration time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

StartJson row_json(const StartTable::Row& row) {
  return {{"job", row.job},
          {"uid", row.uid},
          {"queue", row.queue},
          {"startsBy", json_of(row.start.starts_by)},
          {"likelyFrom", json_of(row.start.likely_from)},
          {"likelyTo", json_of(row.start.likely_to)},
          {"planned", json_of(row.planned)}};
}

StartJson accuracy_json(const ForecastAccuracy& accuracy) {
  return {{"jobs", accuracy.jobs},
          {"inside", accuracy.inside},
          {"earlier", accuracy.earlier},
          {"later", accuracy.later},
          {"medianErrorMilliseconds", milliseconds(accuracy.median_error)},
          {"promises", accuracy.promises},
          {"broken", accuracy.broken}};
}

std::int64_t read_number(const document::Cursor& from) { return from.integer(0, 0, kCountMost); }

Duration read_milliseconds(const document::Cursor& from) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  return std::chrono::milliseconds(from.integer(0, 0, kMost));
}

StartTable::Row read_start_row(const document::Cursor& from) {
  StartTable::Row row;
  row.job = from.required_text("job");
  row.uid = from["uid"].text();
  row.queue = from["queue"].text();
  row.start = kube::read_start(from);
  row.planned = kube::read_time_since_1970(from["planned"]);
  return row;
}

ForecastAccuracy read_accuracy(const document::Cursor& from) {
  ForecastAccuracy accuracy;
  accuracy.jobs = read_number(from["jobs"]);
  accuracy.inside = read_number(from["inside"]);
  accuracy.earlier = read_number(from["earlier"]);
  accuracy.later = read_number(from["later"]);
  accuracy.median_error = read_milliseconds(from["medianErrorMilliseconds"]);
  accuracy.promises = read_number(from["promises"]);
  accuracy.broken = read_number(from["broken"]);
  return accuracy;
}

}  // namespace

std::string write_start_table(const StartTable& table) {
  StartJson document = document_of_kind("Starts");
  document["madeAt"] = format_time(table.made_at);
  document["planningMilliseconds"] = milliseconds(table.planned_for);
  document["learnedKeys"] = table.learned_keys;
  document["accuracy"] = accuracy_json(table.accuracy);
  document["jobs"] = StartJson::array();
  for (const StartTable::Row& row : table.rows) document["jobs"].push_back(row_json(row));
  return document.dump(-1, ' ', false, StartJson::error_handler_t::replace) + "\n";
}

Result<StartTable> read_start_table(std::string text, std::string_view file) {
  const Result<document::Value> value = document::parse_json(std::move(text), file);
  if (!value) return value.error();
  document::Reading reading(*value, file);
  const document::Cursor root = reading.root();
  check_head(root, "Starts");
  if (!root["jobs"].is_present()) root.complain("no jobs, expected the document of /starts");
  StartTable table;
  table.made_at = root["madeAt"].time();
  table.planned_for = read_milliseconds(root["planningMilliseconds"]);
  table.learned_keys = read_number(root["learnedKeys"]);
  table.accuracy = read_accuracy(root["accuracy"]);
  for (const document::Cursor& each : root["jobs"].items())
    table.rows.push_back(read_start_row(each));
  if (reading.failed()) return reading.error();
  std::sort(table.rows.begin(), table.rows.end(),
            [](const auto& left, const auto& right) { return left.uid < right.uid; });
  return table;
}

}  // namespace berth::views
