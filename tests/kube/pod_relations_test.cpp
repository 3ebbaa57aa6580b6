#include "kube/pod_relations.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kube/codecs.h"
#include "yaml_value.h"

namespace berth::kube {
namespace {

Result<PodObject> pod_with(const std::string& spec) {
  return decode_pod(value_of("{metadata: {name: p, namespace: ml,"
                             " labels: {app: x, rev: '7', tier: gold}}, spec: " +
                             spec + "}"),
                    "f.yaml");
}

Relations relations_of(const std::string& spec) {
  const auto pod = pod_with(spec);
  EXPECT_TRUE(pod.has_value()) << pod.error().to_string() << "\n" << spec;
  return pod ? pod->constraints.relations : Relations{};
}

std::string required(const std::string& kind, const std::string& terms) {
  return "{affinity: {" + kind + ": {requiredDuringSchedulingIgnoredDuringExecution: [" + terms +
         "]}}}";
}

PodTerm term_of(const std::string& fields) {
  const Relations read =
      relations_of(required("podAffinity", "{topologyKey: rack, " + fields + "}"));
  EXPECT_EQ(read.affinity.size(), 1U) << fields;
  EXPECT_EQ(read.name_space, "ml");
  return read.affinity.empty() ? PodTerm{} : read.affinity.front();
}

SpreadConstraint spread_of(const std::string& fields) {
  const Relations read = relations_of(
      "{topologySpreadConstraints: [{topologyKey: zone, maxSkew: 1,"
      " whenUnsatisfiable: DoNotSchedule, " +
      fields + "}]}");
  EXPECT_EQ(read.spread.size(), 1U) << fields;
  EXPECT_EQ(read.name_space, "ml");
  return read.spread.empty() ? SpreadConstraint{} : read.spread.front();
}

Expression is_one_of(const std::string& key, std::vector<std::string> values) {
  return {key, Operator::in, std::move(values)};
}

using Expressions = std::vector<Expression>;
using Names = std::vector<std::string>;

TEST(PodRelations, are_empty_for_most_pods) {
  for (const char* spec :
       {"{}", "{affinity: {}}", "{affinity: {podAffinity: {}, podAntiAffinity: null}}",
        "{affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: []}},"
        " topologySpreadConstraints: []}"}) {
    EXPECT_EQ(relations_of(spec), Relations{}) << spec;
  }
}

// Each row: a label selector, and what it requires.
TEST(PodRelations, AFFINITY1_and_SPREAD1_read_selectors_as_sorted_requirements) {
  const struct {
    const char* selector;
    Expressions expected;
  } cases[] = {
      {"{matchLabels: {b: '2', a: '1'}}", {is_one_of("a", {"1"}), is_one_of("b", {"2"})}},
      {"{matchExpressions: [{key: z, operator: In, values: [c, a, c]}], matchLabels: {z: b}}",
       {is_one_of("z", {"a", "c"}), is_one_of("z", {"b"})}},
      {"{matchLabels: {a: b}, matchExpressions: [{key: a, operator: In, values: [b]}]}",
       {is_one_of("a", {"b"})}},
      {"{matchExpressions: [{key: e.x/k, operator: NotIn, values: ['']}]}",
       {{"e.x/k", Operator::not_in, {""}}}},
      {"{matchExpressions: [{key: b, operator: DoesNotExist}, {key: a, operator: Exists}]}",
       {{"a", Operator::exists, {}}, {"b", Operator::does_not_exist, {}}}},
  };
  for (const auto& [selector, expected] : cases) {
    const std::string field = std::string("labelSelector: ") + selector;
    EXPECT_EQ(term_of(field).pods, (PodSelector{expected, false})) << selector;
    EXPECT_EQ(spread_of(field).pods, (PodSelector{expected, false})) << selector;
    EXPECT_FALSE(spread_of(field).is_empty) << selector;
    const PodTerm of_namespaces = term_of(std::string("namespaceSelector: ") + selector);
    EXPECT_EQ(of_namespaces.of_namespaces, expected) << selector;
    EXPECT_TRUE(of_namespaces.selects_namespaces) << selector;
  }
}

TEST(PodRelations, AFFINITY1_no_selector_is_not_an_empty_one) {
  const PodSelector nobody{{}, true};
  EXPECT_EQ(term_of("labelSelector: null").pods, nobody);
  EXPECT_EQ(term_of("matchLabelKeys: [rev]").pods, nobody);
  EXPECT_EQ(term_of("labelSelector: {}").pods, PodSelector{});
  EXPECT_EQ(term_of("labelSelector: {matchLabels: {}, matchExpressions: []}").pods, PodSelector{});

  EXPECT_EQ(spread_of("minDomains: 1").pods, nobody);
  EXPECT_EQ(spread_of("matchLabelKeys: [rev]").pods, nobody);
  EXPECT_FALSE(spread_of("matchLabelKeys: [rev]").is_empty);
  EXPECT_EQ(spread_of("labelSelector: {}").pods, PodSelector{});
  EXPECT_TRUE(spread_of("labelSelector: {}").is_empty);
}

// Each row: fields of a term, and its namespaces.
TEST(PodRelations, AFFINITY1_read_the_namespaces_of_a_term) {
  const struct {
    const char* fields;
    Names names;
    bool selects;
    Expressions by_label;
  } cases[] = {
      {"labelSelector: {}", {"ml"}, false, {}},
      {"namespaces: []", {"ml"}, false, {}},
      {"namespaces: [b, a, b]", {"a", "b"}, false, {}},
      {"namespaceSelector: null, namespaces: [b]", {"b"}, false, {}},
      {"namespaceSelector: {}", {}, true, {}},
      {"namespaceSelector: {}, namespaces: []", {}, true, {}},
      {"namespaceSelector: {matchLabels: {team: a}}", {}, true, {is_one_of("team", {"a"})}},
      {"namespaceSelector: {matchLabels: {team: a}}, namespaces: [c]",
       {"c"},
       true,
       {is_one_of("team", {"a"})}},
  };
  for (const auto& [fields, names, selects, by_label] : cases) {
    const PodTerm term = term_of(fields);
    EXPECT_EQ(term.namespaces, names) << fields;
    EXPECT_EQ(term.selects_namespaces, selects) << fields;
    EXPECT_EQ(term.of_namespaces, by_label) << fields;
  }
}

// The pod has app=x, rev=7 and tier=gold. The API server writes the requirements at creation, so a
// pod that it made has both the keys and what they add.
TEST(PodRelations, AFFINITY7_add_what_label_keys_say_unless_it_is_there) {
  const Expression app = is_one_of("app", {"x"});
  const struct {
    const char* fields;
    Expressions expected;
  } cases[] = {
      {"labelSelector: {matchLabels: {app: x}}, matchLabelKeys: [rev]",
       {app, is_one_of("rev", {"7"})}},
      {"labelSelector: {matchLabels: {app: x}}, mismatchLabelKeys: [tier, rev]",
       {app, {"rev", Operator::not_in, {"7"}}, {"tier", Operator::not_in, {"gold"}}}},
      {"labelSelector: {}, matchLabelKeys: [rev], mismatchLabelKeys: [tier]",
       {is_one_of("rev", {"7"}), {"tier", Operator::not_in, {"gold"}}}},
      {"labelSelector: {matchLabels: {app: x}}, matchLabelKeys: [absent]", {app}},
      {"labelSelector: {matchExpressions: [{key: rev, operator: In, values: ['6']}]},"
       " matchLabelKeys: [rev]",
       {is_one_of("rev", {"6"})}},
      {"labelSelector: {matchExpressions: [{key: tier, operator: NotIn, values: [gold]}]},"
       " mismatchLabelKeys: [tier]",
       {{"tier", Operator::not_in, {"gold"}}}},
  };
  for (const auto& [fields, expected] : cases) {
    EXPECT_EQ(term_of(fields).pods, (PodSelector{expected, false})) << fields;
  }
}

// kube-scheduler adds them again: after a change of the label, no pod matches both.
TEST(PodRelations, SPREAD7_add_what_label_keys_say_in_any_case) {
  const struct {
    const char* fields;
    Expressions expected;
  } cases[] = {
      {"labelSelector: {matchLabels: {app: x}}, matchLabelKeys: [rev, absent]",
       {is_one_of("app", {"x"}), is_one_of("rev", {"7"})}},
      {"labelSelector: {matchExpressions: [{key: rev, operator: In, values: ['7']}]},"
       " matchLabelKeys: [rev]",
       {is_one_of("rev", {"7"})}},
      {"labelSelector: {matchExpressions: [{key: rev, operator: In, values: ['6']}]},"
       " matchLabelKeys: [rev]",
       {is_one_of("rev", {"6"}), is_one_of("rev", {"7"})}},
      {"labelSelector: {}, matchLabelKeys: [rev]", {is_one_of("rev", {"7"})}},
  };
  for (const auto& [fields, expected] : cases) {
    EXPECT_EQ(spread_of(fields).pods, (PodSelector{expected, false})) << fields;
    EXPECT_FALSE(spread_of(fields).is_empty) << fields;
  }
  EXPECT_TRUE(spread_of("labelSelector: {}, matchLabelKeys: [absent]").is_empty);
}

TEST(PodRelations, read_every_field_of_a_spread) {
  const SpreadConstraint bare = spread_of("labelSelector: {}");
  EXPECT_EQ(bare.topology_key, "zone");
  EXPECT_EQ(bare.max_skew, 1);
  EXPECT_EQ(bare.min_domains, 1);
  EXPECT_EQ(bare.affinity, NodePolicy::honor);
  EXPECT_EQ(bare.taints, NodePolicy::ignore);
  EXPECT_EQ(spread_of("minDomains: 5").min_domains, 5);
  EXPECT_EQ(spread_of("nodeAffinityPolicy: Ignore").affinity, NodePolicy::ignore);
  EXPECT_EQ(spread_of("nodeAffinityPolicy: Honor").affinity, NodePolicy::honor);
  EXPECT_EQ(spread_of("nodeTaintsPolicy: Honor").taints, NodePolicy::honor);
  EXPECT_EQ(spread_of("nodeTaintsPolicy: Ignore").taints, NodePolicy::ignore);
  EXPECT_EQ(spread_of("nodeTaintsPolicy: null").taints, NodePolicy::ignore);
}

TEST(PodRelations, SPREAD1_keep_apart_what_refuses_and_what_scores) {
  const Relations read = relations_of(
      "{topologySpreadConstraints: ["
      "{topologyKey: zone, maxSkew: 3, whenUnsatisfiable: DoNotSchedule},"
      "{topologyKey: node, maxSkew: 4, whenUnsatisfiable: ScheduleAnyway},"
      "{topologyKey: rack, maxSkew: 5}]}");
  ASSERT_EQ(read.spread.size(), 2U);
  EXPECT_EQ(read.spread[0].topology_key, "zone") << "the user's order decides on the reason";
  EXPECT_EQ(read.spread[0].max_skew, 3);
  EXPECT_EQ(read.spread[1].topology_key, "rack");
  ASSERT_EQ(read.preferred_spread.size(), 1U);
  EXPECT_EQ(read.preferred_spread[0].topology_key, "node");
  EXPECT_EQ(read.preferred_spread[0].max_skew, 4);
}

TEST(PodRelations, read_all_four_lists_of_terms) {
  const std::string term = ", labelSelector: {}}";
  const Relations read = relations_of(
      "{affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: ["
      "{topologyKey: z" +
      term + ", {topologyKey: a" + term + ", {topologyKey: z" + term +
      "], preferredDuringSchedulingIgnoredDuringExecution: ["
      "{weight: 100, podAffinityTerm: {topologyKey: b" +
      term +
      "}]}, podAntiAffinity: {"
      "requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: c" +
      term +
      "], preferredDuringSchedulingIgnoredDuringExecution: ["
      "{weight: 5, podAffinityTerm: {topologyKey: d" +
      term + "}]}}}");
  ASSERT_EQ(read.affinity.size(), 2U) << "sorted, and each once";
  EXPECT_EQ(read.affinity[0].topology_key, "a");
  EXPECT_EQ(read.affinity[1].topology_key, "z");
  ASSERT_EQ(read.anti_affinity.size(), 1U);
  EXPECT_EQ(read.anti_affinity[0].topology_key, "c");
  ASSERT_EQ(read.preferred.size(), 2U);
  EXPECT_EQ(read.preferred[0].weight, -5);
  EXPECT_EQ(read.preferred[0].term.topology_key, "d");
  EXPECT_EQ(read.preferred[1].weight, 100);
  EXPECT_EQ(read.preferred[1].term.topology_key, "b");
  EXPECT_EQ(read.name_space, "ml");
}

TEST(PodRelations, refuse_what_kube_scheduler_cannot_parse_or_the_api_server_refuses) {
  const auto term = [](const std::string& fields) {
    return required("podAntiAffinity", "{topologyKey: z, " + fields + "}");
  };
  const auto spread = [](const std::string& fields) {
    return "{topologySpreadConstraints: [{topologyKey: z, " + fields + "}]}";
  };
  const auto preferred = [](const std::string& item) {
    return "{affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [" + item +
           "]}}}";
  };
  const std::string bad[] = {
      term("labelSelector: {matchExpressions: [{key: a, operator: Gt, values: ['1']}]}"),
      term("labelSelector: {matchExpressions: [{key: a, operator: Lt, values: ['1']}]}"),
      term("labelSelector: {matchExpressions: [{key: a, operator: in, values: [b]}]}"),
      term("labelSelector: {matchExpressions: [{key: a, operator: In}]}"),
      term("labelSelector: {matchExpressions: [{key: a, operator: Exists, values: [b]}]}"),
      term("labelSelector: {matchExpressions: [{key: 'a b', operator: Exists}]}"),
      term("labelSelector: {matchLabels: {a: 'b c'}}"),
      term("labelSelector: {matchLabels: {'': b}}"),
      term("labelSelector: []"),
      term("namespaceSelector: {matchLabels: {a: '-'}}"),
      term("namespaces: ml"),
      required("podAffinity", "{labelSelector: {}}"),
      required("podAffinity", "{topologyKey: ''}"),
      spread("labelSelector: {matchLabels: {a: 'b c'}}"),
      spread("maxSkew: 0"),
      spread("minDomains: 0"),
      spread("whenUnsatisfiable: Never"),
      spread("nodeTaintsPolicy: honor"),
      spread("nodeAffinityPolicy: ''"),
      "{topologySpreadConstraints: [{maxSkew: 1}]}",
      preferred("{weight: 0, podAffinityTerm: {topologyKey: z}}"),
      preferred("{weight: 101, podAffinityTerm: {topologyKey: z}}"),
      preferred("{weight: 1, podAffinityTerm: {labelSelector: {}}}"),
      preferred("{weight: 1}")};
  for (const std::string& spec : bad) EXPECT_FALSE(pod_with(spec).has_value()) << spec;
  EXPECT_NE(pod_with(bad[0]).error().message.find("a label selector has no such operator"),
            std::string::npos);
}

TEST(PodRelations, that_cannot_be_read_leave_a_live_pod_without_a_node) {
  std::optional<Error> complaint;
  const auto pod = decode_pod(
      value_of("{metadata: {name: p}, spec: " +
               required("podAffinity", "{topologyKey: z, labelSelector: {matchLabels: {a: '-'}}}") +
               "}"),
      "f", &complaint);
  ASSERT_TRUE(pod.has_value());
  EXPECT_NE(pod->constraints.fault.find("\"-\" is no value of a label"), std::string::npos)
      << pod->constraints.fault;
}

}  // namespace
}  // namespace berth::kube
