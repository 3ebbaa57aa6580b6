#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "berth/base/text.h"
#include "kube/manifests.h"
#include "tools/command.h"
#include "tools/config_command.h"
#include "tools/flags.h"
#include "tools/live/live_cluster.h"
#include "tools/live/live_text.h"
#include "tools/option.h"
#include "tools/progress.h"
#include "tools/simulate/values.h"
#include "tools/what_if/flags.h"
#include "tools/when/cases.h"
#include "tools/when/forecast_text.h"
#include "views/start_document.h"
#include "views/text_table.h"

namespace berth::tools {

namespace {

constexpr const char* kWhenHelp =
    "Says when jobs that wait would start, and what would change that.";

constexpr const char* kWhenMore =
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
      search(cases, flags.what_if, before, flags.job, *by, [&](std::size_t simulations) {
        progress.show(fmt::format("searching: {}, simulation {}", flags.job, simulations));
      });
  if (!found) return found.error();
  document.search = *std::move(found);
  return Done{};
}

Result<ForecastDocument> forecast(const ClusterInput& input, const WhenFlags& flags,
                                  std::optional<TimePoint> now, Console& console) {
  CasesOptions options{now, {}};
  const Status timed = read_duration(flags.run_time, "--run-time", options.run_time);
  if (!timed) return timed.error();
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

Result<int> show(const ClusterInput& input, const WhenFlags& flags, std::optional<TimePoint> now,
                 Form form, Console& console) {
  Result<ForecastDocument> document = forecast(input, flags, now, console);
  if (!document) return document.error();
  keep_rows(flags.kube.name_space, flags.queue, *document);
  if (form == Form::json) return finish(forecast_json(*document), console);
  return finish(forecast_table(*document, style_of(form, console)), console);
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

Result<int> show_snapshot(const WhenFlags& flags, Form form, Console& console) {
  constexpr Duration kForecastTime = std::chrono::minutes(2);
  Progress progress(console);
  progress.show("asking berthd");
  const Result<ServerDocument> document = ask_server(flags.server, "/snapshot", kForecastTime);
  progress.clear();
  if (!document) return document.error();
  Result<kube::Manifests> manifests =
      kube::parse_manifests(document->text, document->where + ".json");
  if (!manifests) return manifests.error();
  Result<conf::Config> config = config_of_server(flags);
  if (!config) return config.error();
  return show({std::move(manifests->events), *std::move(config)}, flags, SystemClock().now(), form,
              console);
}

std::string share_text(std::int64_t part, std::int64_t of) {
  return of == 0 ? std::to_string(part) : fmt::format("{} ({} %)", part, 100 * part / of);
}

std::string accuracy_text(const views::StartTable& table, const views::TextStyle& style) {
  const views::ForecastAccuracy& its = table.accuracy;
  views::TextTable text({"started, after a wait", std::to_string(its.jobs)});
  text.add({"when it was likely", share_text(its.inside, its.jobs)});
  text.add({"earlier", share_text(its.earlier, its.jobs)});
  text.add({"later", share_text(its.later, its.jobs)});
  text.add({"median error", its.jobs == 0 ? "-" : age_text(its.median_error)});
  text.add({"promised starts", std::to_string(its.promises)});
  text.add({"promises broken", std::to_string(its.broken)});
  text.add({"known run times", std::to_string(table.learned_keys)});
  text.add({"last planned", format_time(std::chrono::floor<std::chrono::seconds>(table.made_at))});
  return text.render({.bold_headings = false, .width = style.width});
}

// ACCURACY-1. How good the forecasts of a running berthd have been.
Result<int> show_accuracy(const ServerFlags& server, Form form, Console& console) {
  const Result<ServerDocument> document = ask_server(server, "/starts");
  if (!document) return document.error();
  const Result<views::StartTable> table = views::read_start_table(document->text, document->where);
  if (!table) return table.error();
  if (form == Form::json) return finish(document->text, console);
  return finish(accuracy_text(*table, style_of(form, console)), console);
}

Result<int> run(const WhenFlags& flags, Console& console) {
  const Result<Form> form = read_form(flags.output, console);
  if (!form) return form.error();
  const bool has_manifests = !flags.planning.cluster.empty();
  KubeFlags access = flags.kube;
  access.name_space.clear();  // of the rows
  const bool has_server = flags.server.is_asked();
  if (has_server && flags.planning.now) {
    return Error{"given together with --server, expected one of them", "--now"};
  }
  if (flags.accuracy && !has_server) {
    return Error{"given without --server, expected both", "--accuracy"};
  }
  if (has_manifests && has_server) {
    return Error{"given together with --cluster, expected one of them", "--server"};
  }
  if ((has_manifests || has_server) && access.is_asked()) {
    return Error{"given together with " + std::string(has_server ? "--server" : "--cluster") +
                     ", expected one of them",
                 access.first_asked()};
  }
  if (flags.accuracy) return show_accuracy(flags.server, *form, console);
  if (has_server) return show_snapshot(flags, *form, console);
  if (!has_manifests && has_access(flags.kube)) {
    return show_live_cluster(
        flags.kube, flags.planning.config, ClusterUse::sessions, console,
        [&](const auto& input) { return show(input, flags, SystemClock().now(), *form, console); });
  }
  const Result<ClusterInput> input = read_cluster(flags.planning, console);
  if (!input) return input.error();
  std::optional<TimePoint> now;
  if (flags.planning.now) {
    const Result<TimePoint> read = parse_time(*flags.planning.now);
    if (!read) return Error{read.error().message, "--now"};
    now = *read;
  }
  return show(*input, flags, now, *form, console);
}

}  // namespace

Command add_when(CLI::App& berth) {
  CLI::App* const command = berth.add_subcommand("when", kWhenHelp);
  const auto flags = std::make_shared<WhenFlags>();
  command->footer(kWhenMore);
  declare_cluster(*command, flags->planning);
  add_option(*command, "--run-time", flags->run_time, "TIME",
             "Of jobs that wait and have no time limit; default: they never end");
  add_option(*command, "--now", flags->planning.now, "TIME",
             "Time of the dump; default: the latest in it");
  declare_what_if(*command, flags->what_if);
  declare_what_if_limits(*command, flags->what_if);
  declare_what_if_set(*command, flags->what_if);
  add_option(*command, "--job", flags->job, "NS/NAME",
             "With --by: looks for the smallest changes with which this job starts by then");
  add_option(*command, "--by", flags->by, "TIME",
             "The time for --job: +4h, or 2026-11-28T12:00:00Z");
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
