#include "protobuf/objects.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "document/readers.h"
#include "kube/codecs.h"
#include "support/checkout.h"
#include "support/damage.h"
#include "support/protobuf_objects.h"

namespace berth::protobuf {
namespace {

document::Value parsed(const std::string& json) {
  return document::parse_json(json, "test").value();
}

document::Value read(const std::string& message, std::string_view kind) {
  Reader reader(message);
  document::Value value;
  EXPECT_TRUE(read_object(reader, message, *find_shape(kind), value)) << reader.fault().to_string();
  return value;
}

document::Value through(const std::string& json, std::string_view kind) {
  return read(support::protobuf_message(parsed(json), kind), kind);
}

std::string everything() {
  std::ifstream file(support::source_file("tests/kubeapi/testdata/everything.json"));
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Each key that a decoder reads of a pod or node stands in this manifest.
TEST(Objects, API36AreDecodedAsTheirJson) {
  int compared = 0;
  const auto compare = [&](document::Value whole, const document::ListHead&) -> Status {
    const kube::TypeName type{whole.find("kind")->text, whole.find("apiVersion")->text};
    if (type.kind != "Pod" && type.kind != "Node") return Done{};
    const std::string message = support::protobuf_message(whole, type.kind);
    const auto expected = kube::decode(type, whole, "JSON");
    const auto actual = kube::decode(type, read(message, type.kind), "protobuf");
    EXPECT_TRUE(expected && actual) << type.kind;
    if (!expected || !actual) return Done{};
    if (type.kind == "Pod") {
      PodObject pod = std::get<PodObject>(*expected);
      std::erase(pod.constraints.unmodelled, "spec.orbit");  // it has no number
      EXPECT_EQ(pod, std::get<PodObject>(*actual));
    } else {
      EXPECT_EQ(std::get<NodeObject>(*expected), std::get<NodeObject>(*actual));
    }
    ++compared;
    return Done{};
  };
  EXPECT_TRUE(document::read_json(everything(), "everything.json", compare));
  EXPECT_GE(compared, 2);
}

TEST(Objects, API36TIME4TimesOfAPodAreThoseOfItsJson) {
  const std::vector<std::string> deadlines{"null", "1", "86400", "2147483647"};
  const std::vector<std::string> graces{
      "null", "0", "1", "30", "-1", "9223372036854775807", "-9223372036854775808"};
  std::set<std::pair<std::optional<Duration>, Duration>> seen;
  for (const std::string& deadline : deadlines) {
    for (const std::string& grace : graces) {
      const std::string json = R"({"metadata":{"name":"p"},"spec":{"activeDeadlineSeconds":)" +
                               deadline + R"(,"terminationGracePeriodSeconds":)" + grace + "}}";
      const auto expected = kube::decode({"Pod", "v1"}, parsed(json), "JSON");
      const auto actual = kube::decode({"Pod", "v1"}, through(json, "Pod"), "protobuf");
      ASSERT_TRUE(expected && actual) << json;
      const TimeTerms& times = std::get<PodObject>(*actual).times;
      EXPECT_EQ(std::get<PodObject>(*expected).times, times) << json;
      EXPECT_EQ(times.deadline.has_value(), deadline != "null");
      seen.emplace(times.deadline, times.grace);
    }
  }
  EXPECT_EQ(seen.size(), 16U) << "of four deadlines, and 0, 1 and 30 s and the most";
}

TEST(Objects, API36TIME5TheEndOfAGracePeriodIsThatOfItsJson) {
  std::set<std::optional<TimePoint>> seen;
  for (const std::string time : {"null", R"("1970-01-01T00:00:00Z")", R"("1969-12-31T23:59:59Z")",
                                 R"("2026-11-20T10:00:00Z")"}) {
    const std::string json =
        R"({"metadata":{"name":"p","deletionTimestamp":)" + time + R"(},"spec":{}})";
    const auto expected = kube::decode({"Pod", "v1"}, parsed(json), "JSON");
    const auto actual = kube::decode({"Pod", "v1"}, through(json, "Pod"), "protobuf");
    ASSERT_TRUE(expected && actual) << json;
    const auto& [was, is] = std::pair(std::get<PodObject>(*expected), std::get<PodObject>(*actual));
    EXPECT_EQ(was.times, is.times) << json;
    EXPECT_EQ(was.terminating, is.terminating) << json;
    EXPECT_EQ(is.terminating, is.times.grace_ends.has_value()) << json;
    seen.insert(is.times.grace_ends);
  }
  EXPECT_EQ(seen.size(), 3U) << "none, 1970 or before, and now";
}

TEST(Objects, CountAPointerThatIsZeroAndNothingElseThatIs) {
  const document::Value pod = through(
      R"({"spec":{"priority":0,"hostUsers":false,"hostNetwork":false,"nodeName":""}})", "Pod");
  const document::Value& spec = *pod.find("spec");
  ASSERT_EQ(spec.members.size(), 2U);
  EXPECT_EQ(spec.find("priority")->text, "0");
  EXPECT_FALSE(spec.find("hostUsers")->truth);
}

// Go writes empty text and zero, too.
TEST(Objects, AreReadAsGoWritesThem) {
  std::string spec;
  append_field(spec, 10, "");               // nodeName
  spec += {static_cast<char>(11 << 3), 0};  // hostNetwork
  std::string metadata;
  append_field(metadata, 1, "p");
  append_field(metadata, 8, "");  // no creationTimestamp
  std::string message;
  append_field(message, 1, metadata);
  append_field(message, 2, spec);
  const document::Value pod = read(message, "Pod");
  EXPECT_TRUE(pod.find("spec")->members.empty());
  EXPECT_EQ(pod.find("metadata")->find("creationTimestamp"), nullptr);
  EXPECT_EQ(pod.find("metadata")->find("name")->text, "p");
}

TEST(Objects, HINT1NameAFieldOfASpecThatNobodyKnows) {
  std::string spec;
  append_field(spec, 6, "");  // dnsPolicy: known, and passed over
  append_field(spec, 77, "x");
  std::string message;
  append_field(message, 2, spec);
  append_field(message, 77, "x");
  const document::Value pod = read(message, "Pod");
  ASSERT_EQ(pod.members.size(), 1U);
  ASSERT_EQ(pod.find("spec")->members.size(), 1U);
  EXPECT_EQ(pod.find("spec")->members[0].key, "field 77");
}

TEST(Objects, MergeAMessageThatComesTwice) {
  std::string first;
  append_field(first, 1, "p");
  std::string second;
  append_field(second, 3, "ns");
  std::string message;
  append_field(message, 1, first);
  append_field(message, 1, second);
  const document::Value pod = read(message, "Pod");
  ASSERT_EQ(pod.members.size(), 1U);
  EXPECT_EQ(pod.find("metadata")->members.size(), 2U);
}

TEST(Objects, PassOverTheLastAppliedConfiguration) {
  const document::Value pod = through(
      R"({"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{}",)"
      R"("a":"b"}}})",
      "Pod");
  EXPECT_EQ(pod.find("metadata")->find("annotations")->members.size(), 1U);
}

// A client that writes protobuf can write such text, and JSON cannot have it.
TEST(Objects, ReplaceTextThatIsNoUtf8) {
  std::string metadata;
  append_field(metadata, 1, "a\xFF\xC3\xA9\xC3");
  std::string message;
  append_field(message, 1, metadata);
  EXPECT_EQ(read(message, "Pod").find("metadata")->find("name")->text,
            "a\xEF\xBF\xBD\xC3\xA9\xEF\xBF\xBD");
}

TEST(Objects, SayWhatAStatusSays) {
  EXPECT_EQ(message_of_status(support::protobuf_object(
                R"({"message":"too old","reason":"Expired","code":410})", "Status")),
            "too old");
  EXPECT_EQ(message_of_status("k8s"), "");
}

// Found by fuzzing: the place was the distance of two addresses that have nothing in common.
TEST(Objects, ThatAreMissingAreRefusedWithoutAPlace) {
  for (const char* event : {"",
                            "\x0a\x05"
                            "ADDED",
                            "\x12\x02\x08\x07"}) {
    const std::string frame = event;
    Reader reader(frame);
    EventParts parts;
    Envelope envelope;
    ASSERT_TRUE(reader.event(frame, parts));
    EXPECT_FALSE(reader.envelope(parts.object, envelope));
    EXPECT_EQ(reader.fault().to_string(), "expected an object that begins with \"k8s\\0\"");
  }
}

TEST(Objects, ThatAreDamagedAreReadOrRefused) {
  const std::string message = support::protobuf_message(
      parsed(R"({"metadata":{"name":"p","creationTimestamp":"2026-01-01T00:00:00Z",)"
             R"("labels":{"a":"b"}},"spec":{"containers":[{"name":"c","resources":)"
             R"({"requests":{"cpu":"1"}}}],"priority":7}})"),
      "Pod");
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    const std::string damaged = support::Damage(seed).of(message);
    Reader reader(damaged);
    document::Value value;
    if (!read_object(reader, damaged, *find_shape("Pod"), value)) {
      EXPECT_NE(reader.fault().message, "") << seed;
    }
  }
}

}  // namespace
}  // namespace berth::protobuf
