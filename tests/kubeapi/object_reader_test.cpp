#include "kubeapi/object_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "document/readers.h"
#include "kube/codecs.h"
#include "support/checkout.h"

namespace berth::kubeapi {
namespace {

std::vector<document::Value> items_of(ObjectReader& reader, std::string page, ListMetadata& list) {
  std::vector<document::Value> items;
  auto read = reader.read_page(page, [&](const document::Value& item) { items.push_back(item); });
  EXPECT_TRUE(read) << read.error().to_string();
  if (read) list = *read;
  return items;
}

TEST(ObjectReader, ReadsPages) {
  const auto reader = json_reader(nullptr);
  ListMetadata list;
  const auto items = items_of(*reader,
                              R"({"kind":"PodList","metadata":{"resourceVersion":"7",)"
                              R"("continue":"a\u0062c"},"items":[{"a":1},{"a":[true,null,"x"]}]})",
                              list);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(list.resource_version, "7");
  EXPECT_EQ(list.continue_token, "abc");
  EXPECT_EQ(items[0].find("a")->text, "1");
  EXPECT_EQ(items[1].find("a")->items.at(0).kind, document::Kind::boolean);
  EXPECT_EQ(items[1].find("a")->items.at(1).kind, document::Kind::null);
  EXPECT_EQ(items[1].find("a")->items.at(2).text, "x");
  EXPECT_TRUE(items_of(*reader, R"({"items":null,"metadata":{}})", list).empty());
}

TEST(ObjectReader, RefusesWhatIsNoJson) {
  const auto reader = json_reader(nullptr);
  for (std::string page : {"", "{", R"({"items":[{"a":1})", R"({"items":[]} x)", R"({"items":7})",
                           "[]", R"({"items":[{"a":tru}]})"}) {
    EXPECT_FALSE(reader->read_page(page, [](const document::Value&) {})) << page;
  }
  WatchEvent event;
  for (const char* line : {"{", "[]", R"({"type":"ADDED"})", R"({"type":"ADDED","object":{)"}) {
    EXPECT_FALSE(reader->read_event(line, event)) << line;
  }
  std::string deep = R"({"items":[)" + std::string(200, '[') + std::string(200, ']') + "]}";
  EXPECT_FALSE(reader->read_page(deep, [](const document::Value&) {}));
}

TEST(ObjectReader, ReadsEvents) {
  const auto reader = json_reader(&keys_of_owners());
  WatchEvent event;
  ASSERT_TRUE(
      reader->read_event(R"({"type":"ERROR","object":{"kind":"Status","code":410}})", event));
  EXPECT_EQ(event.type, "ERROR");
  EXPECT_EQ(event.object.find("code")->text, "410");
  ASSERT_TRUE(reader->read_event(R"({"object":{"spec":{"hostname":"a"}},"type":"ADDED"})", event));
  EXPECT_EQ(event.type, "ADDED");
  EXPECT_EQ(event.object.find("spec")->members.size(), 0U);
}

TEST(KeptKeys, API9KeepOfOwnersTheWordsThatCount) {
  const auto reader = json_reader(&keys_of_owners());
  ListMetadata list;
  const auto items = items_of(
      *reader,
      R"({"items":[{"kind":"Job","apiVersion":"batch/v1","metadata":{"name":"j","uid":"o",)"
      R"("creationTimestamp":"1970-01-01T01:00:00Z","labels":{"a":"b"},)"
      R"("annotations":{"x":"y","berth.dev/target":"true"}},)"
      R"("spec":{"template":{"metadata":{"labels":{"volcano.sh/queue-name":"q"}},)"
      R"("spec":{"containers":[]}},"activeDeadlineSeconds":60},)"
      R"("status":{"startTime":"1970-01-01T02:00:00Z","active":3}}]})",
      list);
  EXPECT_EQ(items.at(0).find("status")->members.size(), 1U);
  EXPECT_EQ(items.at(0).find("spec")->find("template")->members.size(), 2U);
  EXPECT_TRUE(items.at(0).find("metadata")->find("labels")->members.empty());
  EXPECT_EQ(items.at(0).find("metadata")->find("annotations")->members.size(), 1U);
  const auto owner = kube::decode_owner(items.at(0), "j");
  ASSERT_TRUE(owner);
  EXPECT_TRUE(owner->uid == "o" && owner->names_target);
  EXPECT_EQ(owner->queues, std::vector<std::string>{"q"});
  EXPECT_EQ(owner->created, TimePoint(std::chrono::hours(1))) << "MAY-9 asks how old it is";
  const JobDeadline minute{std::chrono::minutes(1), TimePoint(std::chrono::hours(2))};
  EXPECT_EQ(owner->deadline, minute);
}

TEST(KeptKeys, API9TIME7KeepTheRunPolicyOfAKubeflowJob) {
  const auto reader = json_reader(&keys_of_owners());
  ListMetadata list;
  const auto items = items_of(
      *reader,
      R"({"items":[{"kind":"PyTorchJob","apiVersion":"kubeflow.org/v1","metadata":{"uid":"o"},)"
      R"("spec":{"runPolicy":{"activeDeadlineSeconds":60,"backoffLimit":2}}}]})",
      list);
  const auto owner = kube::decode_owner(items.at(0), "j");
  ASSERT_TRUE(owner);
  EXPECT_EQ(owner->deadline, (JobDeadline{std::chrono::minutes(1), {}}));
}

TEST(KeptKeys, API14KeepTheEndOfAStreamingListOfEveryKind) {
  for (const KeptKeys* keys :
       {&keys_of_owners(), &keys_of_others(), &keys_of_claims(), &keys_of_volumes(),
        &keys_of_storage(), &keys_of_selecting(), &keys_of_specs()}) {
    const auto reader = json_reader(keys);
    ListMetadata list;
    const auto items = items_of(*reader,
                                R"({"items":[{"metadata":{"resourceVersion":"7","annotations":)"
                                R"({"k8s.io/initial-events-end":"true"}}}]})",
                                list);
    const document::Value* annotations = items.at(0).find("metadata")->find("annotations");
    ASSERT_NE(annotations, nullptr);
    EXPECT_NE(annotations->find("k8s.io/initial-events-end"), nullptr);
  }
}

// A manifest with every key that the decoders read. Without the dropped keys, it must decode to the
// same object.
TEST(KeptKeys, API9ChangeNothingOfWhatIsDecoded) {
  std::ifstream file(support::source_file("tests/kubeapi/testdata/everything.json"));
  std::stringstream text;
  text << file.rdbuf();
  int compared = 0;
  int passed = 0;
  const Status status = document::read_json(
      text.str(), "everything.json",
      [&](document::Value whole, const document::ListHead&) -> Status {
        const kube::TypeName type{whole.find("kind")->text, whole.find("apiVersion")->text};
        if (type.kind == "Pod" || type.kind == "Node") {  // are read in protobuf
          ++passed;
          return Done{};
        }
        const bool is_topology = type.kind == "Topology" || type.kind == "HyperNode";
        const KeptKeys& keys = type.kind == "PersistentVolumeClaim" ? keys_of_claims()
                               : type.kind == "PersistentVolume"    ? keys_of_volumes()
                               : type.group() == "storage.k8s.io"   ? keys_of_storage()
                               : type.kind == "Service"             ? keys_of_selecting()
                               : is_topology                        ? keys_of_specs()
                                                                    : keys_of_others();
        const auto reader = json_reader(&keys);
        ListMetadata list;
        const auto pruned = items_of(*reader, text.str(), list);
        const auto before = kube::decode(type, whole, "whole");
        const auto after =
            kube::decode(type, pruned.at(static_cast<std::size_t>(compared + passed)), "pruned");
        EXPECT_TRUE(before && after) << type.kind;
        if (!before || !after) return Done{};
        const auto* group = std::get_if<PodGroupObject>(&*before);
        const auto* budget = std::get_if<BudgetObject>(&*before);
        const auto* storage = std::get_if<StorageObject>(&*before);
        EXPECT_TRUE(storage == nullptr || *storage == std::get<StorageObject>(*after)) << type.kind;
        const auto* selecting = std::get_if<SelectingObject>(&*before);
        EXPECT_TRUE(selecting == nullptr || *selecting == std::get<SelectingObject>(*after));
        EXPECT_TRUE(budget == nullptr || *budget == std::get<BudgetObject>(*after)) << type.kind;
        const auto* topology = std::get_if<TopologyObject>(&*before);
        EXPECT_TRUE(topology == nullptr || *topology == std::get<TopologyObject>(*after));
        EXPECT_TRUE(group == nullptr || *group == std::get<PodGroupObject>(*after)) << type.kind;
        ++compared;
        return Done{};
      });
  EXPECT_TRUE(status) << status.error().to_string();
  EXPECT_EQ(compared + passed, 16);
  EXPECT_EQ(passed, 3);
}

}  // namespace
}  // namespace berth::kubeapi
