#include "tools/when/forecast_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "berth/base/text.h"
#include "tools/simulate/values.h"
#include "views/document_head.h"

namespace berth::tools {

namespace {

using Json = nlohmann::ordered_json;
using Starts = std::map<std::string, std::optional<Duration>>;  // by job

// Whole seconds: a session decides within one.
Duration rounded(Duration time) { return std::chrono::round<std::chrono::seconds>(time); }

Json seconds_of(const std::optional<Duration>& time) {
  return time ? Json(in_seconds(*time)) : Json(nullptr);
}

Json start_of(TimePoint now, const std::optional<Duration>& start) {
  return start ? Json(format_time(now + *start)) : Json(nullptr);
}

// A job that a change takes away is not in it.
Starts starts_of(const Forecast& forecast) {
  Starts starts;
  for (const ForecastRow& row : forecast.jobs) starts.emplace(row.job, row.start);
  return starts;
}

Json json_of(const ForecastRow& row, TimePoint now) {
  return {{"job", row.job},
          {"queue", row.queue},
          {"pods", row.pods},
          {"waitingSeconds", in_seconds(rounded(row.waited))},
          {"runSeconds", seconds_of(row.run)},
          {"start", start_of(now, row.start)},
          {"startsInSeconds", seconds_of(row.start)},
          {"reason", row.reason},
          {"message", row.message}};
}

std::string start_text(const std::optional<Duration>& start) {
  if (!start) return "not known";
  return *start <= Duration() ? "now" : format_duration(rounded(*start));
}

std::string difference_text(const std::optional<Duration>& before,
                            const std::optional<Duration>& after) {
  if (before == after) return "-";
  if (!before) return "earlier";
  if (!after) return "later";
  const bool is_later = *after > *before;
  const Duration by = rounded(is_later ? *after - *before : *before - *after);
  return by == Duration() ? "-" : format_duration(by) + (is_later ? " later" : " earlier");
}

std::string heading_of(const ForecastDocument& document) {
  const Forecast& forecast = document.forecast;
  std::string text = fmt::format("{} waiting at {}", count_text(forecast.jobs.size(), "job"),
                                 format_time(forecast.now));
  for (const std::string& change : document.changes) text += "\nwith " + change;
  if (forecast.unending > 0) {
    text += fmt::format("\n{} without a time limit: their room is not counted on",
                        count_text(forecast.unending, "running job"));
  }
  return text + "\n";
}

bool is_shown(const ForecastRow& row, const std::string& name_space, const std::string& queue) {
  const bool is_there = name_space.empty() || row.job.starts_with(name_space + "/");
  return is_there && (queue.empty() || row.queue == queue);
}

}  // namespace

void keep_rows(const std::string& name_space, const std::string& queue,
               ForecastDocument& document) {
  const auto is_hidden = [&](const ForecastRow& row) { return !is_shown(row, name_space, queue); };
  std::erase_if(document.forecast.jobs, is_hidden);
  if (document.changed) std::erase_if(document.changed->jobs, is_hidden);
}

std::string forecast_json(const ForecastDocument& document) {
  const Forecast& forecast = document.forecast;
  Json json = views::document_of_kind("Forecast");
  json["now"] = format_time(forecast.now);
  json["simulatedSeconds"] = in_seconds(rounded(forecast.until));
  json["jobsWithoutEnd"] = forecast.unending;
  json["changes"] = document.changes;
  json["jobs"] = Json::array();
  const Starts changed = document.changed ? starts_of(*document.changed) : Starts();
  for (const ForecastRow& row : forecast.jobs) {
    Json each = json_of(row, forecast.now);
    if (const auto found = changed.find(row.job); found != changed.end()) {
      each["changed"] = {{"start", start_of(forecast.now, found->second)},
                         {"startsInSeconds", seconds_of(found->second)}};
    } else if (document.changed) {
      each["changed"] = nullptr;
    }
    json["jobs"].push_back(std::move(each));
  }
  if (document.changed) {
    const Starts known = starts_of(forecast);
    json["newJobs"] = Json::array();  // those that run now, and would wait
    for (const ForecastRow& row : document.changed->jobs) {
      if (!known.contains(row.job)) json["newJobs"].push_back(json_of(row, forecast.now));
    }
  }
  constexpr int kIndent = 1;
  return json.dump(kIndent, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string forecast_table(const ForecastDocument& document, views::TextStyle style) {
  const Forecast& forecast = document.forecast;
  std::string text = heading_of(document);
  const bool compares = document.changed.has_value();
  std::vector<std::string> headings{"JOB", "QUEUE", "PODS", "WAITED", "STARTS IN"};
  if (compares) headings.insert(headings.end(), {"WITH CHANGES", "DIFFERENCE"});
  headings.emplace_back("WAITS NOW BECAUSE");
  views::TextTable table(std::move(headings));
  const auto add = [&](const ForecastRow& row, const std::string& before,
                       const std::vector<std::string>& after) {
    std::vector<std::string> cells{row.job, row.queue, std::to_string(row.pods),
                                   format_duration(rounded(row.waited)), before};
    cells.insert(cells.end(), after.begin(), after.end());
    cells.push_back(row.message.empty() ? "-" : row.message);
    table.add(std::move(cells));
  };
  const Starts changed = compares ? starts_of(*document.changed) : Starts();
  for (const ForecastRow& row : forecast.jobs) {
    std::vector<std::string> after;
    if (const auto found = changed.find(row.job); found != changed.end()) {
      after = {start_text(found->second), difference_text(row.start, found->second)};
    } else if (compares) {
      after = {"-", "left out"};
    }
    add(row, start_text(row.start), after);
  }
  if (compares) {
    const Starts known = starts_of(forecast);
    for (const ForecastRow& row : document.changed->jobs) {
      if (!known.contains(row.job)) add(row, "runs", {start_text(row.start), "stopped"});
    }
  }
  return text + "\n" + table.render(style);
}

}  // namespace berth::tools
