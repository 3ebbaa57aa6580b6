// Lines and pages that no API server sends. A reader returns what they hold, or an Error.
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "kube/codecs.h"
#include "kubeapi/object_reader.h"
#include "support/checkout.h"
#include "support/damage.h"
#include "support/protobuf_objects.h"
#include "support/seeds.h"

namespace berth::kubeapi::hostile_objects_test {
namespace {

using Json = nlohmann::ordered_json;

std::string everything() {
  std::ifstream file(support::source_file("tests/kubeapi/testdata/everything.json"));
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

const KeptKeys& keys_of(const kube::TypeName& type) {
  if (type.kind == "PersistentVolumeClaim") return keys_of_claims();
  if (type.kind == "PersistentVolume") return keys_of_volumes();
  if (type.group() == "storage.k8s.io") return keys_of_storage();
  return type.kind == "Service" ? keys_of_selecting() : keys_of_others();
}

Status read_line(const std::string& line, WatchEvent& event) {
  const auto reader = json_reader(&keys_of_others());
  return reader->read_event(line, event);
}

TEST(HostileObjects, API20AWordThatBeginsAsNullIsAnError) {
  WatchEvent event;
  for (const char* word : {"nul:", "nul", "nil", "n", "nulll", "nuLL"}) {
    const std::string value(word);
    const std::string line = R"({"type":"ADDED","object":{"spec":{"containers":)" + value + "}}}";
    EXPECT_FALSE(read_line(line, event)) << line;
    std::string page = R"({"items":[{"spec":{"containers":)" + value + "}}]}";
    const auto reader = json_reader(&keys_of_others());
    EXPECT_FALSE(reader->read_page(page, [](const document::Value&) {})) << page;
  }
  EXPECT_TRUE(read_line(R"({"type":"ADDED","object":{"spec":{"containers": null }}})", event));
}

TEST(HostileObjects, API20AWordThatBeginsAsANumberIsAnError) {
  WatchEvent event;
  for (const char* word : {"1x", "-", "01", "1.", "1e", "0x1", "1-2"}) {
    const std::string line =
        R"({"type":"ADDED","object":{"spec":{"priority":)" + std::string(word) + "}}}";
    EXPECT_FALSE(read_line(line, event)) << line;
  }
  EXPECT_TRUE(read_line(R"({"type":"ADDED","object":{"spec":{"priority":-1.5e3}}})", event));
}

// Each kind that is watched, as a line of its watch.
class HostileLines : public ::testing::TestWithParam<std::size_t> {};

constexpr std::size_t kKinds = 16;

TEST_P(HostileLines, AreReadOrRefused) {
  const Json object = Json::parse(everything())["items"][GetParam()];
  const kube::TypeName type{object["kind"], object["apiVersion"]};
  const std::string json = Json{{"type", "MODIFIED"}, {"object", object}}.dump();
  const bool is_protobuf = type.kind == "Pod" || type.kind == "Node";
  const std::string line = is_protobuf ? support::protobuf_frame(json, type.kind) : json;
  const auto reader = is_protobuf ? protobuf_reader(type.kind) : json_reader(&keys_of(type));
  WatchEvent event;
  std::size_t refused = 0;
  for (const std::uint64_t seed : support::seeds(1'500)) {
    SCOPED_TRACE("BERTH_SEED=" + std::to_string(seed));
    const Status read = reader->read_event(support::Damage(seed).of(line), event);
    if (!read) {
      ++refused;
      ASSERT_FALSE(read.error().message.empty());
      continue;
    }
    kube::Complaint complaint;
    const auto decoded = kube::decode_live(type, event.object, "line", complaint);
    ASSERT_TRUE(decoded || !decoded.error().message.empty());
    (void)kube::decode(type, event.object, "line");
    (void)kube::decode_owner(event.object, "line", type);
    ASSERT_TRUE(reader->read_event(line, event)) << "the next line is read as the first";
  }
  EXPECT_GT(refused, support::seeds(1'500).size() / 10) << "the damage is real";
}

INSTANTIATE_TEST_SUITE_P(Kinds, HostileLines, ::testing::Range(std::size_t{0}, kKinds));

TEST(HostileObjects, PagesAreReadOrRefused) {
  Json list = Json::parse(everything());
  ASSERT_EQ(list["items"].size(), kKinds);
  list["metadata"] = {{"resourceVersion", "17"}, {"continue", "a\nb"}};
  const std::string page = list.dump();
  const auto reader = json_reader(nullptr);
  for (const std::uint64_t seed : support::seeds(1'500)) {
    SCOPED_TRACE("BERTH_SEED=" + std::to_string(seed));
    std::string damaged = support::Damage(seed).of(page);
    const auto read = reader->read_page(damaged, [](const document::Value& item) {
      kube::Complaint complaint;
      (void)kube::decode_live({"Pod", "v1"}, item, "page", complaint);
      (void)kube::decode_live({"Node", "v1"}, item, "page", complaint);
    });
    ASSERT_TRUE(read || !read.error().message.empty());
  }
}

}  // namespace
}  // namespace berth::kubeapi::hostile_objects_test
