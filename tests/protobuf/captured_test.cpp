// The same pods in both formats, as an API server has sent them (tests/podview/captured.h).
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "kube/codecs.h"
#include "kubeapi/object_reader.h"
#include "protobuf/frames.h"
#include "support/checkout.h"

namespace berth::protobuf {
namespace {

std::string file(const std::string& name) {
  std::ifstream in(support::source_file("tests/podview/testdata/") + name, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  EXPECT_FALSE(text.str().empty()) << name;
  return text.str();
}

struct Event {
  std::string type;
  std::string version;
  std::optional<PodObject> pod;  // none: a bookmark or an error

  bool operator==(const Event&) const = default;
};

std::string version_of(const document::Value& object) {
  const document::Value* const metadata = object.find("metadata");
  const document::Value* const version =
      metadata == nullptr ? nullptr : metadata->find("resourceVersion");
  return version == nullptr ? "" : version->text;
}

PodObject pod_in(const document::Value& object) {
  const auto pod = kube::decode({"Pod", "v1"}, object, "an answer");
  EXPECT_TRUE(pod) << pod.error().to_string();
  return pod ? std::get<PodObject>(*pod) : PodObject();
}

Event event_in(std::string_view frame, kubeapi::ObjectReader& reader) {
  kubeapi::WatchEvent event;
  const Status read = reader.read_event(frame, event);
  EXPECT_TRUE(read) << read.error().to_string();
  const bool is_of_pod = event.type != "BOOKMARK" && event.type != "ERROR";
  return {event.type, version_of(event.object),
          is_of_pod ? std::optional(pod_in(event.object)) : std::nullopt};
}

struct Page {
  kubeapi::ListMetadata list;
  std::vector<PodObject> pods;
};

Page page_in(std::string body, kubeapi::ObjectReader& reader) {
  Page page;
  const auto list = reader.read_page(
      body, [&](const document::Value& item) { page.pods.push_back(pod_in(item)); });
  EXPECT_TRUE(list) << list.error().to_string();
  if (list) page.list = *list;
  return page;
}

TEST(CapturedPods, API9AListIsTheSameInBothFormats) {
  const Page json = page_in(file("list.json"), *kubeapi::json_reader(nullptr));
  const Page protobuf = page_in(file("list.protobuf"), *kubeapi::protobuf_reader("Pod"));
  EXPECT_EQ(json.list.resource_version, protobuf.list.resource_version);
  EXPECT_EQ(json.list.continue_token, protobuf.list.continue_token);
  ASSERT_EQ(json.pods.size(), 5U);
  ASSERT_EQ(protobuf.pods.size(), json.pods.size());
  for (std::size_t i = 0; i < json.pods.size(); ++i) {
    EXPECT_EQ(json.pods[i], protobuf.pods[i]) << json.pods[i].name;
  }
}

TEST(CapturedPods, API9AWatchIsTheSameInBothFormats) {
  const auto json = kubeapi::json_reader(nullptr);
  const auto protobuf = kubeapi::protobuf_reader("Pod");
  std::vector<Event> of_json, of_protobuf;
  std::istringstream lines(file("stream.jsonl"));
  for (std::string line; std::getline(lines, line);) of_json.push_back(event_in(line, *json));
  EXPECT_TRUE(Frames().take(file("stream.protobuf"), [&](std::string_view frame) -> Status {
    of_protobuf.push_back(event_in(frame, *protobuf));
    return Done{};
  }));
  EXPECT_GT(of_json.size(), 10U);
  ASSERT_EQ(of_json.size(), of_protobuf.size());
  for (std::size_t i = 0; i < of_json.size(); ++i) {
    EXPECT_EQ(of_json[i], of_protobuf[i]) << i << " " << of_json[i].type;
  }
}

}  // namespace
}  // namespace berth::protobuf
