#include "tools/when/search_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "berth/base/text.h"
#include "tools/simulate/values.h"

namespace berth::tools {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kSecondsOfAnHour = 3600;

std::string wait_text(const std::optional<Duration>& start) {
  if (!start) return "at a time that nobody knows";
  return "in " + format_duration(std::chrono::round<std::chrono::seconds>(*start));
}

std::string bounds_text(const SearchResult& result) {
  const SearchBounds& bounds = result.bounds;
  std::string text = fmt::format(
      "tried at most: its own time limit and those of {} other jobs, one of {} jobs that wait and "
      "of {} that run less, up to {} nodes more of each of {} kinds",
      bounds.limits, bounds.jobs, bounds.jobs, bounds.nodes, bounds.kinds);
  if (result.was_cut) text += fmt::format("; cut after {} simulations", result.simulations);
  return text + "\n";
}

}  // namespace

Json search_json(const SearchResult& result, TimePoint now) {
  const auto seconds = [](const std::optional<Duration>& time) {
    return time ? Json(in_seconds(*time)) : Json(nullptr);
  };
  Json answers = Json::array();
  for (const SearchAnswer& each : result.answers) {
    const ForecastDifference& difference = each.difference;
    answers.push_back({{"change", each.change},
                       {"start", each.start ? Json(format_time(now + *each.start)) : Json(nullptr)},
                       {"startsInSeconds", seconds(each.start)},
                       {"earlier", difference.earlier.size()},
                       {"later", difference.later.size()},
                       {"lostNodeHours", each.lost / kSecondsOfAnHour}});
  }
  return {{"job", result.job},
          {"by", format_time(result.by)},
          {"startsInSeconds", seconds(result.start)},
          {"isInTime", result.is_in_time},
          {"answers", std::move(answers)},
          {"simulations", result.simulations},
          {"wasCut", result.was_cut}};
}

std::string search_table(const SearchResult& result, TimePoint now, views::TextStyle style) {
  const auto by = std::chrono::round<std::chrono::seconds>(result.by - now);
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
    table.add(
        {each.change,
         each.start ? format_duration(std::chrono::round<std::chrono::seconds>(*each.start)) : "-",
         std::to_string(others), std::to_string(difference.later.size()),
         fmt::format("{:.1f}", each.lost / kSecondsOfAnHour)});
  }
  return text + "each of these lets it start by then\n\n" + table.render(style) + "\n" +
         bounds_text(result);
}

}  // namespace berth::tools
