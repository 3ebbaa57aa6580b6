#include <gtest/gtest.h>

#include <string>

#include "document/readers.h"
#include "kube/codecs.h"

namespace berth::kube {
namespace {

Result<BudgetObject> budget_from(const std::string& rest, Complaint* complaint = nullptr) {
  const auto value =
      document::parse_yaml("metadata: {name: b, namespace: ns, uid: u}\n" + rest, "b.yaml");
  EXPECT_TRUE(value) << rest;
  return decode_budget(*value, "b.yaml", complaint);
}

// Does a budget with this selector protect a pod with the label app=web alone?
bool selects(const std::string& selector) {
  const std::string web = "web";
  const auto budget = budget_from("spec: {selector: " + selector + "}");
  EXPECT_TRUE(budget) << selector;
  return budget->selects([&](const std::string& key) { return key == "app" ? &web : nullptr; });
}

TEST(Budget, HasWhatItsStatusAllowsAndCounts) {
  const auto budget = budget_from(
      "spec: {minAvailable: 2, selector: {matchLabels: {app: web}}}\n"
      "status: {disruptionsAllowed: 3, disruptedPods: {"
      "web-2: '2026-11-20T09:00:00Z', web-1: '2026-11-20T09:00:00Z'}}\n");
  ASSERT_TRUE(budget) << budget.error().to_string();
  EXPECT_EQ(budget->full_name(), "ns/b");
  EXPECT_EQ(budget->uid, "u");
  EXPECT_EQ(budget->allowed, 3);
  EXPECT_EQ(budget->disrupted, (std::vector<std::string>{"web-1", "web-2"}));
  EXPECT_TRUE(budget->counts("web-2"));
  EXPECT_FALSE(budget->counts("web-3"));
}

TEST(Budget, AllowsNothingWithoutAStatus) {
  EXPECT_EQ(budget_from("spec: {selector: {}}")->allowed, 0);
}

TEST(Budget, SelectsByLabelsAndExpressions) {
  EXPECT_TRUE(selects("{}"));
  EXPECT_FALSE(selects("null"));
  EXPECT_TRUE(selects("{matchLabels: {app: web}}"));
  EXPECT_FALSE(selects("{matchLabels: {app: db}}"));
  EXPECT_FALSE(selects("{matchLabels: {app: web, tier: front}}"));
  EXPECT_TRUE(selects("{matchExpressions: [{key: app, operator: In, values: [db, web]}]}"));
  EXPECT_TRUE(selects("{matchExpressions: [{key: tier, operator: NotIn, values: [back]}]}"));
  EXPECT_TRUE(selects("{matchExpressions: [{key: tier, operator: DoesNotExist}]}"));
  EXPECT_FALSE(
      selects("{matchLabels: {app: web}, matchExpressions: [{key: tier, operator: Exists}]}"));
}

TEST(Budget, API25ThatCannotBeReadProtectsNobody) {
  const std::string bad = "spec: {selector: {matchExpressions: [{key: a, operator: Like}]}}";
  const auto refused = budget_from(bad);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().to_string().find("Like"), std::string::npos);
  Complaint complaint;
  const auto budget = budget_from(bad, &complaint);
  ASSERT_TRUE(budget);
  EXPECT_TRUE(complaint);
  EXPECT_FALSE(budget->selector);
}

}  // namespace
}  // namespace berth::kube
