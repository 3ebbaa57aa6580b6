#include "results/page_charts.h"

#include <algorithm>
#include <vector>

#include "berth/base/printable.h"
#include "results/charts.h"
#include "results/number_text.h"
#include "results/sections.h"
#include "results/timeline.h"
#include "results/units.h"

namespace berth::results {

namespace {

constexpr std::size_t kBuckets = 240;  // of time, in a line

// "easy: 1h23m; fair: 2h" for those who do not see the chart.
template <class Value>
std::string listed(std::span<const JudgedRun> runs, Value value) {
  std::string text;
  for (const JudgedRun& run : runs) {
    text += (text.empty() ? "" : "; ") + run.result.name + ": " + value(run.measures);
  }
  return text;
}

// "≤ 4" or "> 4".
std::string short_label(ClassOf kind, const ClassMeasures& its) {
  const double bound = its.up_to.value_or(its.above);
  return (its.up_to ? "≤ " : "> ") +
         (kind == ClassOf::size ? number_text(bound) : duration_text(bound));
}

std::string waits_by_class(std::span<const JudgedRun> runs, ClassOf kind) {
  const bool is_size = kind == ClassOf::size;
  const auto list = is_size ? &Measures::by_size : &Measures::by_run_time;
  const std::string title = is_size ? "Mean wait by size" : "Mean wait by run time";
  std::vector<BarGroup> groups;
  double most = 0;
  for (const ClassMeasures& each : classes_of(runs, list)) {
    BarGroup group{short_label(kind, each), {}};
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const ClassMeasures* its = find_class(runs[i].measures.*list, each.above);
      if (its == nullptr) continue;
      const auto jobs = static_cast<std::int64_t>(its->wait.count);
      group.bars.push_back({i, its->wait.mean,
                            class_label(kind, each) + ": " + duration_text(its->wait.mean) + ", " +
                                count_text(jobs) + " jobs, " + runs[i].result.name});
      most = std::max(most, its->wait.mean);
    }
    groups.push_back(std::move(group));
  }
  if (groups.empty()) return figure_without_chart(title, "No job started.");
  const Heading heading{title, "From submission to start, of jobs that started.",
                        title + ". " + listed(runs, [](const Measures& its) {
                          return duration_text(its.wait.mean) + " in all";
                        })};
  return bar_chart(heading, legend(runs), is_size ? "size in nodes" : "run time",
                   duration_axis(most, ""), groups, runs.size());
}

// The values at equal steps of rank.
StepLine line_of_slowdowns(const JudgedRun& run, std::size_t number, double end) {
  constexpr std::size_t kMostPoints = 300;
  std::vector<double> values;
  for (const JobTimes& job : times_of(run.result)) {
    if (job.last_run) values.push_back(bounded_slowdown_of(job));
  }
  std::sort(values.begin(), values.end());
  StepLine line{number, {{1, 0}}};
  const std::size_t points = std::min(values.size(), kMostPoints);
  for (std::size_t i = 1; i <= points; ++i) {
    const std::size_t rank = values.size() * i / points;
    line.points.emplace_back(values[rank - 1],
                             static_cast<double>(rank) / static_cast<double>(values.size()));
  }
  line.points.emplace_back(end, line.points.back().second);
  return line;
}

std::string slowdown_chart(std::span<const JudgedRun> runs) {
  const std::string title = "Bounded slowdown";
  double most = 0;
  for (const JudgedRun& run : runs) most = std::max(most, run.measures.bounded_slowdown.max);
  if (most <= 0) return figure_without_chart(title, "No job started.");
  const Axis x = logarithmic_axis(most, "bounded slowdown, logarithmic");
  std::vector<StepLine> lines;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    lines.push_back(line_of_slowdowns(runs[i], i, x.to));
  }
  const Heading heading{title, "The share of jobs whose bounded slowdown is at most so large.",
                        "Cumulative distribution of the bounded slowdown. Medians of " +
                            listed(runs, [](const Measures& its) {
                              return number_text(its.bounded_slowdown.median);
                            })};
  return step_chart(heading, legend(runs), x, percent_axis(""), lines);
}

