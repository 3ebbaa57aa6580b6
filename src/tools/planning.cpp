#include "tools/planning.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <variant>

#include "berth/base/number.h"
#include "berth/base/text.h"
#include "kube/manifests.h"
#include "simulation/simulation.h"
#include "tools/config_command.h"
#include "tools/output.h"
#include "tools/progress.h"

namespace berth::tools {

namespace {

constexpr std::size_t kCyclesMax = 10'000;

Result<std::size_t> read_cycles(const std::string& text) {
  const auto cycles = parse_number<std::size_t>(text);
  if (cycles && *cycles >= 1 && *cycles <= kCyclesMax) return *cycles;
  return Error{fmt::format("\"{}\" is not a number of cycles, expected 1 to {}", text, kCyclesMax),
               "--cycles"};
}

std::vector<std::filesystem::path> paths_of(const PlanningFlags& flags) {
  std::vector<std::filesystem::path> paths;
  for (const std::string& path : flags.cluster) {
    paths.emplace_back(path == "-" ? "/dev/stdin" : path);
  }
  return paths;
}

std::string counts_text(const std::map<std::string, std::size_t>& counts) {
  std::string text;
  for (const auto& [name, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
  }
  return text;
}

// The pods that were made, with a line for each of the first objects.
void note_made(const std::vector<kube::Made>& made, std::ostream& err) {
  constexpr std::size_t kLines = 10;
  std::size_t others = 0;
  std::size_t pods = 0;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const kube::Made& each = made[i];
    if (i >= kLines) {
      ++others;
      pods += each.pods;
      continue;
    }
    say("note: " + each.to_string(), err);
  }
  if (others > 0) err << fmt::format("note: {} pods are made of {} more objects\n", pods, others);
}

// Warns about valid input that a user may not have meant.
void warn(const kube::Manifests& manifests, const conf::Config& config, std::ostream& err) {
  for (const std::string& warning : config.warnings) say("warning: " + warning, err);
  for (const std::string& warning : manifests.warnings) say("warning: " + warning, err);
  if (manifests.events.empty()) err << "warning: no nodes, pods or queues were found\n";
  if (!manifests.ignored.empty()) {
    say("note: berth ignores these objects: " + counts_text(manifests.ignored), err);
  }
  note_made(manifests.made, err);
}

void note_others(const ClusterInput& input, std::ostream& err) {
  std::map<std::string, std::size_t> others;
  const auto& ours = input.config.scheduler_names;
  for (const ClusterEvent& event : input.objects) {
    const auto* const pod = std::get_if<PodObject>(&event);
    if (pod == nullptr || !pod->node_name.empty() || pod->phase != PodPhase::pending) continue;
    if (std::find(ours.begin(), ours.end(), pod->scheduler_name) == ours.end()) {
      ++others[pod->scheduler_name];
    }
  }
  if (others.empty()) return;
  say(fmt::format("note: pending pods of other schedulers are not planned: {} (ours: {})",
                  counts_text(others), fmt::join(ours, ", ")),
      err);
}

}  // namespace

Result<ClusterInput> read_cluster(const PlanningFlags& flags, Console& console) {
  if (flags.cluster.empty()) {
    return Error{"missing, expected a file or directory of manifests", "--cluster"};
  }
  Result<conf::Config> config = open_config(flags.config);
  if (!config) return config.error();
  Progress progress(console);
  const kube::ProgressCallback on_progress = [&](const kube::LoadProgress& state) {
    progress.show(fmt::format("reading: {} of {} files, {} objects", state.files_done, state.files,
                              state.objects));
  };
  Result<kube::Manifests> manifests =
      kube::load_manifests(paths_of(flags), on_progress, config->jobs.owners);
  progress.clear();
  if (!manifests) return manifests.error();
  warn(*manifests, *config, console.err);
  return ClusterInput{std::move(manifests->events), std::move(*config)};
}

Result<PlanInput> read_plan_input(const PlanningFlags& flags, Console& console) {
  PlanInput plan;
  if (flags.cycles) {
    const Result<std::size_t> cycles = read_cycles(*flags.cycles);
    if (!cycles) return cycles.error();
    plan.cycles = *cycles;
  }
  if (flags.now) {
    const Result<TimePoint> now = parse_time(*flags.now);
    if (!now) return Error{now.error().message, "--now"};
    plan.now = *now;
  }
  Result<ClusterInput> input = read_cluster(flags, console);
  if (!input) return input.error();
  note_others(*input, console.err);
  plan.cluster = *std::move(input);
  return plan;
}

Result<simulation::Report> plan_input(PlanInput input, const std::string& explain,
                                      Console& console) {
  Progress progress(console);
  simulation::SimulationRequest request;
  request.objects = std::move(input.cluster.objects);
  request.config = std::move(input.cluster.config);
  request.cycles = input.cycles;
  request.node_times = std::move(input.later);
  request.now = simulation::date_new_objects(input.now, request.objects);
  request.explain = explain;
  request.on_cycle = [&](std::size_t cycle) {
    progress.show(fmt::format("planning: cycle {} of {}", cycle, input.cycles));
  };
  return simulation::simulate(std::move(request));
}

void note_report(const simulation::Report& report, std::ostream& err) {
  if (!report.cycles.empty()) {
    for (const std::string& note : report.cycles.back().notes) say("warning: " + note, err);
  }
  if (!report.unclaimed.empty()) say("note: " + unclaimed_text(report.unclaimed), err);
}

Result<simulation::Report> plan_manifests(const PlanningFlags& flags, const std::string& explain,
                                          Console& console) {
  Result<PlanInput> input = read_plan_input(flags, console);
  if (!input) return input.error();
  Result<simulation::Report> report = plan_input(*std::move(input), explain, console);
  if (report) note_report(*report, console.err);
  return report;
}

}  // namespace berth::tools
