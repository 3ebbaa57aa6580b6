#include "results/sections.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "berth/base/printable.h"
#include "results/job_times.h"
#include "results/number_text.h"
#include "results/units.h"

namespace berth::results {

namespace {

using ValueOf = std::function<std::string(const JudgedRun&)>;

class SectionBuilder {
 public:
  SectionBuilder(std::span<const JudgedRun> runs, std::string title, std::string definition)
      : runs_(runs), section_{std::move(title), std::move(definition), {}} {}

  SectionBuilder& row(std::string label, const ValueOf& value_of) {
    MeasureRow row{std::move(label), {}};
    for (const JudgedRun& run : runs_) row.values.push_back(value_of(run));
    section_.rows.push_back(std::move(row));
    return *this;
  }
  SectionBuilder& count(std::string label, std::size_t Measures::*field) {
    return row(std::move(label), [=](const JudgedRun& run) {
      return count_text(static_cast<std::int64_t>(run.measures.*field));
    });
  }
  SectionBuilder& percent(std::string label, double Measures::*field) {
    return row(std::move(label),
               [=](const JudgedRun& run) { return percent_text(run.measures.*field); });
  }
  SectionBuilder& distribution(Distribution Measures::*field, std::string (*text)(double)) {
    const auto add = [&](const char* label, double Distribution::*value) {
      row(label, [=](const JudgedRun& run) {
        const Distribution& distribution = run.measures.*field;
        return distribution.count == 0 ? "-" : text(distribution.*value);
      });
    };
    add("mean", &Distribution::mean);
    add("median", &Distribution::median);
    add("90th percentile", &Distribution::p90);
    add("99th percentile", &Distribution::p99);
    add("largest", &Distribution::max);
    return *this;
  }
  Section take() { return std::move(section_); }

