#include "tools/report_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "berth/base/text.h"
#include "views/reservations_text.h"
#include "views/text_table.h"

namespace berth::tools {

namespace {

constexpr std::size_t kTargetRowsMax = 10;

std::string targets_text(const simulation::Summary& summary, TableStyle style) {
  views::TextTable table({"TARGET", "ELECTED", "STARTED", "WAITED", "ENDED"});
  const auto in_cycle = [](const std::optional<std::size_t>& cycle) {
    return cycle ? fmt::format("cycle {}", *cycle) : std::string("-");
  };
  std::size_t targets = 0;
  for (const simulation::WaitRow& row : summary.waits) {
    if (!row.elected || targets++ >= kTargetRowsMax) continue;
    table.add({row.job, in_cycle(row.elected), in_cycle(row.started),
               count_text(row.cycles, "cycle"), row.ended.empty() ? "-" : row.ended});
  }
  if (targets == 0) return "";
  std::string text = "\n" + table.render(style);
  if (targets > kTargetRowsMax) {
    text += fmt::format("... and {} more (-o json has all)\n", targets - kTargetRowsMax);
  }
  return text;
}

std::string others_text(const simulation::Summary& summary) {
  std::size_t jobs = 0;
  std::size_t started = 0;
  std::size_t sum = 0;
  std::size_t most = 0;
  for (const simulation::WaitRow& row : summary.waits) {
    if (row.elected) continue;
    ++jobs;
    if (row.started) ++started;
    sum += row.cycles;
    most = std::max(most, row.cycles);
  }
  if (jobs == 0) return "";
  constexpr std::size_t kTenths = 10;
  return fmt::format(
      "\nof the other {}, {} started; waits in cycles: {}.{} on average, {} at most\n",
      count_text(jobs, "job"), started, sum / jobs, sum * kTenths / jobs % kTenths, most);
}

std::string percent(std::int32_t part) {
  constexpr int kTenthsOfPercent = simulation::Summary::kWhole / 1000;
  return fmt::format("{}.{}%", part / (10 * kTenthsOfPercent), part / kTenthsOfPercent % 10);
}

std::string use_text(const simulation::Summary& summary, TableStyle style) {
  std::vector<std::string> columns{"RESOURCE", "USED", "LOST BY EVICTIONS", "IDLE ON LOCKED NODES"};
  if (!summary.useless.empty()) columns.emplace_back("IDLE AND USELESS");
  views::TextTable table(columns);
  for (const auto& [resource, part] : summary.utilisation) {
    if (resource == "pods") continue;
    const auto held = summary.held.find(resource);
    std::vector<std::string> row{resource, percent(part), percent(summary.lost_work.at(resource)),
                                 held == summary.held.end() ? "-" : views::held_text({*held})};
    if (!summary.useless.empty()) {
      const auto useless = summary.useless.find(resource);
      row.push_back(useless == summary.useless.end() ? "-" : percent(useless->second));
    }
    table.add(std::move(row));
  }
  return "\n" + table.render(style);
}

std::string bound_text(std::chrono::seconds age) {
  using std::chrono::hours;
  using std::chrono::minutes;
  if (age >= hours(1)) return fmt::format("{} h", age / hours(1));
  if (age >= minutes(1)) return fmt::format("{} min", age / minutes(1));
  return fmt::format("{} s", age.count());
}

// "evicted pods by age: 3 of less than 10 s, 1 of less than 5 min"
std::string evicted_text(const views::EvictedByAge& counts) {
  std::string text;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    const bool is_last = i == views::kEvictedAges.size();
    text += fmt::format("{}{} of {} {}", text.empty() ? "" : ", ", counts[i],
                        is_last ? "at least" : "less than",
                        bound_text(views::kEvictedAges[is_last ? i - 1 : i]));
  }
  return text.empty() ? "" : "\nevicted pods by age: " + text + "\n";
}

}  // namespace

std::string summary_table(const simulation::Summary& summary, TableStyle style) {
  if (summary.cycles < 2) return "";
  return fmt::format("\nall {} cycles\n", summary.cycles) + targets_text(summary, style) +
         others_text(summary) + evicted_text(summary.evicted) + use_text(summary, style);
}

}  // namespace berth::tools