struct OverTime {
  std::vector<StepLine> utilisation;
  std::vector<StepLine> waiting;
  double most_waiting = 0;
};

OverTime over_time(std::span<const JudgedRun> runs, const Interval& time) {
  OverTime over;
  const double width = time.length() / kBuckets;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const double nodes = bounded_amount(runs[i].result.nodes);
    const Timeline timeline(times_of(runs[i].result), nodes);
    StepLine utilisation{i, {}};
    StepLine waiting{i, {}};
    double at = time.from;
    for (const Timeline::Bucket& bucket : timeline.buckets(time, kBuckets)) {
      utilisation.points.emplace_back(at, nodes > 0 ? bucket.used / nodes : 0);
      waiting.points.emplace_back(at, bucket.waiting_jobs);
      over.most_waiting = std::max(over.most_waiting, bucket.waiting_jobs);
      at += width;
    }
    utilisation.points.emplace_back(time.to, utilisation.points.back().second);
    waiting.points.emplace_back(time.to, waiting.points.back().second);
    over.utilisation.push_back(std::move(utilisation));
    over.waiting.push_back(std::move(waiting));
  }
  return over;
}

std::string charts_over_time(std::span<const JudgedRun> runs) {
  const Interval time = whole_time_of(runs);
  if (!(time.length() > 0)) return figure_without_chart("Utilisation", "No job took any time.");
  const OverTime over = over_time(runs, time);
  const Axis x = time_axis(time.from, time.to, "time since the first submission");
  const std::string part = "Means of " + duration_text(time.length() / kBuckets) + " each.";
  const Heading utilisation{"Utilisation over time", part,
                            "Utilisation over time. Means of " + listed(runs, [](auto& its) {
                              return percent_text(its.utilisation);
                            })};
  const Heading waiting{"Waiting jobs over time", part,
                        "Number of waiting jobs over time. Means of " + listed(runs, [](auto& its) {
                          return number_text(its.mean_waiting_jobs);
                        })};
  return step_chart(utilisation, legend(runs), x, percent_axis(""), over.utilisation) +
         step_chart(waiting, legend(runs), x, linear_axis(over.most_waiting, ""), over.waiting);
}

std::string lost_work_chart(std::span<const JudgedRun> runs) {
  constexpr std::size_t kLongest = 50;  // name for which there is room
  std::vector<NamedBar> bars;
  double most = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Measures& its = runs[i].measures;
    const double hours = its.lost_work / kHour;
    const std::string text = number_text(hours) + " node-hours, " + percent_text(its.lost_share);
    most = std::max(most, hours);
    bars.push_back({{i, hours, text}, shortened(runs[i].result.name, kLongest) + ": " + text});
  }
  if (most <= 0) return figure_without_chart("Lost work", "No work was lost.");
  const Heading heading{
      "Lost work", "Work that evictions or failures ended in vain, and its share of all work.",
      "Lost work. " + listed(runs, [](auto& its) { return percent_text(its.lost_share); })};
  return named_bar_chart(heading, linear_axis(most, "node-hours"), bars);
}

}  // namespace

std::string page_charts(std::span<const JudgedRun> runs) {
  return charts_over_time(runs) + slowdown_chart(runs) + waits_by_class(runs, ClassOf::size) +
         waits_by_class(runs, ClassOf::run_time) + lost_work_chart(runs);
}

Interval whole_time_of(std::span<const JudgedRun> runs) {
  Interval all;
  bool is_first = true;
  for (const JudgedRun& run : runs) {
    const std::vector<JobTimes> jobs = times_of(run.result);
    if (jobs.empty()) continue;
    const Interval its = whole_time(jobs);
    all = is_first ? its : Interval{std::min(all.from, its.from), std::max(all.to, its.to)};
    is_first = false;
  }
  return all;
}

}  // namespace berth::results
