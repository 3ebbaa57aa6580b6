#include "kube/label_selector.h"

#include <gtest/gtest.h>

#include "berth/model/namespaces.h"
#include "kube/codecs.h"
#include "yaml_value.h"

namespace berth::kube {
namespace {

using LabelMap = std::map<std::string, std::string>;

NamespaceSelector selector(const std::string& text) {
  const auto parsed = parse_label_selector(text);
  EXPECT_TRUE(parsed) << parsed.error().to_string();
  return {*parsed};
}

bool selects(const std::string& text, const LabelMap& labels) {
  return selector(text).selects("ns", labels);
}

TEST(LabelSelector, MAY1ReadsTheTextFormOfKubectl) {
  EXPECT_TRUE(selects("", {}));
  EXPECT_TRUE(selects("team=ml", {{"team", "ml"}}));
  EXPECT_TRUE(selects(" team == ml ", {{"team", "ml"}}));
  EXPECT_FALSE(selects("team=ml", {{"team", "web"}}));
  EXPECT_FALSE(selects("team=ml", {}));
  EXPECT_TRUE(selects("team!=ml", {}));
  EXPECT_FALSE(selects("team != ml", {{"team", "ml"}}));
  EXPECT_TRUE(selects("env in (a, b),team=ml", {{"env", "b"}, {"team", "ml"}}));
  EXPECT_FALSE(selects("env in (a, b),team=ml", {{"env", "b"}}));
  EXPECT_TRUE(selects("env notin (a,b)", {{"env", "c"}}));
  EXPECT_FALSE(selects("env notin (a,b)", {{"env", "a"}}));
  EXPECT_TRUE(selects("example.com/gpu", {{"example.com/gpu", ""}}));
  EXPECT_FALSE(selects("example.com/gpu", {}));
  EXPECT_TRUE(selects("!old", {}));
  EXPECT_FALSE(selects("! old", {{"old", "x"}}));
}

TEST(LabelSelector, MAY1TheNameOfANamespaceIsALabel) {
  EXPECT_TRUE(selects("kubernetes.io/metadata.name=ns", {}));
  EXPECT_TRUE(selects("kubernetes.io/metadata.name in (ns,b)", {}));
  EXPECT_FALSE(selects("kubernetes.io/metadata.name=b", {{"kubernetes.io/metadata.name", "b"}}));
}

TEST(LabelSelector, RefusesWhatIsNoRequirement) {
  for (const char* text : {"team=ml,", "team=", "a in", "a in (b", "a in b", "=b", "a => b", "a b",
                           "a=b c", "!", "a within (b)", "a<b", "a===b", ","}) {
    const auto parsed = parse_label_selector(text);
    if (std::string(text) == "team=") {
      EXPECT_TRUE(parsed) << text;  // an empty value
      continue;
    }
    ASSERT_FALSE(parsed) << text;
    EXPECT_NE(parsed.error().message.find("expected key=value"), std::string::npos) << text;
  }
}

TEST(LabelSelector, WritesTheTextThatItReads) {
  const std::string text = "team=ml,env in (a,b),tier!=x,zone notin (c,d),gpu,!old";
  EXPECT_EQ(selector(text).text(), text);
  EXPECT_EQ(selector("").text(), "");
}

QueueObject queue(const std::string& yaml) {
  const auto decoded = decode_queue_with_fault(value_of(yaml), "q.yaml");
  EXPECT_TRUE(decoded) << decoded.error().to_string();
  return *decoded;
}

TEST(QueueNamespaces, MAY1FieldAndAnnotationHoldTogether) {
  EXPECT_TRUE(queue("metadata: {name: q}\n").namespaces.selects_all());
  EXPECT_TRUE(
      queue("metadata: {name: q}\nspec: {namespaceSelector: {}}\n").namespaces.selects_all());
  const QueueObject both = queue(
      "metadata: {name: q, annotations: {berth.dev/namespaces: 'env in (a,b)'}}\n"
      "spec: {namespaceSelector: {matchLabels: {team: ml},\n"
      "  matchExpressions: [{key: old, operator: DoesNotExist}]}}\n");
  EXPECT_EQ(both.namespaces.text(), "team=ml,!old,env in (a,b)");
  EXPECT_TRUE(both.fault.empty());
}

TEST(QueueNamespaces, MAY1ASelectorThatCannotBeReadPutsTheQueueAtFault) {
  const QueueObject by_text =
      queue("metadata: {name: q, annotations: {berth.dev/namespaces: 'team is ml'}}\n");
  EXPECT_NE(by_text.fault.find("berth.dev/namespaces"), std::string::npos) << by_text.fault;
  EXPECT_NE(by_text.fault.find("\"team is ml\" is no requirement on labels"), std::string::npos)
      << by_text.fault;
  const QueueObject by_field = queue(
      "metadata: {name: q}\n"
      "spec: {namespaceSelector: {matchExpressions: [{key: n, operator: Gt, values: ['3']}]}}\n");
  EXPECT_NE(by_field.fault.find("has no Gt and Lt"), std::string::npos) << by_field.fault;
}

TEST(NamespaceCodec, KeepsLabels) {
  const auto decoded =
      decode_namespace(value_of("metadata: {name: ml, labels: {team: ml}}\n"), "n.yaml");
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->labels, (LabelMap{{"team", "ml"}}));
}

}  // namespace
}  // namespace berth::kube
