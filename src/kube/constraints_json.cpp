#include "kube/constraints_json.h"

#include <nlohmann/json.hpp>

#include "kube/pod_constraints.h"

namespace berth::kube {

namespace {

using Json = nlohmann::ordered_json;

const char* name_of(TaintEffect effect) {
  switch (effect) {
    case TaintEffect::no_schedule:
      return "NoSchedule";
    case TaintEffect::prefer_no_schedule:
      return "PreferNoSchedule";
    case TaintEffect::no_execute:
      return "NoExecute";
    default:
      return "";
  }
}

const char* name_of(Operator op) {
  switch (op) {
    case Operator::in:
      return "In";
    case Operator::not_in:
      return "NotIn";
    case Operator::exists:
      return "Exists";
    case Operator::does_not_exist:
      return "DoesNotExist";
    case Operator::greater:
      return "Gt";
    default:
      return "Lt";
  }
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
