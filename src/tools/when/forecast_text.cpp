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
using Rows = std::map<std::string, const ForecastRow*>;  // by job

constexpr double kSecondsOfAnHour = 3600;

// Whole seconds: a session decides within one.
Duration rounded(Duration time) { return std::chrono::round<std::chrono::seconds>(time); }

Json seconds_of(const std::optional<Duration>& time) {
  return time ? Json(in_seconds(*time)) : Json(nullptr);
}

Json start_of(TimePoint now, const std::optional<Duration>& start) {
  return start ? Json(format_time(now + *start)) : Json(nullptr);
}

// A job that a change takes away is not in it.
Rows by_job(const std::vector<ForecastRow>& rows) {
  Rows found;
  for (const ForecastRow& row : rows) found.emplace(row.job, &row);
  return found;
}

// Jobs that run, and are not stopped as it is.
std::vector<const ForecastRow*> new_rows(const ForecastDocument& document) {
  std::vector<const ForecastRow*> rows;
  Rows known = by_job(document.forecast.jobs);
  known.merge(by_job(document.forecast.stopped));
  for (const auto* const list : {&document.changed->jobs, &document.changed->stopped}) {
    for (const ForecastRow& row : *list) {
      if (!known.contains(row.job)) rows.push_back(&row);
    }
  }
  return rows;
}

Json json_of(const ForecastRow& row, TimePoint now) {
  return {{"job", row.job},
          {"queue", row.queue},
          {"pods", row.pods},
          {"waitingSeconds", in_seconds(rounded(row.waited))},
          {"runSeconds", seconds_of(row.run)},
          {"stopsInSeconds", seconds_of(row.stop)},
          {"start", start_of(now, row.start)},
          {"startsInSeconds", seconds_of(row.start)},
          {"reason", row.reason},
          {"message", row.message}};
}

// The largest changes.
Json json_of(const std::vector<ForecastDifference::Job>& jobs) {
  constexpr std::size_t kMost = 10;
  Json list = Json::array();
  for (std::size_t i = 0; i < std::min(jobs.size(), kMost); ++i) {
    list.push_back({{"job", jobs[i].job}, {"bySeconds", seconds_of(jobs[i].by)}});
  }
  return list;
}

Json json_of(const ForecastDifference& difference) {
  return {{"earlier", difference.earlier.size()},
          {"later", difference.later.size()},
          {"asBefore", difference.as_before},
          {"mostEarlier", json_of(difference.earlier)},
          {"mostLater", json_of(difference.later)},
          {"nodes", difference.nodes},
          {"stops", difference.stops},
          {"stopsBefore", difference.stops_before},
          {"lostNodeHours", difference.lost / kSecondsOfAnHour},
          {"lostNodeHoursBefore", difference.lost_before / kSecondsOfAnHour}};
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
  if (document.difference) text += "\n" + summary_of(*document.difference);
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

// --- the search --------------------------------------------------------------------------------

std::string wait_text(const std::optional<Duration>& start) {
  if (!start) return "at a time that nobody knows";
  return "in " + format_duration(rounded(*start));
}

std::string bounds_text(const SearchResult& result) {
  std::string text = fmt::format(
      "tried at most: its own time limit and those of {} other jobs, one of {} jobs that wait and "
      "of {} that run less, up to {} nodes more of each of {} kinds",
      SearchBounds::kLimits, SearchBounds::kJobs, SearchBounds::kJobs, SearchBounds::kNodes,
      SearchBounds::kKinds);
  if (result.was_cut) text += fmt::format("; cut after {} simulations", result.simulations);
  return text + "\n";
}

Json search_json(const SearchResult& result, TimePoint now) {
  Json answers = Json::array();
  for (const SearchAnswer& each : result.answers) {
    const ForecastDifference& difference = each.difference;
    answers.push_back({{"change", each.change},
                       {"start", start_of(now, each.start)},
                       {"startsInSeconds", seconds_of(each.start)},
                       {"earlier", difference.earlier.size()},
                       {"later", difference.later.size()},
                       {"lostNodeHours", each.lost / kSecondsOfAnHour}});
  }
  return {{"job", result.job},
          {"by", format_time(result.by)},
          {"startsInSeconds", seconds_of(result.start)},
          {"isInTime", result.is_in_time},
          {"answers", std::move(answers)},
          {"simulations", result.simulations},
          {"wasCut", result.was_cut}};
}

std::string search_table(const SearchResult& result, TimePoint now, views::TextStyle style) {
  const Duration by = rounded(result.by - now);
  std::string text = fmt::format("{} starts {}", result.job, wait_text(result.start));
  if (result.is_in_time) {
    return text + fmt::format(", in time for {}\n", format_time(result.by));
  }
  text += fmt::format(", not by {} (in {})\n", format_time(result.by), format_duration(by));
  if (result.answers.empty()) {
    return text + "no single change that was tried lets it start by then\n" + bounds_text(result);
  }
  views::TextTable table({"CHANGE", "STARTS IN", "OTHERS EARLIER", "LATER", "NODE-HOURS LOST"});
  for (const SearchAnswer& each : result.answers) {
    const ForecastDifference& difference = each.difference;
    const std::size_t others = std::max<std::size_t>(1, difference.earlier.size()) - 1;
    table.add({each.change, each.start ? format_duration(rounded(*each.start)) : "-",
               std::to_string(others), std::to_string(difference.later.size()),
               fmt::format("{:.1f}", each.lost / kSecondsOfAnHour)});
  }
  return text + "each of these lets it start by then\n\n" + table.render(style) + "\n" +
         bounds_text(result);
}

}  // namespace

