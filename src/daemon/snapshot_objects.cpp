#include "daemon/snapshot_objects.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "berth/base/text.h"
#include "kube/constraints_json.h"

namespace berth::daemon {

namespace {

using Json = nlohmann::ordered_json;

std::string object_text(const char* version, const char* kind, Json metadata, Json rest) {
  Json json{{"apiVersion", version}, {"kind", kind}, {"metadata", std::move(metadata)}};
  json.update(rest);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json member_json(const HyperNodeMember& member) {
  Json selector = Json::object();
  if (!member.name.empty()) {
    selector["exactMatch"]["name"] = member.name;
  } else if (!member.pattern.text.empty()) {
    selector["regexMatch"]["pattern"] = member.pattern.text;
  } else {
    selector["labelMatch"] = kube::label_selector_json(member.labels);
  }
  return {{"type", member.is_hyper_node ? "HyperNode" : "Node"}, {"selector", std::move(selector)}};
}

std::string item_of(const HyperNodeObject& object) {
  if (!object.fault.empty()) return {};
  Json spec{{"tier", object.tier}, {"members", Json::array()}};
  if (!object.tier_name.empty()) spec["tierName"] = object.tier_name;
  for (const HyperNodeMember& each : object.members) spec["members"].push_back(member_json(each));
  return object_text("topology.volcano.sh/v1alpha1", "HyperNode",
                     {{"name", object.name}, {"creationTimestamp", format_time(object.created)}},
                     Json::object({{"spec", std::move(spec)}}));
}

std::string item_of(const LevelsObject& object) {
  if (!object.fault.empty() || object.kind == TopologyKind::configured) return {};
  Json levels = Json::array();
  for (const TopologyLevel& level : object.levels) {
    levels.push_back(Json::object({{"nodeLabel", level.label}}));
    if (!level.alias.empty()) levels.back()["alias"] = level.alias;
  }
  const bool is_kueue = object.kind == TopologyKind::kueue;
  return object_text(is_kueue ? "kueue.x-k8s.io/v1beta1" : "kai.scheduler/v1alpha1", "Topology",
                     Json::object({{"name", object.name}}),
                     Json::object({{"spec", Json::object({{"levels", std::move(levels)}})}}));
}

}  // namespace

std::string budget_item(const BudgetObject& budget) {
  Json rest{{"spec", Json::object()}, {"status", {{"disruptionsAllowed", budget.allowed}}}};
  if (budget.selector) rest["spec"]["selector"] = kube::label_selector_json(*budget.selector);
  for (const std::string& pod : budget.disrupted) {
    rest["status"]["disruptedPods"][pod] = format_time(TimePoint());
  }
  return object_text("policy/v1", "PodDisruptionBudget",
                     {{"namespace", budget.name_space}, {"name", budget.name}, {"uid", budget.uid}},
                     std::move(rest));
}

std::string topology_item(const TopologyObject& topology) {
  return std::visit([](const auto& object) { return item_of(object); }, topology.object);
}

nlohmann::ordered_json annotations_of(const TopologyWish& wish) {
  Json json = Json::object();
  for (const NearRule& rule : wish.rules) {
    if (rule.pods != PodsOfRule{} || rule.is_of_parts()) continue;
    if (!rule.required.name.empty()) json[kTopologyRequired] = rule.required.name;
    if (!rule.preferred.name.empty()) json[kTopologyPreferred] = rule.preferred.name;
  }
  return json;
}

}  // namespace berth::daemon
