#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <map>
#include <memory>
#include <utility>

#include "berth/base/text.h"
#include "simulation/simulation.h"
#include "tools/command.h"
#include "tools/config_command.h"
#include "tools/flags.h"
#include "tools/live/live_cluster.h"
#include "tools/progress.h"
#include "tools/simulate/snapshot.h"
#include "tools/simulate/values.h"
#include "tools/simulate/variants.h"
#include "tools/when/forecast.h"
#include "tools/when/forecast_text.h"
#include "tools/when/what_if.h"

namespace berth::tools {

namespace {

constexpr const char* kHelp = "Says when jobs that wait would start, and what would change that.";

constexpr const char* kMore =
    "Runs the real sessions from the state of a dump, and jumps from one end of a job to the "
    "next.\n"
    "Jobs end when their pods say so: by the annotation berth.dev/run-time, else by their time\n"
    "limit. A job that has neither runs for ever, or for --run-time if it waits. No job comes\n"
    "later: a start is a forecast for the jobs that are there, and most jobs end before their\n"
    "limit. With a change (--add-nodes, --remove-node, --cordon, --without-job, --set), each job\n"
    "has its start as it is and as it would be.\n"
    "\n"
    "Examples:\n"
    "  kubectl get nodes,pods,podgroups,queues,priorityclasses,namespaces,pdb -A -o json > "
    "now.json\n"
    "  berth when --cluster now.json\n"
    "  berth when --cluster now.json --add-nodes 4:like=gpu-7 --cordon gpu-1\n"
    "  berth when --cluster now.json --set actions.backfill.behind=easy -o json\n"
    "\n"
    "Exit status: 0 there is a forecast, 2 bad input or no answer, 3 a right is missing, 1 an\n"
    "internal error.";

struct WhenFlags {
  PlanningFlags planning;
  KubeFlags kube;
  std::string run_time;
  WhatIf what_if;
  std::string queue;  // of the rows
  std::optional<std::string> output;
};

// The configuration that the flag --set makes of the given one.
Result<conf::Config> changed_config(const WhenFlags& flags) {
  VariantFlags variants;
  if (!flags.planning.config.empty()) variants.configs = {flags.planning.config};
  variants.set = flags.what_if.set;
  Result<std::vector<Variant>> made = variants_of(variants);
  if (!made) return made.error();
  return std::move(made->front().config);
}

class When {
 public:
  // `now`: of the cluster; nullopt: the latest time in it.
  When(const WhenFlags& flags, std::optional<TimePoint> now, Console& console)
      : flags_(flags), now_(now), console_(console) {}

  Result<ForecastDocument> run(const ClusterInput& input) {
    if (!flags_.run_time.empty()) {
      Duration time{};
      const Status read = read_duration(flags_.run_time, "--run-time", time);
      if (!read) return read.error();
      run_time_ = time;
    }
    Result<Forecast> as_it_is = forecast(input);
    if (!as_it_is) return as_it_is.error();
    if (const Status explained = explain(input, *as_it_is); !explained) return explained.error();
    ForecastDocument document{std::move(*as_it_is), flags_.what_if.texts(), {}};
    if (flags_.what_if.is_empty()) return document;
    Result<Forecast> changed = changed_forecast(input);
    if (!changed) return changed.error();
    document.changed = std::move(*changed);
    return document;
  }

 private:
  Result<Forecast> forecast(const ClusterInput& input) {
    const Result<history::Recording> dump = snapshot_of(input.objects, input.config, now_);
    if (!dump) return dump.error();
    return forecast(*dump, input.config);
  }

  Result<Forecast> forecast(const history::Recording& dump, const conf::Config& config) {
    Progress progress(console_);
    return forecast_of(dump, config, run_time_, [&](std::size_t done, std::size_t all) {
      progress.show(fmt::format("forecasting: {} of {} jobs", done, all));
    });
  }