void keep_rows(const std::string& name_space, const std::string& queue,
               ForecastDocument& document) {
  const auto is_hidden = [&](const ForecastRow& row) { return !is_shown(row, name_space, queue); };
  const auto keep = [&](Forecast& forecast) {
    std::erase_if(forecast.jobs, is_hidden);
    std::erase_if(forecast.stopped, is_hidden);
  };
  keep(document.forecast);
  if (document.changed) keep(*document.changed);
}

std::string forecast_json(const ForecastDocument& document) {
  const Forecast& forecast = document.forecast;
  Json json = views::document_of_kind("Forecast");
  json["now"] = format_time(forecast.now);
  json["simulatedSeconds"] = in_seconds(rounded(forecast.until));
  json["jobsWithoutEnd"] = forecast.unending;
  json["changes"] = document.changes;
  if (document.difference) json["difference"] = json_of(*document.difference);
  if (document.search) json["search"] = search_json(*document.search, forecast.now);
  const auto list_of = [&](const std::vector<ForecastRow>& rows, const Rows& changed) {
    Json list = Json::array();
    for (const ForecastRow& row : rows) {
      Json each = json_of(row, forecast.now);
      if (const auto found = changed.find(row.job); found != changed.end()) {
        const ForecastRow& with = *found->second;
        each["changed"] = {{"start", start_of(forecast.now, with.start)},
                           {"startsInSeconds", seconds_of(with.start)},
                           {"stopsInSeconds", seconds_of(with.stop)}};
      } else if (document.changed) {
        each["changed"] = nullptr;
      }
      list.push_back(std::move(each));
    }
    return list;
  };
  if (document.changed) {
    json["jobs"] = list_of(forecast.jobs, by_job(document.changed->jobs));
    json["stopped"] = list_of(forecast.stopped, by_job(document.changed->stopped));
    json["newJobs"] = Json::array();  // those that run now, and would wait
    for (const ForecastRow* const row : new_rows(document)) {
      json["newJobs"].push_back(json_of(*row, forecast.now));
    }
  } else {
    json["jobs"] = list_of(forecast.jobs, {});
    json["stopped"] = list_of(forecast.stopped, {});
  }
  return views::document_text(json);
}

std::string forecast_table(const ForecastDocument& document, views::TextStyle style) {
  const Forecast& forecast = document.forecast;
  std::string text = heading_of(document);
  if (document.search) return text + search_table(*document.search, forecast.now, style);
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
  const Rows changed = compares ? by_job(document.changed->jobs) : Rows();
  for (const ForecastRow& row : forecast.jobs) {
    std::vector<std::string> after;
    if (const auto found = changed.find(row.job); found != changed.end()) {
      after = {start_text(found->second->start), difference_text(row.start, found->second->start)};
    } else if (compares) {
      after = {"-", "left out"};
    }
    add(row, start_text(row.start), after);
  }
  if (compares) {
    for (const ForecastRow* const row : new_rows(document)) {
      const std::string in = row->stop ? " in " + format_duration(rounded(*row->stop)) : "";
      add(*row, "runs", {start_text(row->start), "stopped" + in});
    }
  }
  return text + "\n" + table.render(style);
}

}  // namespace berth::tools
