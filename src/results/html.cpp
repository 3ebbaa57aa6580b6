#include "results/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "results/gantt.h"
#include "results/job_times.h"
#include "results/markup.h"
#include "results/number_text.h"
#include "results/page_charts.h"
#include "results/sections.h"
#include "results/style.h"

namespace berth::results {

namespace {

// Of all runs together; a rectangle of a job with a usual name takes about 90 bytes.
constexpr std::size_t kMostRectangles = 15'000;
constexpr std::size_t kMostBytes = 1'500'000;

std::string head() {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
         "style-src 'unsafe-inline'\">\n<title>Simulation of a job trace</title>\n<style>" +
         std::string(kStyle) + "</style>\n</head>\n";
}

std::string summary(std::span<const JudgedRun> runs) {
  if (runs.empty()) return "No runs.";
  std::size_t jobs = 0;
  for (const JudgedRun& run : runs) jobs = std::max(jobs, run.measures.jobs);
  return fmt::format("{} of {} on {}. Times count from the first submission.",
                     runs.size() == 1 ? "One run" : fmt::format("{} runs", runs.size()),
                     jobs == 1 ? "one job" : count_text(static_cast<std::int64_t>(jobs)) + " jobs",
                     number_text(bounded_amount(runs.front().result.nodes)) + " nodes");
}

std::string measures_table(std::span<const JudgedRun> runs, const std::vector<Section>& sections) {
  std::string table = "<div class=\"scroll\"><table>\n<thead><tr><td></td>";
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string colour = runs.size() > 1 ? " class=\"" + colour_class(i) + "\"" : "";
    table += "<th scope=\"col\"" + colour + ">" + escaped(runs[i].result.name) + "</th>";
  }
  table += "</tr></thead>\n";
  for (const Section& section : sections) {
    table += fmt::format("<tbody><tr><th scope=\"rowgroup\" colspan=\"{}\">{}</th></tr>\n",
                         runs.size() + 1, escaped(section.title));
    for (const MeasureRow& row : section.rows) {
      table += "<tr><th scope=\"row\">" + escaped(row.label) + "</th>";
      for (const std::string& value : row.values) table += "<td>" + escaped(value) + "</td>";
      table += "</tr>\n";
    }
    table += "</tbody>\n";
  }
  return table + "</table></div>\n";
}

std::string definitions(const std::vector<Section>& sections) {
  std::string list = "<details><summary>How the measures are defined</summary><dl>\n";
  for (const Section& section : sections) {
    list += "<dt>" + escaped(section.title) + "</dt><dd>" + escaped(section.definition, 1'000) +
            "</dd>\n";
  }
  return list + "</dl></details>\n";
}

std::string gantts(std::span<const JudgedRun> runs) {
  GanttLimits limits;
  limits.rectangles = std::min(limits.rectangles, kMostRectangles / runs.size());
  limits.bytes = std::min(limits.bytes, kMostBytes / runs.size());
  const Interval time = whole_time_of(runs);
  std::string charts = "<h2>Jobs on nodes</h2>\n<div class=\"wide\">\n";
  for (const JudgedRun& run : runs) charts += gantt_chart(run, time, limits);
  return charts + "</div>\n";
}

}  // namespace

std::string html_text(std::span<const JudgedRun> runs) {
  const std::vector<Section> sections = sections_of(runs);
  std::string page = head() + "<body><main>\n<header><h1>Simulation of a job trace</h1><p>" +
                     summary(runs) + "</p></header>\n";
  if (!runs.empty()) {
    page += "<h2>Measures</h2>\n" + measures_table(runs, sections);
    page += "<h2>Charts</h2>\n<div class=\"charts\">\n" + page_charts(runs) + "</div>\n";
    page += gantts(runs);
    page += "<h2>Definitions</h2>\n" + definitions(sections);
  }
  return page + "</main></body>\n</html>\n";
}

}  // namespace berth::results