  Result<Forecast> changed_forecast(const ClusterInput& input) {
    const Result<conf::Config> config = changed_config(flags_);
    if (!config) return config.error();
    std::vector<ClusterEvent> objects = input.objects;
    const Status changed = change_nodes(flags_.what_if, config->scheduler_names, objects);
    if (!changed) return changed.error();
    Result<history::Recording> dump = snapshot_of(std::move(objects), *config, now_);
    if (!dump) return dump.error();
    if (const Status left = leave_out_jobs(flags_.what_if, *dump); !left) return left.error();
    return forecast(*dump, *config);
  }

  // Why jobs wait now.
  Status explain(const ClusterInput& input, Forecast& forecast) {
    simulation::SimulationRequest request;
    request.objects = input.objects;
    request.config = input.config;
    request.now = simulation::date_new_objects(now_, request.objects);
    const Result<simulation::Report> report = simulation::simulate(std::move(request));
    if (!report) return report.error();
    std::map<std::string, const simulation::JobRow*> rows;
    for (const simulation::JobRow& row : report->cycles.back().jobs) rows.emplace(row.job, &row);
    for (ForecastRow& row : forecast.jobs) {
      const auto found = rows.find(row.job);
      if (found == rows.end()) continue;
      row.reason = found->second->reason;
      row.message = found->second->message;
    }
    return Done{};
  }

  const WhenFlags& flags_;
  const std::optional<TimePoint> now_;
  Console& console_;
  std::optional<Duration> run_time_;
};

int show(const ClusterInput& input, const WhenFlags& flags, std::optional<TimePoint> now, Form form,
         Console& console) {
  Result<ForecastDocument> document = When(flags, now, console).run(input);
  if (!document) return complain(document.error(), console);
  keep_rows(flags.kube.name_space, flags.queue, *document);
  if (form == Form::json) return finish(forecast_json(*document), console);
  return finish(forecast_table(*document, style_of(form, console)), console);
}

int show_live(const WhenFlags& flags, Form form, Console& console) {
  Result<conf::Config> config = open_config(flags.planning.config);
  if (!config) return complain(config.error(), console);
  const auto reader = ApiReader::open(flags.kube);
  if (!reader) return complain(reader.error(), console);
  LiveCluster found = read_live_cluster(**reader, ClusterUse::sessions);
  if (found.refusal != Refusal::none) {
    say(found.message, console.err);
    return exit_code_of(found.refusal);
  }
  for (const std::string& note : found.notes) say("note: " + note, console.err);
  return show({std::move(found.objects), *std::move(config)}, flags, SystemClock().now(), form,
              console);
}

int run(const WhenFlags& flags, Console& console) {
  const Result<Form> form = read_form(flags.output, console);
  if (!form) return complain(form.error(), console);
  const bool has_manifests = !flags.planning.cluster.empty();
  KubeFlags access = flags.kube;
  access.name_space.clear();  // of the rows
  if (has_manifests && access.is_asked()) {
    return complain(
        Error{"given together with --cluster, expected one of them", access.first_asked()},
        console);
  }
  if (!has_manifests && has_access(flags.kube)) return show_live(flags, *form, console);
  const Result<ClusterInput> input = read_cluster(flags.planning, console);
  if (!input) return complain(input.error(), console);
  std::optional<TimePoint> now;
  if (flags.planning.now) {
    const Result<TimePoint> read = parse_time(*flags.planning.now);
    if (!read) return complain(Error{read.error().message, "--now"}, console);
    now = *read;
  }
  return show(*input, flags, now, *form, console);
}

}  // namespace

Command add_when(CLI::App& berth) {
  CLI::App* const command = berth.add_subcommand("when", kHelp);
  const auto flags = std::make_shared<WhenFlags>();
  command->footer(kMore);
  declare_cluster(*command, flags->planning);
  command
      ->add_option("--run-time", flags->run_time,
                   "Of jobs that wait and have no time limit; default: they never end")
      ->type_name("TIME");
  command->add_option("--now", flags->planning.now, "Time of the dump; default: the latest in it")
      ->type_name("TIME");
  declare_what_if(*command, flags->what_if);
  declare_kube(*command, flags->kube);
  command->get_option("--namespace")->description("Only jobs of this namespace");
  declare_queue(*command, flags->queue);
  declare_output(*command, flags->output);
  return {command, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace berth::tools
