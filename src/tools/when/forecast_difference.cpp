#include "tools/when/forecast_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <tuple>

#include "berth/base/text.h"

namespace berth::tools {

namespace {

constexpr Duration kNoDifference = std::chrono::seconds(1);

using Differing = std::vector<ForecastDifference::Job>;

void sort_by_size(Differing& jobs) {
  std::sort(jobs.begin(), jobs.end(), [](const auto& left, const auto& right) {
    const auto key = [](const ForecastDifference::Job& job) {
      return std::make_tuple(-job.by.value_or(Duration::max()), job.job);
    };
    return key(left) < key(right);
  });
}

// The largest of them, in brackets; of a start that nobody knew or knows, no amount.
std::string largest_text(const Differing& jobs) {
  if (jobs.empty()) return "";
  const auto known =
      std::find_if(jobs.begin(), jobs.end(), [](const auto& job) { return job.by.has_value(); });
  const ForecastDifference::Job& largest = known == jobs.end() ? jobs.front() : *known;
  if (!largest.by) return " (" + largest.job + ")";
  const auto by = std::chrono::round<std::chrono::seconds>(*largest.by);
  return fmt::format(" ({} by {})", largest.job, format_duration(by));
}

std::string hours_text(double node_seconds) {
  constexpr double kHour = 3600;
  return fmt::format("{:.1f}", node_seconds / kHour);
}

}  // namespace

ForecastDifference difference_of(const Forecast& with, const Forecast& before) {
  ForecastDifference difference;
  std::map<std::string, const ForecastRow*> changed;
  for (const ForecastRow& row : with.jobs) changed.emplace(row.job, &row);
  for (const ForecastRow& row : before.jobs) {
    const auto found = changed.find(row.job);
    if (found == changed.end()) continue;
    const std::optional<Duration>& start = found->second->start;
    if (start && row.start) {
      const Duration by = *start - *row.start;
      if (std::chrono::abs(by) < kNoDifference) {
        ++difference.as_before;
      } else {
        (by > Duration() ? difference.later : difference.earlier)
            .push_back({row.job, std::chrono::abs(by)});
      }
    } else if (start || row.start) {
      (start ? difference.earlier : difference.later).push_back({row.job, {}});
    } else {
      ++difference.as_before;
    }
  }
  sort_by_size(difference.earlier);
  sort_by_size(difference.later);
  difference.nodes =
      static_cast<std::int64_t>(with.nodes) - static_cast<std::int64_t>(before.nodes);
  difference.stops = with.stops;
  difference.stops_before = before.stops;
  difference.lost = with.lost;
  difference.lost_before = before.lost;
  return difference;
}

std::string summary_of(const ForecastDifference& difference) {
  const std::size_t earlier = difference.earlier.size();
  std::string text =
      fmt::format("{} {} earlier{}, {} later{}, {} as before", count_text(earlier, "job"),
                  earlier == 1 ? "starts" : "start", largest_text(difference.earlier),
                  difference.later.size(), largest_text(difference.later), difference.as_before);
  if (difference.nodes != 0) {
    text += fmt::format("; {} {}",
                        count_text(static_cast<std::size_t>(std::abs(difference.nodes)), "node"),
                        difference.nodes > 0 ? "more" : "fewer");
  }
  if (difference.stops + difference.stops_before > 0) {
    text += fmt::format(
        "\n{} stopped early ({} as it is), {} node-hours of work lost "
        "({} as it is)",
        count_text(difference.stops, "run"), difference.stops_before, hours_text(difference.lost),
        hours_text(difference.lost_before));
  }
  return text;
}

}  // namespace berth::tools
