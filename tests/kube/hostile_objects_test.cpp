// Objects with parts left out, empty, doubled, or of other types. Each is refused with its place in
// the file, or read.
#include <gtest/gtest.h>

#include <set>

#include "kube/changed_objects.h"
#include "kube/children.h"
#include "kube/children_support.h"
#include "kube/codecs.h"
#include "kube/yaml_value.h"
#include "support/damage.h"
#include "support/seeds.h"

namespace berth::kube {
namespace {

using document::Value;
using testing::changed;
using testing::json_of;
using testing::Path;

TypeName type_of(const Value& object) {
  const auto text = [&](const char* key) {
    const Value* const found = object.find(key);
    return found == nullptr ? std::string() : found->text;
  };
  return {text("kind"), text("apiVersion")};
}

void expect_placed(const Error& error) {
  EXPECT_FALSE(error.message.empty());
  EXPECT_NE(error.to_string().find("f.json:"), std::string::npos) << error.to_string();
}

// As `berth plan` reads it; pods are made of it.
void read_manifest(const std::string& text) {
  const Result<Manifests> manifests = parse_manifests(text, "f.json");
  if (!manifests) expect_placed(manifests.error());
}

// As berthd reads it from the API server and from a file.
void decode_all(const TypeName& type, const Value& object) {
  Complaint complaint;
  const auto owner = decode_owner(object, "f.json", type);
  if (!owner) expect_placed(owner.error());
  if (!is_known(type)) return;
  const auto strict = decode(type, object, "f.json");
  if (!strict) expect_placed(strict.error());
  const auto live = decode_live(type, object, "f.json", complaint);
  if (!live) expect_placed(live.error());
}

void read_changed(const Value& object, const Path& part, std::size_t change) {
  SCOPED_TRACE(testing::text_of(object, part) + ": " +
               std::string(testing::name_of_change(change)));
  const TypeName type = type_of(object);
  const std::string text = json_of(changed(object, part, change));
  if (makes_children(type)) read_manifest(text);
  const auto value = document::parse_json(text, "f.json");
  if (value) decode_all(type, *value);
}

std::vector<Value> one_of_each_kind() {
  std::vector<Value> objects;
  std::set<std::string> seen;
  std::vector<std::string> files{"tests/kubeapi/testdata/everything.json"};
  for (std::string& file : testing::fixture_files()) files.push_back(std::move(file));
  for (const std::string& file : files) {
    for (Value& object : testing::objects_in(file)) {
      if (seen.insert(type_of(object).to_string()).second) objects.push_back(std::move(object));
    }
  }
  return objects;
}

TEST(HostileObjects, WithAPartChangedAreReadOrRefusedWithTheirPlace) {
  std::size_t count = 0;
  for (const Value& object : one_of_each_kind()) {
    SCOPED_TRACE(type_of(object).kind);
    for (const Path& part : testing::parts_of(object)) {
      for (std::size_t change = 0; change < testing::change_count(); ++change) {
        if (++count % 3 == 0) read_changed(object, part, change);
      }
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(count, 20'000U);
}

// The other jobs of Kubeflow, and what selects pods, have no fixtures.
TEST(HostileObjects, OfOtherKindsAreReadOrRefusedWithTheirPlace) {
  const std::string pod = "{spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}";
  const std::string replicas = "{Worker: {replicas: 2, restartPolicy: Never, template: " + pod +
                               "}, Master: {template: " + pod + "}}}";
  const std::string head = "metadata: {name: j}, spec: {runPolicy: {suspend: false}, ";
  const std::string selector =
      "metadata: {name: j}, spec: {replicas: 2, selector: {matchLabels: {a: b}, "
      "matchExpressions: [{key: c, operator: In, values: [d]}]}}}";
  for (const std::string& text :
       {"{apiVersion: kubeflow.org/v1, kind: TFJob, " + head + "tfReplicaSpecs: " + replicas + "}",
        "{apiVersion: kubeflow.org/v1, kind: XGBoostJob, " + head + "xgbReplicaSpecs: " + replicas +
            "}",
        "{apiVersion: kubeflow.org/v1, kind: PaddleJob, " + head +
            "paddleReplicaSpecs: " + replicas + "}",
        "{apiVersion: kubeflow.org/v1, kind: JAXJob, " + head + "jaxReplicaSpecs: " + replicas +
            "}",
        "{apiVersion: apps/v1, kind: ReplicaSet, " + selector,
        "{apiVersion: v1, kind: ReplicationController, " + selector,
        std::string("{apiVersion: scheduling.k8s.io/v1alpha2, kind: PodGroup, metadata: {name: g, "
                    "namespace: n}, spec: {schedulingPolicy: {gang: {minCount: 3}}}}"),
        std::string("{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, metadata: {name: "
                    "g}, spec: {minMember: 2, minResources: {cpu: 1}, scheduleTimeoutSeconds: 5}}"),
        std::string("{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: p}, "
                    "value: 7, globalDefault: true, preemptionPolicy: Never}"),
        std::string("{apiVersion: v1, kind: Namespace, metadata: {name: n, labels: {a: b}, "
                    "annotations: {scheduling.volcano.sh/queue-name: q}}}"),
        std::string("{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: q}, "
                    "spec: {weight: 1, parent: r, priority: 3, capability: {cpu: 4}, guarantee: "
                    "{resource: {cpu: 2}}, deserved: {cpu: 3}, reclaimable: true}, status: {state: "
                    "Open, allocated: {cpu: 1}}}")}) {
    const Value object = value_of(text);
    SCOPED_TRACE(type_of(object).kind);
    for (const Path& part : testing::parts_of(object)) {
      for (std::size_t change = 0; change < testing::change_count(); ++change) {
        read_changed(object, part, change);
      }
    }
  }
}

// Whole files: an owner with its children, of which any may be changed, and several at once.
TEST(HostileObjects, OfOneFileAreReadOrRefusedWithTheirPlace) {
  std::vector<std::vector<Value>> files;
  for (const std::string& file : testing::fixture_files()) {
    files.push_back(testing::objects_in(file));
  }
  for (const std::uint64_t seed : support::seeds(1'500)) {
    SCOPED_TRACE("BERTH_SEED=" + std::to_string(seed));
    support::Damage damage(seed);
    std::vector<Value> objects = files[damage.below(files.size())];
    for (std::size_t wounds = 1 + damage.below(5); wounds > 0; --wounds) {
      Value& object = objects[damage.below(objects.size())];
      const std::vector<Path> parts = testing::parts_of(object);
      if (parts.empty()) continue;
      const std::size_t change = damage.below(testing::change_count());
      object = changed(object, parts[damage.below(parts.size())], change);
    }
    std::string items;
    for (const Value& object : objects) items += (items.empty() ? "" : ",\n") + json_of(object);
    read_manifest(R"({"apiVersion":"v1","kind":"List","items":[)" + items + "]}");
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace berth::kube
