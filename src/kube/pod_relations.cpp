#include "kube/pod_relations.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "berth/base/label_syntax.h"
#include "berth/base/text.h"
#include "kube/fields.h"
#include "kube/pod_constraints.h"

namespace berth::kube {

namespace {

// As labels.NewRequirement of kube-scheduler checks it.
void check_requirement(const Expression& requirement, const document::Cursor& from) {
  if (!is_label_key(requirement.key)) {
    from.complain("\"" + requirement.key + "\" is no key of a label");
  }
  for (const std::string& value : requirement.values) {
    if (!is_label_value(value)) from.complain("\"" + value + "\" is no value of a label");
  }
  if (requirement.op == Operator::greater || requirement.op == Operator::less) {
    from["operator"].complain(
        "a label selector has no such operator, expected In, NotIn, Exists "
        "or DoesNotExist");
  }
}

std::vector<Expression> read_requirements(const document::Cursor& selector) {
  std::vector<Expression> all;
  for (const auto& [key, value] : selector["matchLabels"].entries()) {
    all.push_back({std::string(key), Operator::in, {value.text()}});
    check_requirement(all.back(), value);
  }
  for (const document::Cursor& item : selector["matchExpressions"].items()) {
    all.push_back(read_expression(item));
    check_requirement(all.back(), item);
    sort_unique(all.back().values);
  }
  sort_unique(all);
  return all;
}

const std::string* find(const Labels& labels, const std::string& key) {
  const auto found =
      std::lower_bound(labels.begin(), labels.end(), key,
                       [](const auto& label, const std::string& k) { return label.first < k; });
  return found == labels.end() || found->first != key ? nullptr : &found->second;
}

// One for each of these keys that the pod has.
std::vector<Expression> requirements_of_keys(const document::Cursor& keys, Operator op,
                                             const Labels& labels) {
  std::vector<Expression> made;
  for (const std::string& key : read_texts(keys)) {
    if (const std::string* value = find(labels, key)) made.push_back({key, op, {*value}});
  }
  return made;
}

// AFFINITY-7. The API server has written them into the selectors of pods that it has made.
void add_where_absent(std::vector<Expression> made, std::vector<Expression>& all) {
  std::set<std::string_view> keys;
  for (const Expression& each : all) keys.insert(each.key);
  std::erase_if(made, [&keys](const Expression& one) { return keys.contains(one.key); });
  all.insert(all.end(), made.begin(), made.end());
  sort_unique(all);
}

struct Own {
  const std::string& name_space;
  const Labels& labels;
};

// AFFINITY-1
PodTerm read_pod_term(const document::Cursor& from, const Own& own) {
  PodTerm term;
  const document::Cursor selector = from["labelSelector"];
  term.pods.matches_nothing = !selector.is_present();
  term.pods.all = read_requirements(selector);
  std::vector<Expression> of_keys =
      requirements_of_keys(from["matchLabelKeys"], Operator::in, own.labels);
  for (Expression& other :
       requirements_of_keys(from["mismatchLabelKeys"], Operator::not_in, own.labels)) {
    of_keys.push_back(std::move(other));
  }
  if (!term.pods.matches_nothing) add_where_absent(std::move(of_keys), term.pods.all);
  term.namespaces = read_texts(from["namespaces"]);
  sort_unique(term.namespaces);
  const document::Cursor of_namespaces = from["namespaceSelector"];
  term.selects_namespaces = of_namespaces.is_present();
  term.of_namespaces = read_requirements(of_namespaces);
  if (term.namespaces.empty() && !term.selects_namespaces) term.namespaces = {own.name_space};
  term.topology_key = from.required_text("topologyKey");
  return term;
}

std::vector<PodTerm> read_pod_terms(const document::Cursor& from, const Own& own) {
  std::vector<PodTerm> terms;
  for (const document::Cursor& item : from.items()) terms.push_back(read_pod_term(item, own));
  sort_unique(terms);
  return terms;
}

void read_preferred(const document::Cursor& from, const Own& own, std::int32_t sign,
                    Relations& to) {
  for (const document::Cursor& item : from.items()) {
    const auto weight = static_cast<std::int32_t>(item["weight"].integer(1, 1, 100));
    to.preferred.push_back({sign * weight, read_pod_term(item["podAffinityTerm"], own)});
  }
}

NodePolicy read_policy(const document::Cursor& at, NodePolicy fallback) {
  const std::string text = at.text();
  if (text == "Honor") return NodePolicy::honor;
  if (text == "Ignore") return NodePolicy::ignore;
  if (at.is_present()) at.complain("\"" + text + "\" is no policy, expected Honor or Ignore");
  return fallback;
}

// SPREAD-7: kube-scheduler adds the keys to whatever the selector says, unless there is none.
SpreadConstraint read_spread_constraint(const document::Cursor& from, const Labels& labels) {
  SpreadConstraint spread;
  const document::Cursor selector = from["labelSelector"];
  spread.pods.matches_nothing = !selector.is_present();
  spread.pods.all = read_requirements(selector);
  for (Expression& of_key : requirements_of_keys(from["matchLabelKeys"], Operator::in, labels)) {
    if (!spread.pods.matches_nothing) spread.pods.all.push_back(std::move(of_key));
  }
  sort_unique(spread.pods.all);
  spread.is_empty = !spread.pods.matches_nothing && spread.pods.all.empty();
  spread.topology_key = from.required_text("topologyKey");
  spread.max_skew = static_cast<std::int32_t>(from["maxSkew"].integer(1, 1, kCountMax));
  spread.min_domains = static_cast<std::int32_t>(from["minDomains"].integer(1, 1, kCountMax));
  spread.affinity = read_policy(from["nodeAffinityPolicy"], NodePolicy::honor);
  spread.taints = read_policy(from["nodeTaintsPolicy"], NodePolicy::ignore);
  return spread;
}

// SPREAD-1. Their order stays: it decides which of two refusals is the reason.
void read_spread(const document::Cursor& from, const Labels& labels, Relations& to) {
  for (const document::Cursor& item : from.items()) {
    const document::Cursor wish = item["whenUnsatisfiable"];
    const std::string text = wish.text("DoNotSchedule");
    const bool refuses = text == "DoNotSchedule";
    if (!refuses && text != "ScheduleAnyway") {
      wish.complain("\"" + text + "\" is unknown, expected DoNotSchedule or ScheduleAnyway");
    }
    (refuses ? to.spread : to.preferred_spread).push_back(read_spread_constraint(item, labels));
  }
}

}  // namespace

Relations read_relations(const document::Cursor& spec, const std::string& name_space,
                         const Labels& labels) {
  Relations relations;
  const Own own{name_space, labels};
  const document::Cursor near = spec["affinity"]["podAffinity"];
  const document::Cursor apart = spec["affinity"]["podAntiAffinity"];
  relations.affinity = read_pod_terms(near[kRequired], own);
  relations.anti_affinity = read_pod_terms(apart[kRequired], own);
  read_preferred(near[kPreferred], own, 1, relations);
  read_preferred(apart[kPreferred], own, -1, relations);
  std::sort(relations.preferred.begin(), relations.preferred.end());
  read_spread(spec["topologySpreadConstraints"], labels, relations);
  if (!relations.are_empty()) relations.name_space = name_space;
  return relations;
}

}  // namespace berth::kube
