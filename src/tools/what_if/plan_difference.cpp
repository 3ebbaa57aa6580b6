#include "tools/what_if/plan_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "berth/base/text.h"

namespace berth::tools {

namespace {

constexpr std::size_t kRowsMost = 30;

using Jobs = std::map<std::string, PlanDifference::Job>;

void add_jobs(const simulation::Report& report, bool is_before, Jobs& jobs) {
  if (report.cycles.empty()) return;
  for (const simulation::JobRow& row : report.cycles.back().jobs) {
    PlanDifference::Job& job = jobs[row.job];
    job.job = row.job;
    job.queue = row.queue;
    (is_before ? job.placed_before : job.placed) = row.placed;
  }
  for (const simulation::WaitRow& row : report.summary.waits) {
    const auto found = jobs.find(row.job);
    if (found == jobs.end()) continue;
    (is_before ? found->second.started_before : found->second.starts) = row.started;
  }
}

std::vector<simulation::EvictionRow> evictions_of(const simulation::Report& report) {
  std::vector<simulation::EvictionRow> rows;
  for (const simulation::CycleReport& cycle : report.cycles) {
    rows.insert(rows.end(), cycle.evictions.begin(), cycle.evictions.end());
  }
  return rows;
}

std::vector<simulation::EvictionRow> only_in(std::vector<simulation::EvictionRow> rows,
                                             const std::vector<simulation::EvictionRow>& others) {
  std::set<std::string> known;
  for (const simulation::EvictionRow& each : others) known.insert(each.pod);
  std::erase_if(rows, [&](const auto& row) { return known.contains(row.pod); });
  return rows;
}

std::string cycle_text(const std::optional<std::size_t>& cycle) {
  return cycle ? std::to_string(*cycle) : "-";
}

std::string victims_text(const std::vector<simulation::EvictionRow>& rows, const char* what) {
  if (rows.empty()) return "";
  std::string text = fmt::format("{} {}: ", count_text(rows.size(), "pod"), what);
  for (std::size_t i = 0; i < std::min(rows.size(), kRowsMost); ++i) {
    text += (i == 0 ? "" : ", ") + rows[i].pod;
  }
  return text + (rows.size() > kRowsMost ? ", and others\n" : "\n");
}

}  // namespace

PlanDifference difference_of(const simulation::Report& with, const simulation::Report& before,
                             std::vector<std::string> changes) {
  PlanDifference difference;
  difference.changes = std::move(changes);
  Jobs jobs;
  add_jobs(with, false, jobs);
  add_jobs(before, true, jobs);
  for (auto& [name, job] : jobs) {
    if (job.placed == job.placed_before && job.starts == job.started_before) continue;
    difference.jobs.push_back(std::move(job));
  }
  const auto evicted = evictions_of(with);
  const auto evicted_before = evictions_of(before);
  difference.more = only_in(evicted, evicted_before);
  difference.fewer = only_in(evicted_before, evicted);
  return difference;
}

std::string difference_table(const PlanDifference& difference, views::TextStyle style) {
  std::string text;
  for (const std::string& change : difference.changes) text += "with " + change + "\n";
  std::size_t more = 0;
  std::size_t fewer = 0;
  for (const PlanDifference::Job& job : difference.jobs) {
    more += job.placed > job.placed_before ? 1U : 0U;
    fewer += job.placed < job.placed_before ? 1U : 0U;
  }
  if (difference.jobs.empty()) {
    text += "no job has other places than before\n";
  } else {
    text += fmt::format("{} more places than before, {} fewer\n",
                        count_text(more, "job") + (more == 1 ? " has" : " have"), fewer);
  }
  text += victims_text(difference.more, "evicted that would stay before");
  text += victims_text(difference.fewer, "not evicted that would be before");
  if (difference.jobs.empty()) return text;
  views::TextTable table({"CHANGED", "QUEUE", "PLACED", "BEFORE", "STARTS IN CYCLE", "BEFORE"});
  for (std::size_t i = 0; i < std::min(difference.jobs.size(), kRowsMost); ++i) {
    const PlanDifference::Job& job = difference.jobs[i];
    table.add({job.job, job.queue, std::to_string(job.placed), std::to_string(job.placed_before),
               cycle_text(job.starts), cycle_text(job.started_before)});
  }
  const std::size_t hidden = difference.jobs.size() - std::min(difference.jobs.size(), kRowsMost);
  return text + "\n" + table.render(style) +
         (hidden > 0 ? fmt::format("and {} more\n", count_text(hidden, "job")) : "");
}

}  // namespace berth::tools
