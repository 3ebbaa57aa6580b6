#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <utility>

#include "berth/base/text.h"
#include "simulation/topology.h"
#include "tools/command.h"
#include "tools/config_command.h"
#include "tools/flags.h"
#include "tools/live/live_cluster.h"
#include "views/topology_document.h"
#include "views/topology_text.h"

namespace berth::tools {

namespace {

constexpr const char* kTopologyHelp =
    "Shows which nodes are near each other, their free room, and how near jobs want to be.";

constexpr const char* kTopologyMore =
    "Reads the cluster as it is: with --cluster in manifests, else at the API server, by a\n"
    "kubeconfig. Nodes are near each other by levels of labels in the configuration, by Topology\n"
    "objects of Kueue and KAI, and by Volcano's HyperNodes. Objects that do not count are\n"
    "listed with the reason. Without --level, the table leaves out the level\n"
    "kubernetes.io/hostname.\n"
    "\n"
    "Examples:\n"
    "  kubectl berth topology --resource nvidia.com/gpu\n"
    "  berth topology --cluster docs/examples/topology\n"
    "  berth topology --cluster docs/examples/topology --level example.com/block\n"
    "\n"
    "Exit status: 0 done, 2 bad input or no answer, 3 a right is missing, 1 an internal error.";

struct TopologyFlags {
  PlanningFlags planning;
  KubeFlags kube;
  std::string level;
  std::string resource;
  std::optional<std::string> output;
};

Status require_level(const std::string& asked, const views::TopologyOverview& overview) {
  std::vector<std::string> known;
  for (const auto& topology : overview.topologies) {
    for (const auto& level : topology.levels) {
      for (const std::string* name : {&level.name, &level.label, &level.alias}) {
        if (asked == *name) return Done{};
      }
      known.push_back(level.name);
    }
  }
  return Error{"no level \"" + asked + "\"" + suggestion(asked, known), "--level"};
}

Status require_resource(const std::string& asked, const views::TopologyOverview& overview) {
  std::vector<std::string> known;
  for (const auto& topology : overview.topologies) {
    for (const auto& domain : topology.domains) {
      for (const auto& [resource, amount] : domain.room.all) known.push_back(resource);
    }
  }
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  if (std::binary_search(known.begin(), known.end(), asked)) return Done{};
  return Error{"no resource \"" + asked + "\"" + suggestion(asked, known), "--resource"};
}

int show(ClusterInput input, const TopologyFlags& flags, Form form, Console& console) {
  const Result<views::TopologyOverview> overview =
      simulation::show_topologies({std::move(input.objects), std::move(input.config)});
  if (!overview) return complain(overview.error(), console);
  if (!flags.level.empty()) {
    if (const Status known = require_level(flags.level, *overview); !known) {
      return complain(known.error(), console);
    }
  }
  if (!flags.resource.empty()) {
    if (const Status known = require_resource(flags.resource, *overview); !known) {
      return complain(known.error(), console);
    }
  }
  if (form == Form::json) return finish(views::write_topology_overview(*overview), console);
  return finish(
      views::topology_text(*overview, {style_of(form, console), flags.level, flags.resource}),
      console);
}

int show_live(const TopologyFlags& flags, Form form, Console& console) {
  Result<conf::Config> config = open_config(flags.planning.config);
  if (!config) return complain(config.error(), console);
  const auto reader = ApiReader::open(flags.kube);
  if (!reader) return complain(reader.error(), console);
  LiveCluster found = read_live_cluster(**reader, ClusterUse::topology);
  if (found.refusal != Refusal::none) {
    say(found.message, console.err);
    return exit_code_of(found.refusal);
  }
  for (const std::string& note : found.notes) say("note: " + note, console.err);
  return show({std::move(found.objects), std::move(*config)}, flags, form, console);
}

int run(const TopologyFlags& flags, Console& console) {
  const Result<Form> form = read_form(flags.output, console);
  if (!form) return complain(form.error(), console);
  const bool has_manifests = !flags.planning.cluster.empty();
  if (has_manifests && flags.kube.is_asked()) {
    return complain(
        Error{"given together with --cluster, expected one of them", flags.kube.first_asked()},
        console);
  }
  if (!has_manifests && has_access(flags.kube)) return show_live(flags, *form, console);
  Result<ClusterInput> input = read_cluster(flags.planning, console);
  if (!input) return complain(input.error(), console);
  return show(std::move(*input), flags, *form, console);
}

}  // namespace

Command add_topology(CLI::App& berth) {
  CLI::App* const command = berth.add_subcommand("topology", kTopologyHelp);
  const auto flags = std::make_shared<TopologyFlags>();
  command->footer(kTopologyMore);
  declare_kube(*command, flags->kube);
  declare_cluster(*command, flags->planning);
  command->add_option("--level", flags->level, "Domains down to this level")->type_name("LEVEL");
  command->add_option("--resource", flags->resource, "Free room of this resource only")
      ->type_name("NAME");
  declare_output(*command, flags->output);
  return {command, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace berth::tools
