#include <algorithm>
#include <memory>

#include "berth/base/text.h"
#include "simulation/cluster_copy.h"
#include "simulation/names.h"
#include "simulation/simulation.h"
#include "simulation/trial.h"
#include "tools/command.h"
#include "tools/flags.h"
#include "tools/live/live_cluster.h"
#include "tools/option.h"
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

// The topologies of these objects as they are, without a session.
Result<views::TopologyOverview> overview_of(const ClusterInput& input) {
  if (const Status distinct = simulation::require_distinct_uids(input.objects); !distinct) {
    return distinct.error();
  }
  const TimePoint now = simulation::start_of(input.objects);
  simulation::ClusterCopy copy(input.objects, simulation::mirror_options(input.config), now);
  copy.begin_cycle(now);
  return views::make_topology_overview(copy.cluster());
}

Result<int> show(const ClusterInput& input, const TopologyFlags& flags, Form form,
                 Console& console) {
  const Result<views::TopologyOverview> overview = overview_of(input);
  if (!overview) return overview.error();
  if (!flags.level.empty()) {
    if (const Status known = require_level(flags.level, *overview); !known) return known.error();
  }
  if (!flags.resource.empty()) {
    if (const Status known = require_resource(flags.resource, *overview); !known) {
      return known.error();
    }
  }
  if (form == Form::json) return finish(views::write_topology_overview(*overview), console);
  return finish(
      views::topology_text(*overview, {style_of(form, console), flags.level, flags.resource}),
      console);
}

Result<int> run(const TopologyFlags& flags, Console& console) {
  const Result<Form> form = read_form(flags.output, console);
  if (!form) return form.error();
  const bool has_manifests = !flags.planning.cluster.empty();
  if (has_manifests && flags.kube.is_asked()) {
    return Error{"given together with --cluster, expected one of them", flags.kube.first_asked()};
  }
  if (!has_manifests && has_access(flags.kube)) {
    return show_live_cluster(flags.kube, flags.planning.config, ClusterUse::topology, console,
                             [&](const auto& input) { return show(input, flags, *form, console); });
  }
  Result<ClusterInput> input = read_cluster(flags.planning, console);
  if (!input) return input.error();
  return show(*input, flags, *form, console);
}

}  // namespace

Command add_topology(CLI::App& berth) {
  CLI::App* const command = berth.add_subcommand("topology", kTopologyHelp);
  const auto flags = std::make_shared<TopologyFlags>();
  command->footer(kTopologyMore);
  declare_kube(*command, flags->kube);
  declare_cluster(*command, flags->planning);
  add_option(*command, "--level", flags->level, "LEVEL", "Domains down to this level");
  add_option(*command, "--resource", flags->resource, "NAME", "Free room of this resource only");
  declare_output(*command, flags->output);
  return {command, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace berth::tools
