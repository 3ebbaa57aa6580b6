#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "kube/codecs.h"
#include "kube/manifests.h"
#include "kube/yaml_value.h"

namespace berth::kube {
namespace {

SelectingObject decoded(const std::string& yaml) {
  const document::Value value = value_of(yaml);
  const TypeName type{value.find("kind")->text, value.find("apiVersion")->text};
  const auto event = decode(type, value, "f.yaml");
  EXPECT_TRUE(event) << (event ? "" : event.error().to_string());
  return event ? std::get<SelectingObject>(*event) : SelectingObject();
}

TEST(Selecting, SPREAD8AServiceHasAMapOfLabels) {
  const SelectingObject service = decoded(
      "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: ml}, "
      "spec: {selector: {tier: front, app: web}, ports: [{port: 80}]}}");
  EXPECT_EQ(service.kind, SelectingKind::service);
  EXPECT_EQ(service.full_name(), "ml/web");
  const std::vector<Expression> all{{"app", Operator::in, {"web"}},
                                    {"tier", Operator::in, {"front"}}};
  EXPECT_EQ(service.pods, (PodSelector{all, false}));
}

TEST(Selecting, SPREAD8AServiceWithoutSelectorSelectsNoPod) {
  const char* const kHead = "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: ";
  EXPECT_TRUE(decoded(std::string(kHead) + "{}}").pods.matches_nothing);
  EXPECT_TRUE(decoded(std::string(kHead) + "{selector: {}}}").pods.matches_nothing);
}

TEST(Selecting, SPREAD8ControllersHaveSelectors) {
  const SelectingObject set = decoded(
      "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-1, namespace: ml}, "
      "spec: {selector: {matchLabels: {app: web}, "
      "matchExpressions: [{key: old, operator: DoesNotExist}]}}}");
  EXPECT_EQ(set.kind, SelectingKind::replica_set);
  ASSERT_EQ(set.pods.all.size(), 2U);
  EXPECT_EQ(set.pods.all[1].op, Operator::does_not_exist);
  const SelectingObject old = decoded(
      "{apiVersion: v1, kind: ReplicationController, metadata: {name: web, namespace: ml}, "
      "spec: {selector: {app: web}}}");
  EXPECT_EQ(old.pods.all.size(), 1U);
}

TEST(Selecting, SPREAD8ASelectorThatCannotBeReadSelectsNoPod) {
  const SelectingObject set = decoded(
      "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db, namespace: ml}, "
      "spec: {selector: {matchExpressions: [{key: a, operator: Near}]}}}");
  EXPECT_TRUE(set.pods.matches_nothing);
}

// A StatefulSet that the API server has stored is an owner as well.
TEST(Selecting, SPREAD8AStatefulSetIsReadOnceForEachUse) {
  const auto manifests = parse_manifests(
      "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db, namespace: ml, uid: u1}, "
      "spec: {replicas: 0, selector: {matchLabels: {app: db}}, "
      "template: {metadata: {labels: {app: db}}, spec: {containers: [{name: c}]}}}}",
      "f.yaml");
  ASSERT_TRUE(manifests) << manifests.error().to_string();
  ASSERT_EQ(manifests->events.size(), 2U);
  const auto has = [&]<class T>() {
    return std::holds_alternative<T>(manifests->events[0]) ||
           std::holds_alternative<T>(manifests->events[1]);
  };
  EXPECT_TRUE(has.operator()<OwnerObject>());
  EXPECT_TRUE(has.operator()<SelectingObject>());
}

}  // namespace
}  // namespace berth::kube
