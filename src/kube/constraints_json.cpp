#include "kube/constraints_json.h"

#include <nlohmann/json.hpp>

#include "berth/base/enum_text.h"
#include "kube/pod_constraints.h"

namespace berth::kube {

namespace {

using Json = nlohmann::ordered_json;

const char* name_of(TaintEffect effect) {
  return enum_text<TaintEffect::no_execute>(effect, "", "", "NoSchedule", "PreferNoSchedule",
                                            "NoExecute");
}

const char* name_of(Operator op) {
  return enum_text<Operator::less>(op, "Lt", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt");
}

Json expressions(const std::vector<Expression>& list) {
  Json json = Json::array();
  for (const Expression& expression : list) {
    Json one = {{"key", expression.key}, {"operator", name_of(expression.op)}};
    if (!expression.values.empty()) one["values"] = expression.values;
    json.push_back(std::move(one));
  }
  return json;
}

Json term_json(const SelectorTerm& term) {
  Json json = Json::object();
  if (!term.labels.empty()) json["matchExpressions"] = expressions(term.labels);
  if (!term.fields.empty()) json["matchFields"] = expressions(term.fields);
  return json;
}

// No selector is not an empty one: it selects nothing.
void add_selector(const PodSelector& pods, Json& to) {
  if (!pods.matches_nothing) to["labelSelector"] = label_selector_json(pods.all);
}

Json pod_term_json(const PodTerm& term) {
  Json json = {{"topologyKey", term.topology_key}};
  add_selector(term.pods, json);
  if (!term.namespaces.empty()) json["namespaces"] = term.namespaces;
  if (term.selects_namespaces) json["namespaceSelector"] = label_selector_json(term.of_namespaces);
  return json;
}

// To pods, or away from them: a negative weight is of the latter.
Json pod_affinity_json(const std::vector<PodTerm>& required,
                       const std::vector<PreferredPodTerm>& preferred, std::int32_t sign) {
  Json json = Json::object();
  for (const PodTerm& term : required) json[std::string(kRequired)].push_back(pod_term_json(term));
  for (const PreferredPodTerm& each : preferred) {
    if (sign * each.weight <= 0) continue;
    json[std::string(kPreferred)].push_back(
        {{"weight", sign * each.weight}, {"podAffinityTerm", pod_term_json(each.term)}});
  }
  return json;
}

Json spread_item(const SpreadConstraint& spread, const char* wish) {
  Json json = {{"maxSkew", spread.max_skew},
               {"topologyKey", spread.topology_key},
               {"whenUnsatisfiable", wish}};
  add_selector(spread.pods, json);
  if (spread.min_domains > 1) json["minDomains"] = spread.min_domains;
  if (spread.affinity == NodePolicy::ignore) json["nodeAffinityPolicy"] = "Ignore";
  if (spread.taints == NodePolicy::honor) json["nodeTaintsPolicy"] = "Honor";
  return json;
}

}  // namespace

Json node_affinity_json(const Constraints& constraints) {
  Json json = Json::object();
  if (constraints.has_required_terms) {
    Json terms = Json::array();
    for (const SelectorTerm& term : constraints.required_terms) terms.push_back(term_json(term));
    json[std::string(kRequired)] = {{"nodeSelectorTerms", terms}};
  }
  if (!constraints.preferred_terms.empty()) {
    Json terms = Json::array();
    for (const PreferredTerm& preferred : constraints.preferred_terms) {
      terms.push_back({{"weight", preferred.weight}, {"preference", term_json(preferred.term)}});
    }
    json[std::string(kPreferred)] = std::move(terms);
  }
  return json;
}

Json label_selector_json(const std::vector<Expression>& all) {
  Json json = Json::object();
  if (!all.empty()) json["matchExpressions"] = expressions(all);
  return json;
}

Json affinity_json(const Constraints& constraints) {
  Json json = Json::object();
  const Relations& relations = constraints.relations;
  const auto add = [&](const char* name, Json part) {
    if (!part.empty()) json[name] = std::move(part);
  };
  add("nodeAffinity", node_affinity_json(constraints));
  add("podAffinity", pod_affinity_json(relations.affinity, relations.preferred, 1));
  add("podAntiAffinity", pod_affinity_json(relations.anti_affinity, relations.preferred, -1));
  return json;
}

Json spread_json(const Relations& relations) {
  Json json = Json::array();
  for (const SpreadConstraint& each : relations.spread) {
    json.push_back(spread_item(each, "DoNotSchedule"));
  }
  for (const SpreadConstraint& each : relations.preferred_spread) {
    json.push_back(spread_item(each, "ScheduleAnyway"));
  }
  return json;
}

Json tolerations_json(const std::vector<Toleration>& tolerations) {
  Json json = Json::array();
  for (const Toleration& toleration : tolerations) {
    Json one = Json::object();
    if (!toleration.key.empty()) one["key"] = toleration.key;
    one["operator"] = toleration.exists ? "Exists" : "Equal";
    if (!toleration.value.empty()) one["value"] = toleration.value;
    if (toleration.effect != TaintEffect::any) one["effect"] = name_of(toleration.effect);
    json.push_back(std::move(one));
  }
  return json;
}

Json taints_json(const std::vector<Taint>& taints) {
  Json json = Json::array();
  for (const Taint& taint : taints) {
    Json one = {{"key", taint.key}};
    if (!taint.value.empty()) one["value"] = taint.value;
    one["effect"] = name_of(taint.effect);
    json.push_back(std::move(one));
  }
  return json;
}

}  // namespace berth::kube