 private:
  std::span<const JudgedRun> runs_;
  Section section_;
};

Section jobs_section(std::span<const JudgedRun> runs) {
  return SectionBuilder(
             runs, "Jobs",
             "Jobs of the trace. A cancelled job was withdrawn by its user before it "
             "started. A job never started if it still waited when the simulation ended.")
      .count("submitted", &Measures::jobs)
      .count("started", &Measures::started)
      .count("ended", &Measures::ended)
      .count("never started", &Measures::never_started)
      .count("cancelled", &Measures::cancelled)
      .take();
}

Section machine_section(std::span<const JudgedRun> runs) {
  return SectionBuilder(
             runs, "Machine",
             "The makespan is the time from the first submission to the last end. Utilisation is "
             "the used node-seconds, divided by nodes and makespan; that of the middle is without "
             "the first and the last 10 % of the time. The loss of capacity is the room that is "
             "idle while waiting jobs ask for it, divided by the same.")
      .row("nodes",
           [](const JudgedRun& run) { return number_text(bounded_amount(run.result.nodes)); })
      .row("makespan", [](const JudgedRun& run) { return duration_text(run.measures.makespan); })
      .percent("utilisation", &Measures::utilisation)
      .percent("utilisation, middle", &Measures::utilisation_of_middle)
      .percent("loss of capacity", &Measures::loss_of_capacity)
      .percent("idle on kept nodes", &Measures::idle_reserved)
      .row("waiting jobs, mean",
           [](const JudgedRun& run) { return number_text(run.measures.mean_waiting_jobs); })
      .row("waiting jobs, most",
           [](const JudgedRun& run) { return count_text(run.measures.most_waiting_jobs); })
      .take();
}

Section lost_work_section(std::span<const JudgedRun> runs) {
  return SectionBuilder(runs, "Lost work",
                        "Work that evictions or failures ended in vain, in node-hours, and its "
                        "share of all work that jobs have done.")
      .row("node-hours",
           [](const JudgedRun& run) { return number_text(run.measures.lost_work / kHour); })
      .percent("share of all work", &Measures::lost_share)
      .row("evictions", [](const JudgedRun& run) { return count_text(run.measures.evictions); })
      .count("evicted jobs", &Measures::evicted_jobs)
      .take();
}

std::string share_text(const Shares& shares, double share, const std::string& owner) {
  constexpr std::size_t kLongestOwner = 20;
  if (shares.owners < 2) return "-";
  if (share <= 0) return percent_text(0);
  return percent_text(share) +
         (owner.empty() ? "" : " " + shortened(printable(owner), kLongestOwner));
}

Section fairness_section(std::span<const JudgedRun> runs) {
  SectionBuilder section(
      runs, "Fairness",
      "A job was passed if a job that was submitted later started earlier. The makespan is cut "
      "into 100 slices, and the fair share of a user or queue that has jobs in a slice is its "
      "weight's part of all that have. The largest deviation is that of a share of the use from "
      "the fair share. The largest shortfall is what one used less than its fair share although "
      "its jobs waited, as a share of the machine.");
  section.count("passed jobs", &Measures::passed)
      .percent("passed jobs, share", &Measures::passed_share);
  const auto add = [&](const std::string& whose, Shares Measures::*shares) {
    section
        .row("deviation of " + whose,
             [=](const JudgedRun& run) {
               const Shares& its = run.measures.*shares;
               return share_text(its, its.largest_deviation, its.deviating);
             })
        .row("shortfall of " + whose, [=](const JudgedRun& run) {
          const Shares& its = run.measures.*shares;
          return share_text(its, its.largest_shortfall, its.short_of);
        });
  };
  add("a user", &Measures::users);
  add("a queue", &Measures::queues);
  return section.take();
}

Section forecast_section(std::span<const JudgedRun> runs) {
  const auto any = [](const JudgedRun& run) { return run.result.forecasts.has_value(); };
  if (std::none_of(runs.begin(), runs.end(), any)) return {};
  SectionBuilder section(
      runs, "Forecasts",
      "For each job that had to wait, its start was forecast when it came: by the time limits of "
      "all, and by run times that were learned from the jobs before. The error is the time from "
      "the forecast to the start. The likely time is an interval that is to hold four of five.");
  const auto add = [&](const std::string& label, auto text_of) {
    section.row(label, [text_of](const JudgedRun& run) {
      return run.result.forecasts ? text_of(*run.result.forecasts) : std::string("-");
    });
  };
  const auto part = [](std::int64_t count, std::int64_t of) {
    return of == 0 ? "-" : percent_text(static_cast<double>(count) / static_cast<double>(of));
  };
  const auto add_errors = [&](const std::string& by, ForecastErrors Forecasts::*errors) {
    add("median error by " + by,
        [=](const Forecasts& its) { return duration_text((its.*errors).median); });
    add("nine of ten by " + by,
        [=](const Forecasts& its) { return duration_text((its.*errors).largest_of_nine); });
    add("later than by " + by,
        [=](const Forecasts& its) { return part((its.*errors).later, (its.*errors).known); });
  };
  add("jobs that waited", [](const Forecasts& its) { return count_text(its.waited); });
  add_errors("limits", &Forecasts::by_limits);
  add_errors("learned times", &Forecasts::by_learned);
  add("started when likely",
      [=](const Forecasts& its) { return part(its.inside, its.by_learned.known); });
  add("likely time, median", [](const Forecasts& its) { return duration_text(its.width_median); });
  add("promised starts", [](const Forecasts& its) { return count_text(its.promises); });
  add("promises broken", [](const Forecasts& its) { return count_text(its.broken); });
  return section.take();
}

Section class_section(std::span<const JudgedRun> runs, ClassOf kind) {
  const bool is_size = kind == ClassOf::size;
  const auto list = is_size ? &Measures::by_size : &Measures::by_run_time;
  SectionBuilder section(
      runs, is_size ? "Mean wait by size" : "Mean wait by run time",
      is_size ? "The mean wait of the started jobs of a size, in nodes, by powers of two."
              : "The mean wait of the started jobs whose runs are of a length.");
  for (const ClassMeasures& each : classes_of(runs, list)) {
    section.row(class_label(kind, each), [=](const JudgedRun& run) {
      const ClassMeasures* its = find_class(run.measures.*list, each.above);
      return its == nullptr ? "-" : duration_text(its->wait.mean);
    });
  }
  return section.take();
}

Section simulation_section(std::span<const JudgedRun> runs) {
  return SectionBuilder(runs, "Simulation", "The cost of the simulation itself.")
      .row("sessions", [](const JudgedRun& run) { return count_text(run.result.sessions); })
      .row("computing time",
           [](const JudgedRun& run) { return duration_text(run.result.seconds_of_computing); })
      .take();
}

}  // namespace

std::vector<Section> sections_of(std::span<const JudgedRun> runs) {
  std::vector<Section> sections;
  sections.push_back(jobs_section(runs));
  sections.push_back(SectionBuilder(runs, "Wait",
                                    "From its submission to the start of its last run, of each "
                                    "started job. A percentile is of the nearest rank.")
                         .distribution(&Measures::wait, duration_text)
                         .take());
  sections.push_back(
      SectionBuilder(runs, "Turnaround", "From its submission to its end, of each job that ended.")
          .distribution(&Measures::turnaround, duration_text)
          .take());
  sections.push_back(
      SectionBuilder(runs, "Bounded slowdown",
                     "Of each started job, max(1, (wait + run) / max(run, 10 s)): how many times "
                     "as long it took as on an empty machine.")
          .distribution(&Measures::bounded_slowdown, number_text)
          .take());
  sections.push_back(machine_section(runs));
  sections.push_back(lost_work_section(runs));
  sections.push_back(fairness_section(runs));
  sections.push_back(class_section(runs, ClassOf::size));
  sections.push_back(class_section(runs, ClassOf::run_time));
  sections.push_back(forecast_section(runs));
  sections.push_back(simulation_section(runs));
  std::erase_if(sections, [](const Section& section) { return section.rows.empty(); });
  return sections;
}

std::string class_label(ClassOf kind, const ClassMeasures& its_class) {
  const bool is_size = kind == ClassOf::size;
  const auto text = [&](double bound) {
    return is_size ? number_text(bound) : duration_text(bound);
  };
  std::string label;
  if (its_class.above > 0) label = "over " + text(its_class.above);
  if (its_class.up_to) label += (label.empty() ? "up to " : ", up to ") + text(*its_class.up_to);
  if (is_size) label += its_class.up_to == 1.0 ? " node" : " nodes";
  return label;
}

std::vector<ClassMeasures> classes_of(std::span<const JudgedRun> runs,
                                      std::vector<ClassMeasures> Measures::*list) {
  std::map<double, ClassMeasures> classes;
  for (const JudgedRun& run : runs) {
    for (const ClassMeasures& each : run.measures.*list) {
      classes.try_emplace(each.above, ClassMeasures{each.above, each.up_to, {}, {}});
    }
  }
  std::vector<ClassMeasures> sorted;
  for (const auto& [above, each] : classes) sorted.push_back(each);
  return sorted;
}

const ClassMeasures* find_class(const std::vector<ClassMeasures>& list, double above) {
  const auto found = std::find_if(list.begin(), list.end(),
                                  [&](const ClassMeasures& each) { return each.above == above; });
  return found == list.end() ? nullptr : &*found;
}

}  // namespace berth::results
