#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "simulation/fits.h"
#include "tools/command.h"
#include "tools/flags.h"
#include "tools/option.h"
#include "views/document_head.h"
#include "views/text_table.h"

namespace berth::tools {

namespace {

using Json = nlohmann::ordered_json;
using simulation::NodeFit;
using simulation::PodFits;

constexpr const char* kFitsHelp =
    "Says of each node whether it may take a pod now, and else why not.";

constexpr const char* kFitsMore =
    "Asks what kube-scheduler's filters ask, about the cluster as it is in the manifests: taints,\n"
    "selectors, affinity, ports, the room that no pod has, volumes, spreads and other pods. "
    "Queues,\n"
    "gangs and locks do not count; with -o wide, a column shows the locks. Without POD, each pod "
    "that\nwaits has a line.\n"
    "\n"
    "Examples:\n"
    "  berth fits ml/big-model-0 --cluster docs/examples/first-gang\n"
    "  kubectl get nodes,pods,namespaces,pvc,pv,storageclasses,csinodes,csidrivers,\\\n"
    "csistoragecapacities,volumeattachments -A -o json | berth fits --cluster - -o json\n"
    "\n"
    "Exit status: 0 there is an answer, also if no node fits, 2 bad input (with "
    "file:line:column),\n"
    "1 an internal error.";

struct FitsFlags {
  PlanningFlags planning;
  std::string pod;
  std::optional<std::string> output;
};

Json json_of(const NodeFit& row) {
  Json json{
      {"node", row.node}, {"fits", row.fits()}, {"reason", row.reason}, {"message", row.message}};
  const engine::NamedInTheWay& pods = row.in_the_way;
  if (pods.text().empty()) return json;
  json["inTheWay"] = {
      {"pods", pods.names}, {"more", pods.more}, {"ofOtherNamespaces", pods.of_other_namespaces}};
  return json;
}

std::string why_not(const NodeFit& row) {
  const std::string pods = row.in_the_way.text();
  return pods.empty() ? row.message : row.message + ": " + pods;
}

Json json_of(const PodFits& fits) {
  Json json{{"pod", fits.pod}, {"hint", fits.hint}};
  json["refused"] = fits.refused.empty()
                        ? Json(nullptr)
                        : Json{{"reason", fits.refused}, {"message", fits.refused_message}};
  json["nodes"] = Json::array();
  for (const NodeFit& row : fits.nodes) json["nodes"].push_back(json_of(row));
  return json;
}

std::string document_of(const std::vector<PodFits>& all) {
  Json json = views::document_of_kind("Fits");
  json["pods"] = Json::array();
  for (const PodFits& fits : all) json["pods"].push_back(json_of(fits));
  return views::document_text(json);
}

std::string count_of(const PodFits& fits) {
  return std::to_string(fits.fit_count()) + "/" + std::to_string(fits.nodes.size());
}

// "a hint: podAffinity is not modelled, so kube-scheduler may refuse more nodes"
std::string hint_text(const PodFits& fits) {
  if (fits.hint.empty()) return "";
  std::string names;
  for (const std::string& each : fits.hint) names += (names.empty() ? "" : ", ") + each;
  return "a hint: " + names + (fits.hint.size() == 1 ? " is" : " are") +
         " not modelled, so kube-scheduler may refuse more nodes";
}

std::string table_of(const PodFits& fits, Form form, const Console& console) {
  std::string text = count_of(fits) + " nodes fit " + fits.pod + "\n";
  if (const std::string hint = hint_text(fits); !hint.empty()) text += hint + "\n";
  if (fits.nodes.empty()) return text;
  const bool is_wide = form == Form::wide;
  std::vector<std::string> headings{"NODE", "FITS", "WHY NOT"};
  if (is_wide) headings.insert(headings.begin() + 2, "LOCK");
  views::TextTable table(std::move(headings));
  for (const NodeFit& row : fits.nodes) {
    std::vector<std::string> cells{row.node, row.fits() ? "yes" : "no", why_not(row)};
    if (is_wide) cells.insert(cells.begin() + 2, row.lock.empty() ? "-" : row.lock);
    table.add(std::move(cells));
  }
  return text + "\n" + table.render(style_of(form, console));
}

std::string table_of(const std::vector<PodFits>& all, Form form, const Console& console) {
  if (all.empty()) return "no pod waits\n";
  views::TextTable table({"POD", "FITS ON", "WHY NOT"});
  for (const PodFits& fits : all) {
    std::string why;
    for (const NodeRefusals& each : fits.refusals) why += (why.empty() ? "" : ", ") + each.text();
    const std::string hint = hint_text(fits);
    if (!hint.empty()) why += (why.empty() ? "" : "; ") + hint;
    table.add({fits.pod, count_of(fits), why});
  }
  return table.render(style_of(form, console));
}

Result<int> run(const FitsFlags& flags, Console& console) {
  const Result<Form> form = read_form(flags.output, console);
  if (!form) return form.error();
  Result<ClusterInput> input = read_cluster(flags.planning, console);
  if (!input) return input.error();
  const auto fits =
      simulation::which_nodes_fit({std::move(input->objects), std::move(input->config), flags.pod});
  if (!fits) return fits.error();
  if (*form == Form::json) return finish(document_of(*fits), console);
  if (!flags.pod.empty()) return finish(table_of(fits->front(), *form, console), console);
  return finish(table_of(*fits, *form, console), console);
}

}  // namespace

Command add_fits(CLI::App& berth) {
  CLI::App* const command = berth.add_subcommand("fits", kFitsHelp);
  const auto flags = std::make_shared<FitsFlags>();
  command->footer(kFitsMore);
  add_option(*command, "POD", flags->pod, "NS/NAME", "The pod; default: all that wait");
  declare_cluster(*command, flags->planning);
  declare_output(*command, flags->output);
  return {command, [flags](Console& console) { return run(*flags, console); }};
}

}  // namespace berth::tools
