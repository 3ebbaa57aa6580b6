#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "berth/base/text.h"
#include "kube/manifests.h"
#include "tools/command.h"
#include "tools/config_command.h"
#include "tools/flags.h"
#include "tools/live/live_cluster.h"
#include "tools/progress.h"
#include "tools/simulate/values.h"
#include "tools/what_if/flags.h"
#include "tools/when/accuracy.h"
#include "tools/when/cases.h"
#include "tools/when/forecast_text.h"

namespace berth::tools {

namespace {

constexpr const char* kHelp = "Says when jobs that wait would start, and what would change that.";

constexpr const char* kMore =
    "Runs the real sessions from the state of a dump, and jumps from one end of a job to the "
    "next.\n"
    "Jobs end when their pods say so: by the annotation berth.dev/run-time, else by their time\n"
    "limit. A job that has neither runs for ever, or for --run-time if it waits. No job comes\n"
    "later: a start is a forecast for the jobs that are there, and most jobs end before their\n"
    "limit. With a change (--add-nodes, --remove-node, --drain, --cordon, --without-job,\n"
    "--time-limit, --set), each job has its start as it is and as it would be.\n"
    "\n"
    "Examples:\n"
    "  kubectl get nodes,pods,podgroups,queues,priorityclasses,namespaces,pdb -A -o json > "
    "now.json\n"
    "  berth when --cluster now.json\n"
    "  berth when --cluster now.json --add-nodes 4:like=gpu-7 --drain gpu-1@+2h\n"
    "  berth when --cluster now.json --set actions.backfill.behind=easy -o json\n"
    "  berth when --cluster now.json --job ml/train --by +8h\n"
    "  berth when --server http://127.0.0.1:8892 --drain gpu-1@+2h\n"
    "\n"
    "Exit status: 0 there is a forecast, 2 bad input or no answer, 3 a right is missing, 1 an\n"
    "internal error.";

struct WhenFlags {
  PlanningFlags planning;
  KubeFlags kube;
  ServerFlags server;
  std::string run_time;
  WhatIf what_if;
  std::string job, by;  // a job that is to start by then
  std::string queue;    // of the rows
  bool accuracy = false;
  std::optional<std::string> output;
};

Status search_for(const WhenFlags& flags, Cases& cases, Progress& progress,
                  ForecastDocument& document) {
  if (flags.job.empty() && flags.by.empty()) return Done{};
  if (flags.job.empty()) return Error{"missing, expected a job beside --by", "--job"};
  if (flags.by.empty()) return Error{"missing, expected a time beside --job", "--by"};
  const Forecast& before = document.changed ? *document.changed : document.forecast;
  const Result<TimePoint> by = read_time_from(flags.by, before.now, "--by");
  if (!by) return by.error();
  Result<SearchResult> found =
      search(cases, flags.what_if, before, flags.job, *by, {}, [&](std::size_t simulations) {
        progress.show(fmt::format("searching: {}, simulation {}", flags.job, simulations));
      });
  if (!found) return found.error();
  document.search = *std::move(found);
  return Done{};
}

Result<ForecastDocument> forecast(const ClusterInput& input, const WhenFlags& flags,
                                  std::optional<TimePoint> now, Console& console) {
  CasesOptions options{now, {}};
  if (!flags.run_time.empty()) {
    Duration time{};
    const Status read = read_duration(flags.run_time, "--run-time", time);
    if (!read) return read.error();
    options.run_time = time;
  }
  Progress progress(console);
  Cases cases(input, std::move(options), [&](std::size_t done, std::size_t all) {
    progress.show(fmt::format("forecasting: {} of {} jobs", done, all));
  });
  Result<Forecast> as_it_is = cases.as_it_is();
  if (!as_it_is) return as_it_is.error();
  ForecastDocument document{std::move(*as_it_is), flags.what_if.texts(), {}};
  if (!flags.what_if.is_empty()) {
    Result<Forecast> changed = cases.with(flags.what_if);
    if (!changed) return changed.error();
    document.difference = difference_of(*changed, document.forecast);
    document.changed = std::move(*changed);
  }
  const Status searched = search_for(flags, cases, progress, document);
  if (!searched) return searched.error();
  return document;
}

int show(const ClusterInput& input, const WhenFlags& flags, std::optional<TimePoint> now, Form form,
         Console& console) {
  Result<ForecastDocument> document = forecast(input, flags, now, console);
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

// Of a running berthd: its own, unless the user gives one.
Result<conf::Config> config_of_server(const WhenFlags& flags) {
  if (!flags.planning.config.empty()) return open_config(flags.planning.config);
  const Result<ServerDocument> document = ask_server(flags.server, "/configz");
  if (!document) return document.error();
  const auto json = nlohmann::json::parse(document->text, nullptr, false);
  const auto text = json.is_object() ? json.find("text") : json.end();
  if (!json.is_object() || text == json.end() || !text->is_string()) {
    return Error{"no configuration in it; expected `text`, or --config", document->where};
  }
  return read_config(text->get<std::string>(), document->where);
}

int show_snapshot(const WhenFlags& flags, Form form, Console& console) {
  constexpr Duration kPatience = std::chrono::minutes(2);
  Progress progress(console);
  progress.show("asking berthd");
  const Result<ServerDocument> document = ask_server(flags.server, "/snapshot", kPatience);
  progress.clear();
  if (!document) return complain(document.error(), console);
  Result<kube::Manifests> manifests =
      kube::parse_manifests(document->text, document->where + ".json");
  if (!manifests) return complain(manifests.error(), console);
  Result<conf::Config> config = config_of_server(flags);
  if (!config) return complain(config.error(), console);
  return show({std::move(manifests->events), *std::move(config)}, flags, SystemClock().now(), form,
              console);
}

int run(const WhenFlags& flags, Console& console) {
  const Result<Form> form = read_form(flags.output, console);
  if (!form) return complain(form.error(), console);
  const bool has_manifests = !flags.planning.cluster.empty();
  KubeFlags access = flags.kube;
  access.name_space.clear();  // of the rows
  const bool has_server = flags.server.is_asked();
  if (has_server && flags.planning.now) {
    return complain(Error{"given together with --server, expected one of them", "--now"}, console);
  }
  if (flags.accuracy && !has_server) {
    return complain(Error{"given without --server, expected both", "--accuracy"}, console);
  }
  if (has_manifests && has_server) {
    return complain(Error{"given together with --cluster, expected one of them", "--server"},
                    console);
  }
  if ((has_manifests || has_server) && access.is_asked()) {
    return complain(
        Error{"given together with " + std::string(has_server ? "--server" : "--cluster") +
                  ", expected one of them",
              access.first_asked()},
        console);
  }
  if (flags.accuracy) return show_accuracy(flags.server, *form, console);
  if (has_server) return show_snapshot(flags, *form, console);
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
  declare_what_if_limits(*command, flags->what_if);
  declare_what_if_set(*command, flags->what_if);
  command
      ->add_option("--job", flags->job,
                   "With --by: looks for the smallest changes with which this job starts by then")
      ->type_name("NS/NAME");
  command->add_option("--by", flags->by, "The time for --job: +4h, or 2026-11-28T12:00:00Z")
      ->type_name("TIME");
  declare_kube(*command, flags->kube);
  command->get_option("--namespace")->description("Only jobs of this namespace");
  declare_server(*command, flags->server);
  command->add_flag("--accuracy", flags->accuracy,
                    "With --server: how good the forecasts of berthd have been");
  declare_queue(*command, flags->queue);
  declare_output(*command, flags->output);
  return {command, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace berth::tools
